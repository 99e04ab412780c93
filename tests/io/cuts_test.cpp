// A thousand connections, each cut at a random byte of what is asked or answered.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "io/support/fault_proxy.hpp"
#include "io/support/fleet.hpp"

namespace redlock::cuts_test {
namespace {

using test::eventually;
using test::FaultProxy;
using test::Fleet;
using test::ProxyPlan;

constexpr std::size_t kServers = 3;
constexpr std::size_t kCuts = 1000;
constexpr std::size_t kTurnsMax = 20 * kCuts;

class AThousandRandomCuts : public Fleet {
 protected:
  AThousandRandomCuts() {
    std::vector<ServerSpec> through_proxies;
    for (std::size_t i = 0; i < kServers; ++i) {
      proxies_.emplace_back(server(i).port());
      through_proxies.push_back(parse_server(proxies_.back().address()));
    }
    locks_ = std::make_unique<LockManager>(runtime_.pool(), through_proxies, once());
  }

  // A turn asks about 200 bytes and is answered about 10: few connections live for many turns.
  ProxyPlan random_plan() {
    ProxyPlan plan;
    if (random_() % 2 == 0) {
      plan.cut_to_server = 1 + random_() % 600;
    } else {
      plan.cut_to_client = 1 + random_() % 30;
    }
    return plan;
  }

  [[nodiscard]] std::size_t connections() const {
    std::size_t count = 0;
    for (const FaultProxy& proxy : proxies_) count += proxy.connection_count();
    return count;
  }

  static bool no_keys() {
    bool none = true;
    for (std::size_t i = 0; i < kServers; ++i) none = none && server(i).say({"DBSIZE"}) == "0";
    return none;
  }

  std::mt19937 random_{20261121};  // NOLINT: the same cuts in every run
  std::deque<FaultProxy> proxies_;
  Runtime runtime_;
  Runtime direct_runtime_;
  LockManager direct_{direct_runtime_.pool(), specs(kServers), once()};
  std::unique_ptr<LockManager> locks_;
};

TEST_F(AThousandRandomCuts, GrantNothingThatAMajorityDoesNotKeepAndLeaveNothingBehind) {
  std::size_t granted = 0;
  std::size_t unreachable = 0;
  for (std::size_t turn = 0; turn < kTurnsMax && connections() < kCuts; ++turn) {
    for (FaultProxy& proxy : proxies_) proxy.set_plan(random_plan());
    const Outcome taken = lock(runtime_, *locks_);
    if (taken.decision == Decision::unreachable) ++unreachable;
    if (taken.decision != Decision::granted) continue;
    ++granted;
    const std::vector<std::string> kept = values(kServers);
    EXPECT_GE(std::ranges::count(kept, taken.token.view()), 2);
    EXPECT_EQ(lock(direct_runtime_, direct_).decision, Decision::denied);
    unlock(runtime_, *locks_, taken.token);
  }
  EXPECT_GE(connections(), kCuts);
  EXPECT_GE(granted, 10U);
  EXPECT_GE(unreachable, 10U);
  for (FaultProxy& proxy : proxies_) proxy.set_plan({});
  // The next good call on a server brings what is still to be removed there.
  EXPECT_TRUE(eventually([&] {
    const Outcome taken = lock(runtime_, *locks_, "other");
    if (taken.decision == Decision::granted) unlock(runtime_, *locks_, taken.token, "other");
    return no_keys();
  }));
}

}  // namespace
}  // namespace redlock::cuts_test
