// The checker reports what must not be, and nothing else.
#include <gtest/gtest.h>

#include "sim/checker.hpp"
#include "sim/world_time.hpp"

namespace redlock::sim {
namespace {

constexpr std::string_view kOk = "+OK\r\n";

// Three servers whose keys the test writes itself.
class CheckerTest : public testing::Test {
 protected:
  CheckerTest() : plan_(make_plan()), clock_(kWallStartNs, 0), checker_(plan_, views()) {}

  static Plan make_plan() {
    Plan plan;
    plan.servers = 3;
    plan.clients.resize(2);
    return plan;
  }
  std::vector<ServerView> views() {
    std::vector<ServerView> views;
    for (Keyspace& keyspace : keyspaces_) views.push_back({&keyspace, &clock_, 0});
    return views;
  }
  void go_to(std::int64_t ms) {
    now_ms_ = ms;
    checker_.set_now(ms * kMs);
    checker_.after_event();
  }
  // As if the client's SET had been executed.
  void set(std::uint32_t client, std::uint32_t server, const std::string& token,
           std::int64_t ttl_ms) {
    Keyspace& keyspace = keyspaces_[server];
    const Entry entry{0, "lock", token, ValueType::string, kWallStartNs / kMs + now_ms_ + ttl_ms};
    keyspace.set_time(kWallStartNs / kMs + now_ms_, now_ms_ * kMs);
    checker_.key_changes(client, server, keyspace.find(0, "lock"), &entry);
    keyspace.put(entry);
    checker_.command_executed(client, server, {"SET", "lock", token}, kOk);
  }
  void remove(std::uint32_t client, std::uint32_t server) {
    Keyspace& keyspace = keyspaces_[server];
    checker_.key_changes(client, server, keyspace.find(0, "lock"), nullptr);
    keyspace.erase(0, "lock");
    checker_.after_event();
  }
  void set_everywhere(std::uint32_t client, const std::string& token, std::int64_t ttl_ms) {
    for (std::uint32_t server = 0; server < 3; ++server) set(client, server, token, ttl_ms);
  }
  std::vector<ViolationKind> kinds() const {
    std::vector<ViolationKind> kinds;
    for (const Violation& violation : checker_.violations()) kinds.push_back(violation.kind);
    return kinds;
  }
  using Kinds = std::vector<ViolationKind>;

  Plan plan_;
  SimClock clock_;
  std::array<Keyspace, 3> keyspaces_;
  Checker checker_;
  std::int64_t now_ms_ = 0;
};

TEST_F(CheckerTest, AnOrdinaryLockViolatesNothing) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  go_to(50);
  checker_.given_up(0);
  for (std::uint32_t server = 0; server < 3; ++server) remove(0, server);
  set_everywhere(1, "b", 100);
  checker_.granted(1, "b", 147 * kMs);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(CheckerTest, TwoHoldersAreSeen) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  keyspaces_ = {};
  set_everywhere(1, "b", 100);
  checker_.granted(1, "b", 97 * kMs);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::two_holders});
}

TEST_F(CheckerTest, ASecondHolderAtTheFirstsDeadlineIsNoViolation) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  keyspaces_ = {};
  go_to(97);
  set_everywhere(1, "b", 100);
  checker_.granted(1, "b", 150 * kMs);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(CheckerTest, ValidityPastTheMajoritysExpiryIsSeen) {
  set(0, 0, "a", 100);
  set(0, 1, "a", 40);
  checker_.granted(0, "a", 97 * kMs);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::validity_beyond_expiry});
}

TEST_F(CheckerTest, AMajorityThatNeverWasIsSeen) {
  set(0, 0, "a", 100);
  checker_.granted(0, "a", 0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::no_distinct_majority});
}

TEST_F(CheckerTest, RemovingAForeignLockIsSeen) {
  set(0, 0, "a", 100);
  remove(1, 0);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::foreign_removed});
}

TEST_F(CheckerTest, RemovingAMinoritysVoteOfAHeldLockIsNoViolation) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  remove(0, 2);
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(CheckerTest, RemovingAMajoritysVoteOfAHeldLockIsSeen) {
  set_everywhere(0, "a", 100);
  checker_.granted(0, "a", 97 * kMs);
  remove(0, 2);
  remove(0, 1);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::held_majority_lost});
}

TEST_F(CheckerTest, AKeyWithoutAnExpiryIsSeen) {
  const Entry entry{0, "lock", "a", ValueType::string, std::nullopt};
  checker_.key_changes(0, 0, nullptr, &entry);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::no_expiry});
}

TEST_F(CheckerTest, OverwritingALiveLockIsSeen) {
  set(0, 0, "a", 100);
  set(1, 0, "b", 100);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::live_overwritten});
}

TEST_F(CheckerTest, AKeyThatOutlivesItsTtlAndDriftIsSeen) {
  set(0, 0, "a", 100);
  clock_.step(0, -1000 * kMs);
  go_to(105);
  EXPECT_EQ(kinds(), Kinds{});
  go_to(106);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::left_behind});
}

TEST_F(CheckerTest, AKeyOfAFailedAttemptIsSeen) {
  set(0, 0, "a", 100);
  checker_.check_undone(1, false);
  EXPECT_EQ(kinds(), Kinds{});
  checker_.check_undone(0, false);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::not_undone});
}

TEST_F(CheckerTest, AnAnswerTakenForAnothersIsSeen) {
  set(0, 0, "a", 100);
  Outcome outcome;
  outcome.nodes.resize(3);
  outcome.nodes[0] = {true, Reply::granted()};
  checker_.reported(0, Verb::take, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{});
  outcome.nodes[1] = {true, Reply::granted()};
  checker_.reported(0, Verb::take, "a", outcome);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::wrong_reply});
}

TEST_F(CheckerTest, ACallPastItsBudgetIsSeen) {
  checker_.returned(0, 20 * kMs, 0, 20 * kMs);
  checker_.returned(0, 25 * kMs, 5 * kMs, 20 * kMs);
  EXPECT_EQ(kinds(), Kinds{});
  checker_.returned(0, 21 * kMs, 0, 20 * kMs);
  EXPECT_EQ(kinds(), Kinds{ViolationKind::over_budget});
}

}  // namespace
}  // namespace redlock::sim
