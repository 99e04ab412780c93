// When a renewal thread ends, and what it leaves behind: nothing that its next one would find, and
// no vote that it was repairing.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "io/support/renewal_on_servers.hpp"
#include "support/allocations.hpp"

namespace redlock::renewal_thread_end_test {
namespace {

using test::asleep;
using test::eventually;
using test::RenewalOnServers;

TEST_F(RenewalOnServers, EveryThreadWithoutLeasesIsIdleForAsLongAsTheFirst) {
  constexpr Duration kIdle = Duration::ms(200);
  RenewalThread renewal_thread(kIdle);
  const auto now = [this] { return runtime_.pool().clock().now(); };
  for (const char* resource : {"r1", "r2", "r3"}) {
    // It lets go of that in its first turn.
    const KeptLease lease = take_due(resource);
    lease.lease_deadline->end();
    const Instant began = now();
    renewal_thread.keep(lease);
    ASSERT_TRUE(eventually([&] { return !renewal_thread.running(); }));
    EXPECT_GE(now() - began, kIdle) << resource;
  }
}

// Is told of a loss, and holds the renewal thread up until its owner waits for its end.
class HoldsTheThreadUp final : public LossListener {
 public:
  void lost() noexcept override {
    holds_ = true;
    eventually([this] { return ends_ && asleep("/proc/self/task/" + std::to_string(owner_)); });
  }
  [[nodiscard]] bool holds() const { return holds_; }
  void end() { ends_ = true; }

 private:
  const pid_t owner_ = gettid();
  std::atomic<bool> holds_ = false;
  std::atomic<bool> ends_ = false;
};

TEST_F(RenewalOnServers, AVoteThatArrivedInItsLastTurnForAReleasedLockIsTakenBack) {
  // Every answer of an extend is waited for.
  constexpr Duration kLong = Duration::seconds(3'600);
  // A name would follow the extends' answers, and what repairs would wait for its answer.
  plan_ = std::make_shared<const LockPlan>(specs(3), once());
  const auto listener = std::make_shared<HoldsTheThreadUp>();
  KeptLease repaired = take_due("r", kLong);
  KeptLease lost = take_due("lost", kLong);
  lost.listener = listener;
  // So it is asked first, and the other's answer is looked at last.
  repaired.taken_at = repaired.taken_at - Duration::seconds(600);
  const auto third_vote = [] { return server(2).say({"GET", "r"}); };
  ASSERT_TRUE(eventually([&] { return third_vote() == repaired.token.view(); }));
  server(2).say({"DEL", "r"});
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "lost", "somebody else's"});
  auto renewal_thread = std::make_unique<RenewalThread>();
  {
    // It hears of both before it does anything.
    const test::FailingElsewhere failing(0, test::Shortage::lasting);
    renewal_thread->keep(lost);
    renewal_thread->keep(repaired);
    const std::size_t before = sleeps_of_others();
    ASSERT_TRUE(eventually([&] { return sleeps_of_others() > before + 2; }));
  }
  ASSERT_TRUE(eventually([&] { return listener->holds(); }));
  EXPECT_TRUE(eventually([&] { return third_vote() == repaired.token.view(); }));
  repaired.lease_deadline->end();
  listener->end();
  renewal_thread.reset();
  EXPECT_TRUE(eventually([&] { return third_vote() == "nil"; }));
}

}  // namespace
}  // namespace redlock::renewal_thread_end_test
