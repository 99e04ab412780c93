// A thread keeps leases alive on real servers, and is in nobody's way: not a fork's, not the end's.
#include "redlock/lease/renewal_thread.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <system_error>

#include "io/support/renewal_on_servers.hpp"
#include "support/system_calls.hpp"

namespace redlock::renewal_thread_test {
namespace {

using test::eventually;
using test::RenewalBesideTwoThreads;

TEST_F(RenewalBesideTwoThreads, ALeaseIsKeptWhileItsOwnerDoesNothing) {
  const KeptLease lease = take();
  renewal_thread_.keep(lease);
  EXPECT_TRUE(extended(lease));
  end(renewal_thread_, lease);
  EXPECT_EQ(unlock(runtime_, locks_, lease.token).decision, Decision::granted);
}

TEST_F(RenewalBesideTwoThreads, ItSleepsUntilTheNextExtend) {
  const KeptLease lease = take();
  renewal_thread_.keep(lease);
  ASSERT_TRUE(extended(lease));
  // A third of the ttl later it wakes again. Without anything to do it would not, a hundred times a
  // second.
  const std::size_t before = sleeps_of_others();
  const Instant trusted = lease.lease_deadline->until();
  ASSERT_TRUE(eventually([&] { return lease.lease_deadline->until() > trusted; }));
  EXPECT_LT(sleeps_of_others() - before, 30U);
  end(renewal_thread_, lease);
}

TEST_F(RenewalBesideTwoThreads, ThereIsNoThreadBeforeThereIsALease) {
  EXPECT_FALSE(renewal_thread_.running());
  end(renewal_thread_, take());
  EXPECT_FALSE(renewal_thread_.running());
}

TEST_F(RenewalBesideTwoThreads, AStoppedLeaseIsExtendedNoMoreAndNotLost) {
  const KeptLease lease = take();
  renewal_thread_.keep(lease);
  ASSERT_TRUE(extended(lease));
  end(renewal_thread_, lease);
  ASSERT_EQ(unlock(runtime_, locks_, lease.token).decision, Decision::granted);
  // Another one is kept meanwhile for longer than until the next extend.
  const KeptLease next = take();
  renewal_thread_.keep(next);
  EXPECT_TRUE(extended(next));
  EXPECT_EQ(lease.lease_deadline->loss(), Loss::none);
  EXPECT_TRUE(two_of_three_hold(next.token.view()));
}

TEST_F(RenewalBesideTwoThreads, ALeaseThatSomebodyTookAwayIsLost) {
  const KeptLease lease = take();
  renewal_thread_.keep(lease);
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  EXPECT_TRUE(lost(lease));
  EXPECT_EQ(lease.lease_deadline->loss(), Loss::denied);
}

TEST_F(RenewalBesideTwoThreads, AMinorityOfServersThatDiesAndOneThatStandsStillCostNothing) {
  const KeptLease lease = take();
  renewal_thread_.keep(lease);
  server(0).kill9();
  EXPECT_TRUE(extended(lease));
  server(0).start();
}

TEST_F(RenewalBesideTwoThreads, AMajorityThatStandsStillIsLossWhenTheTrustEnds) {
  const KeptLease lease = take();
  renewal_thread_.keep(lease);
  server(0).stop();
  server(1).stop();
  EXPECT_TRUE(lost(lease));
  EXPECT_GE(runtime_.pool().clock().now(), lease.valid_until);
  EXPECT_EQ(lease.lease_deadline->loss(), Loss::silence);
  server(0).go_on();
  server(1).go_on();
}

TEST_F(RenewalBesideTwoThreads, SignalsAreNeverHandledThere) {
  static std::atomic<int> handled;
  handled = 0;
  struct sigaction action{};
  action.sa_handler = [](int) { ++handled; };
  struct sigaction before{};
  sigaction(SIGUSR1, &action, &before);
  renewal_thread_.keep(take());
  // Whoever would take it now is not the owner.
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &held, nullptr);
  kill(getpid(), SIGUSR1);
  const KeptLease lease = take("r2");
  renewal_thread_.keep(lease);
  EXPECT_TRUE(extended(lease));
  EXPECT_EQ(handled, 0);
  pthread_sigmask(SIG_UNBLOCK, &held, nullptr);
  EXPECT_EQ(handled, 1);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(RenewalBesideTwoThreads, WithoutAThreadToBeHadNothingIsKeptAndALaterOneIs) {
  const KeptLease lease = take();
  for (const auto& [call, error] :
       {std::pair("pipe2", EMFILE), std::pair("pthread_create", EAGAIN)}) {
    test::SystemCalls calls;
    calls.fail(0, error, call);
    EXPECT_THROW(renewal_thread_.keep(lease), std::system_error);
    EXPECT_TRUE(calls.failed()) << call;
    EXPECT_EQ(lease.lease_deadline.use_count(), 1) << "nobody else has it";
    EXPECT_FALSE(renewal_thread_.running());
  }
  renewal_thread_.keep(lease);
  EXPECT_TRUE(extended(lease));
}

TEST_F(RenewalBesideTwoThreads, AThreadThatSleepsIsWokenForAnotherLease) {
  KeptLease far = take("far");
  far.terms.ttl = Duration::seconds(3'600);
  renewal_thread_.keep(far);
  ASSERT_TRUE(extended(far)) << "and from then on it has nothing to do for twenty minutes";
  const KeptLease next = take();
  renewal_thread_.keep(next);
  EXPECT_TRUE(extended(next));
}

TEST_F(RenewalBesideTwoThreads, AThreadWithoutLeasesEndsByAndByAndAnotherOneIsBegun) {
  RenewalThread renewal_thread(Duration::ms(20));
  for (const char* resource : {"r1", "r2"}) {
    const KeptLease lease = take(resource);
    renewal_thread.keep(lease);
    EXPECT_TRUE(extended(lease)) << "not while there is one";
    EXPECT_TRUE(renewal_thread.running());
    renewal_thread.stop(*lease.lease_deadline);
    EXPECT_TRUE(eventually([&] { return !renewal_thread.running(); }));
    EXPECT_TRUE(eventually([] { return server(2).clients_named("kept").size() <= 1; })) << "ours";
  }
}

TEST_F(RenewalBesideTwoThreads, AThreadEndsSoLongBehindTheLatestLease) {
  constexpr Duration kIdle = Duration::ms(300);
  RenewalThread renewal_thread(kIdle);
  const KeptLease first = take("first");
  const KeptLease second = take("second");
  renewal_thread.keep(first);
  end(renewal_thread, first);
  ASSERT_TRUE(eventually([&] { return first.lease_deadline.use_count() == 1; }))
      << "it has none now";
  renewal_thread.keep(second);
  // That takes longer.
  ASSERT_TRUE(extended(second));
  end(renewal_thread, second);
  // It takes notice of that when it wakes, for the next extend.
  Instant kept_until = runtime_.pool().clock().now();
  ASSERT_TRUE(eventually([&] {
    const Instant now = runtime_.pool().clock().now();
    if (second.lease_deadline.use_count() == 1) return true;
    kept_until = now;
    return false;
  }));
  ASSERT_TRUE(eventually([&] { return !renewal_thread.running(); }));
  // It counts from the beginning of the turn in which it let go, and may stand still within that.
  EXPECT_GE(runtime_.pool().clock().now() - kept_until, Duration::ms(150));
}

TEST_F(RenewalBesideTwoThreads, ALeaseThatIsKeptAgainIsStoppedAgain) {
  RenewalThread renewal_thread(Duration::ms(20));
  const KeptLease lease = take();
  for (int i = 0; i < 2; ++i) {
    renewal_thread.keep(lease);
    renewal_thread.stop(*lease.lease_deadline);
  }
  EXPECT_TRUE(eventually([&] { return !renewal_thread.running(); }));
}

TEST_F(RenewalBesideTwoThreads, TheEndDoesNotWaitUntilTheThreadHasBeenIdleForLong) {
  const Instant began = runtime_.pool().clock().now();
  for (int i = 0; i < 20; ++i) {
    RenewalThread renewal_thread;
    const KeptLease lease = take("r" + std::to_string(i));
    renewal_thread.keep(lease);
    end(renewal_thread, lease);
  }
  EXPECT_LT(runtime_.pool().clock().now() - began, kRenewalIdle);
}

TEST_F(RenewalBesideTwoThreads, TheEndWaitsForNoServer) {
  {
    RenewalThread renewal_thread;
    const KeptLease lease = take();
    renewal_thread.keep(lease);
    ASSERT_TRUE(extended(lease));
    server(0).stop();
    server(1).stop();
  }
  server(0).go_on();
  server(1).go_on();
  EXPECT_TRUE(eventually([] { return server(2).clients_named("kept").size() <= 1; }));
}

TEST_F(RenewalBesideTwoThreads, LeasesAreTakenAndReleasedBesideThoseThatAreKept) {
  const KeptLease lease = take("kept");
  renewal_thread_.keep(lease);
  for (int i = 0; i < 300; ++i) {
    const KeptLease brief = take();
    renewal_thread_.keep(brief);
    end(renewal_thread_, brief);
    ASSERT_EQ(unlock(runtime_, locks_, brief.token).decision, Decision::granted);
    EXPECT_EQ(brief.lease_deadline->loss(), Loss::none);
  }
  EXPECT_TRUE(extended(lease));
}

}  // namespace
}  // namespace redlock::renewal_thread_test
