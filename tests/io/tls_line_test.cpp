// Waiting in line by TLS where servers have no room for the connection on which one listens: they
// close it before a word was said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "io/support/fleet.hpp"
#include "io/support/tls_redis.hpp"

namespace redlock::tls_line_test {
namespace {

using test::eventually;
using test::Fleet;
using test::TlsRedis;
using testing::HasSubstr;

class InLineByTls : public Fleet {
 protected:
  static constexpr std::size_t kServers = 3;
  static constexpr Duration kTtl = Duration::seconds(60);
  // Far longer than what is tested takes.
  static constexpr Duration kWait = Duration::seconds(60);

  // Both have their connections for commands.
  void SetUp() override {
    for (LockManager* locks : {&holder_, &waiter_}) {
      Runtime& runtime = locks == &holder_ ? holding_ : waiting_;
      const Outcome warm = lock(runtime, *locks, "warm");
      ASSERT_EQ(warm.decision, Decision::granted);
      ASSERT_EQ(unlock(runtime, *locks, warm.token, "warm").decision, Decision::granted);
    }
    for (TlsRedis& redis : servers_) {
      // Those two, and the test's own.
      ASSERT_TRUE(eventually([&] { return redis.plain().clients().size() == 3; }));
    }
  }
  // No more than are there.
  void fill(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(servers_[i].plain().say({"CONFIG", "SET", "maxclients", "3"}), "OK");
    }
  }
  // Somebody holds it, and gives it back as soon as the condition holds in the wait.
  Outcome wait_until_it_is_given_back(const auto& condition) {
    const Outcome held = lock(holding_, holder_);
    EXPECT_EQ(held.decision, Decision::granted);
    sets_before_ = servers_[0].plain().calls("set");
    const OperationId id = waiter_.begin_wait(Resource("r"), kTtl, kWait, 20, {});
    const auto step_until = [&](const auto& holds) {
      return eventually([&] {
        waiting_.pool().step(waiting_.pool().clock().now() + Duration::ms(1));
        return holds();
      });
    };
    EXPECT_TRUE(step_until(condition));
    EXPECT_EQ(unlock(holding_, holder_, held.token).decision, Decision::granted);
    EXPECT_TRUE(step_until([&] { return waiting_.pool().done(id); }));
    return waiting_.pool().collect(id);
  }
  // Has the waiter tried so often?
  bool tried(std::uint64_t attempts) {
    return servers_[0].plain().calls("set") >= sets_before_ + attempts;
  }
  bool stands_in_line_at(std::size_t server) {
    return servers_[server].plain().say({"ZCARD", "r:redlock:line"}) == "1";
  }
  void expect_polled(const Outcome& outcome, std::size_t full) {
    ASSERT_EQ(outcome.decision, Decision::granted);
    EXPECT_FALSE(outcome.handed_over);
    const std::vector<ServerTrouble> troubles = waiter_.line_troubles(outcome);
    ASSERT_EQ(troubles.size(), full);
    for (std::size_t i = 0; i < full; ++i) {
      EXPECT_EQ(troubles[i].server, specs_[i].endpoint.display());
      EXPECT_EQ(troubles[i].fault, Fault::closed);
      EXPECT_THAT(troubles[i].reason, HasSubstr("maxclients"));
    }
    unlock(waiting_, waiter_, outcome.token);
  }

  std::array<TlsRedis, kServers> servers_;
  std::vector<ServerSpec> specs_{servers_[0].spec(), servers_[1].spec(), servers_[2].spec()};
  Runtime holding_;
  Runtime waiting_;
  LockManager holder_{holding_.pool(), specs_, once()};
  LockManager waiter_{waiting_.pool(), specs_, once()};
  std::uint64_t sets_before_ = 0;
};

TEST_F(InLineByTls, WhereAMajorityHasNoRoomForWhoListensItPolls) {
  fill(2);
  // The first attempt comes before the line.
  ASSERT_NO_FATAL_FAILURE(expect_polled(wait_until_it_is_given_back([&] { return tried(3); }), 2));
  // Of whoever waited for it lately there is none.
  expect_polled(wait_until_it_is_given_back([&] { return tried(2); }), 2);
}

TEST_F(InLineByTls, WhereAMinorityHasNoneItIsHandedTheLock) {
  fill(1);
  const Outcome outcome =
      wait_until_it_is_given_back([&] { return stands_in_line_at(1) && stands_in_line_at(2); });
  ASSERT_EQ(outcome.decision, Decision::granted);
  EXPECT_TRUE(outcome.handed_over);
  unlock(waiting_, waiter_, outcome.token);
}

}  // namespace
}  // namespace redlock::tls_line_test
