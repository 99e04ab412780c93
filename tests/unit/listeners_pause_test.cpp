// The pause behind a server's trouble, and who need not wait for its end to listen.
#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <string>

#include "support/listeners_fixture.hpp"

namespace redlock::listeners_pause_test {
namespace {

using test::FakeServer;
using test::ListenersTest;
using test::Told;

class APauseBehindRefusals : public ListenersTest {
 protected:
  void make_busy(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      server(i).say = [](const test::Arguments& request) -> std::optional<std::string> {
        if (request.front() != "SUBSCRIBE") return std::nullopt;
        return test::error("BUSY Redis is busy running a script.");
      };
    }
  }
  // Somebody listens until so many of three have refused for long, and are well again.
  void refuse(std::size_t count) {
    make_busy(count);
    Told before;
    const OperationId id = listen(before, 3);
    step_for(Duration::seconds(2));
    pool_.collect(id);
    for (std::size_t i = 0; i < count; ++i) server(i).say = nullptr;
  }
  std::size_t heard_at_once() {
    listen(told_, 3);
    step_for(Duration::ms(1));
    std::size_t heard = 0;
    for (std::size_t i = 0; i < 3; ++i) heard += told_.channel(i).empty() ? 0 : 1;
    return heard;
  }
};

TEST_F(APauseBehindRefusals, IsOverForWhoBeginsToListenWhereNoMajorityIsHeard) {
  refuse(2);
  EXPECT_EQ(heard_at_once(), 3U);
}

TEST_F(APauseBehindRefusals, IsOverForHimThoughSomebodyElseListens) {
  refuse(2);
  Told other;
  server(0).reach = server(1).reach = FakeServer::Reach::refuses;
  listen(other, 3);
  step_for(Duration::seconds(2));
  server(0).reach = server(1).reach = FakeServer::Reach::accepts;
  EXPECT_EQ(heard_at_once(), 3U);
}

TEST_F(APauseBehindRefusals, IsOverOnceForEachWait) {
  refuse(2);
  make_busy(2);
  const std::size_t before = server(0).connections_opened;
  for (std::size_t waits = 1; waits <= 2; ++waits) {
    const OperationId id = listen(told_, 3);
    step_for(Duration::ms(50));
    EXPECT_EQ(server(0).connections_opened, before + waits);
    pool_.collect(id);
  }
}

TEST_F(APauseBehindRefusals, LastsForWhoListensNoMoreAsSoonAsHeIsTold) {
  refuse(2);
  const std::size_t before = server(0).connections_opened;
  told_.fails = true;
  EXPECT_THROW(pool_.collect(listen(told_, 3)), std::bad_alloc);
  step_for(Duration::ms(50));
  EXPECT_EQ(server(0).connections_opened, before);
}

TEST_F(APauseBehindRefusals, LastsWhereAMajorityIsHeard) {
  refuse(1);
  EXPECT_EQ(heard_at_once(), 2U);
  step_for(kBackoffMax);
  EXPECT_NE(told_.channel(0), "");
}

}  // namespace
}  // namespace redlock::listeners_pause_test
