// Of many releases that nobody waits for, one is waited for.
#include "redlock/runtime/unawaited.hpp"

#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"
#include "support/fake_world.hpp"

namespace redlock {
namespace {

using test::FakeWorld;

class UnawaitedTest : public FakeWorld {
 protected:
  // Locks of so many resources, released one after the other; how often somebody waited for it.
  int waits_among(int count, Duration apart = {}) {
    LockManager locks = manager(3);
    int waits = 0;
    for (int i = 0; i < count; ++i) {
      const std::string name = std::to_string(i);
      const Token token = lock(locks, name).token;
      const Duration took = time_of([&] { releases_.send(locks, Resource(name), token); });
      waits += took > Duration() ? 1 : 0;
      clock_.advance(apart);
    }
    return waits;
  }

  UnawaitedReleases releases_;
};

TEST_F(UnawaitedTest, OneReleaseWaitsForNobody) {
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(1);
  EXPECT_EQ(waits_among(1), 0);
  step_for(Duration::ms(5));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
}

TEST_F(UnawaitedTest, BehindSoManyBytesEveryServerIsWaitedFor) {
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(1);
  const int waits = waits_among(300);
  EXPECT_GE(waits, 300 / static_cast<int>(kBytesUnawaitedMax / kBytesOfRelease));
  EXPECT_LE(waits, 300 / 20);
  step_for(Duration::ms(5));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
}

// A release carries its script until a server has answered one.
TEST_F(UnawaitedTest, BehindTheFirstFewTheServersAreWaitedForAlready) {
  EXPECT_GT(kBytesOfFirstReleases, scripts::pass.text.size() + 128);
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(1);
  EXPECT_EQ(waits_among(2), 0);
  EXPECT_EQ(waits_among(5), 1);
  EXPECT_EQ(waits_among(20), 0);
}

TEST_F(UnawaitedTest, AServerThatStandsStillIsWaitedForOnceInAWhile) {
  server(2).stopped = true;
  // Backing off from it is over each time.
  const Duration apart = Duration::ns(kPauseAfterSilence.count_ns() / 400);
  EXPECT_LE(waits_among(300, apart), 1);
  clock_.advance(kPauseAfterSilence);
  EXPECT_LE(waits_among(300, apart), 1);
}

}  // namespace
}  // namespace redlock
