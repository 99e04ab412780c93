// Servers that answer with nonsense, too slowly, or not at all cost their votes and the budget, and
// nothing else.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "io/support/fleet.hpp"
#include "io/support/hostile_server.hpp"

namespace redlock::hostile_test {
namespace {

using test::Fleet;
using test::Habit;
using test::HostileServer;
using test::real_ms;

constexpr Duration kTimeout = Duration::ms(100);
// Ten times what is usual: only a call that waits for the server itself takes longer.
constexpr double kBudgetMs = 1'000;

struct Case {
  const char* name;
  Habit habit;
  // What is told about such a server; more than one where it depends on who is faster.
  std::vector<Fault> faults;
  // The whole budget passes, since nothing else ends the waiting.
  bool takes_all_the_time;
};

class Rule07OneDeadlinePerCall : public Fleet, public testing::WithParamInterface<Case> {
 protected:
  static LockOptions impatient() {
    LockOptions options = once(kTimeout);
    options.connect_timeout = kTimeout;
    return options;
  }
  static long resident_kib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  }
};

TEST_P(Rule07OneDeadlinePerCall, ThreeOfThemCostOneBudgetAndGiveTypedErrors) {
  std::vector<std::unique_ptr<HostileServer>> hostile;
  std::vector<ServerSpec> servers;
  for (int i = 0; i < 3; ++i) {
    hostile.push_back(std::make_unique<HostileServer>(GetParam().habit));
    servers.push_back(parse_server(hostile.back()->address()));
  }
  Runtime runtime;
  LockManager locks(runtime.pool(), servers, impatient());
  const long before_kib = resident_kib();
  for (int call = 0; call < 2; ++call) {
    Outcome outcome;
    const double took_ms = real_ms([&] { outcome = lock(runtime, locks); });
    EXPECT_EQ(outcome.decision, Decision::unreachable);
    EXPECT_LT(took_ms, kBudgetMs);
    if (GetParam().takes_all_the_time && call == 0) {
      EXPECT_GE(took_ms, kTimeout.as_ms());
    }
    auto troubles = locks.troubles(outcome);
    // Two decide the call; the third may not have been heard by then.
    std::erase_if(troubles, [](const auto& trouble) { return trouble.fault == Fault::unanswered; });
    ASSERT_GE(troubles.size(), 2U);
    for (const ServerTrouble& trouble : troubles) {
      EXPECT_NE(std::ranges::find(GetParam().faults, trouble.fault), GetParam().faults.end())
          << trouble.reason;
      EXPECT_NE(trouble.reason, "");
      EXPECT_NE(trouble.server, "");
    }
  }
  EXPECT_LT(resident_kib() - before_kib, 64 * 1024);
}

TEST_P(Rule07OneDeadlinePerCall, OneOfThemBesideTwoHealthyServersCostsNothing) {
  HostileServer hostile(GetParam().habit);
  auto servers = specs(3);
  servers[1] = parse_server(hostile.address());
  servers[1].timeout = kTimeout;
  servers[1].connect_timeout = kTimeout;
  Runtime runtime;
  LockManager locks(runtime.pool(), servers, once());
  for (int turn = 0; turn < 10; ++turn) {
    const Outcome taken = lock(runtime, locks);
    ASSERT_EQ(taken.decision, Decision::granted);
    ASSERT_EQ(unlock(runtime, locks, taken.token).decision, Decision::granted);
  }
  for (const std::size_t i : {0U, 2U}) EXPECT_EQ(server(i).say({"GET", "r"}), "nil") << i;
}

TEST_P(Rule07OneDeadlinePerCall, EveryVerbKeepsToIt) {
  HostileServer hostile(GetParam().habit);
  Runtime runtime;
  LockManager locks(runtime.pool(), {parse_server(hostile.address())}, impatient());
  const Token token("t");
  const Resource resource("r");
  const double took_ms = real_ms([&] {
    Pool& pool = runtime.pool();
    EXPECT_EQ(pool.run(locks.begin_unlock(resource, token)).decision, Decision::unreachable);
    EXPECT_EQ(pool.run(locks.begin_check(resource, token)).decision, Decision::unreachable);
    EXPECT_EQ(pool.run(locks.begin_extend(resource, token, Duration::seconds(1))).decision,
              Decision::unreachable);
  });
  EXPECT_LT(took_ms, 3 * kBudgetMs);
}

INSTANTIATE_TEST_SUITE_P(
    Servers, Rule07OneDeadlinePerCall,
    testing::Values(
        Case{"Vanishes", Habit::vanishes, {Fault::timeout}, true},
        Case{"Silent", Habit::silent, {Fault::timeout}, true},
        Case{"WebPage", Habit::says_web_page, {Fault::protocol, Fault::timeout}, false},
        Case{"PromisesMuch", Habit::promises_much, {Fault::protocol, Fault::timeout}, false},
        Case{"Nests", Habit::nests, {Fault::protocol, Fault::timeout}, false},
        Case{"Drips", Habit::drips, {Fault::timeout}, true},
        Case{"HangsUp", Habit::hangs_up, {Fault::closed}, false},
        Case{"CutsShort", Habit::cuts_short, {Fault::closed}, false},
        Case{"Babbles", Habit::babbles, {Fault::protocol, Fault::timeout}, false}),
    [](const testing::TestParamInfo<Case>& info) { return info.param.name; });

class Rule07OnRealServers : public Fleet {};

TEST_F(Rule07OnRealServers, StoppedServersCostOneBudget) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), once(kTimeout));
  ASSERT_EQ(lock(runtime, locks, "connects").decision, Decision::granted);
  for (std::size_t i = 0; i < 3; ++i) server(i).stop();
  const double took_ms =
      real_ms([&] { EXPECT_EQ(lock(runtime, locks).decision, Decision::unreachable); });
  for (std::size_t i = 0; i < 3; ++i) server(i).go_on();
  EXPECT_GE(took_ms, kTimeout.as_ms());
  EXPECT_LT(took_ms, kBudgetMs);
}

TEST_F(Rule07OnRealServers, DeadServersCostNoTimeAtAll) {
  Runtime runtime;
  LockManager locks(runtime.pool(), specs(3), once());
  for (std::size_t i = 0; i < 3; ++i) server(i).kill9();
  EXPECT_LT(real_ms([&] { EXPECT_EQ(lock(runtime, locks).decision, Decision::unreachable); }),
            kBudgetMs);
}

TEST_F(Rule07OnRealServers, AHostThatDoesNotExistKeepsToTheBudgetToo) {
  Runtime runtime;
  LockManager locks(runtime.pool(), {parse_server("no-such-host.invalid")}, once(kTimeout));
  for (int call = 0; call < 3; ++call) {
    Outcome outcome;
    EXPECT_LT(real_ms([&] { outcome = lock(runtime, locks); }), kBudgetMs);
    EXPECT_EQ(outcome.decision, Decision::unreachable);
    const ServerTrouble trouble = locks.troubles(outcome).at(0);
    EXPECT_EQ(trouble.server, "no-such-host.invalid:6379");
    EXPECT_TRUE(trouble.fault == Fault::resolve || trouble.fault == Fault::timeout);
    EXPECT_NE(trouble.reason.find("host name"), std::string::npos) << trouble.reason;
  }
}

}  // namespace
}  // namespace redlock::hostile_test
