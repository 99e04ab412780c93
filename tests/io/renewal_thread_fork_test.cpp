// A process that forks while a thread of it keeps leases: who waits for whom, and what a child has.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>

#include "io/support/descriptors.hpp"
#include "io/support/renewal_on_servers.hpp"
#include "support/child.hpp"

namespace redlock::renewal_thread_fork_test {
namespace {

using test::asleep;
using test::eventually;
using test::exit_status_of_child;
using test::open_descriptors;
using test::RenewalBesideTwoThreads;

// Holds the renewal thread up in the middle of a turn, by which a lease is lost, until somebody
// who forks waits for it.
class WaitsForAFork final : public LossListener, public AtForkParticipant {
 public:
  ~WaitsForAFork() override { leave(); }
  void lost() noexcept override {
    waits_ = true;
    was_waited_for_ = eventually(
        [this] { return forker_ != 0 && asleep("/proc/self/task/" + std::to_string(forker_)); });
  }
  [[nodiscard]] bool waits() const { return waits_; }
  [[nodiscard]] bool was_waited_for() const { return was_waited_for_; }

 private:
  void pause() noexcept override { forker_ = gettid(); }
  void resume() noexcept override {}

  std::atomic<bool> waits_ = false;
  std::atomic<bool> was_waited_for_ = false;
  std::atomic<pid_t> forker_ = 0;
};

// Looks, where the process forks, whether all other threads sleep.
class LooksWhoSleeps final : public AtForkParticipant {
 public:
  LooksWhoSleeps() { enter(); }
  ~LooksWhoSleeps() override { leave(); }
  [[nodiscard]] bool others_slept() const { return others_slept_; }

 private:
  void pause() noexcept override {
    others_slept_ = eventually([] {
      const std::filesystem::directory_iterator tasks("/proc/self/task");
      return std::all_of(begin(tasks), end(tasks), [](const auto& task) {
        return task.path().filename() == std::to_string(gettid()) || asleep(task.path());
      });
    });
  }
  void resume() noexcept override {}

  bool others_slept_ = false;
};

TEST_F(RenewalBesideTwoThreads, AChildHasNoThreadAndNoneOfItsDescriptors) {
  const std::set<int> before = open_descriptors();
  const KeptLease lease = take();
  renewal_thread_.keep(lease);
  ASSERT_TRUE(extended(lease));
  EXPECT_EQ(exit_status_of_child([&] {
              const bool none = !renewal_thread_.running();
              runtime_.pool().close_all();
              return none && open_descriptors() == before;
            }),
            0);
  EXPECT_TRUE(renewal_thread_.running());
}

TEST_F(RenewalBesideTwoThreads, ForksWhileItIsAtWorkLeaveParentAndChildrenWhole) {
  std::vector<KeptLease> leases;
  for (int i = 0; i < 50; ++i) {
    leases.push_back(take("r" + std::to_string(i)));
    renewal_thread_.keep(leases.back());
  }
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    failed += exit_status_of_child([&] { return !renewal_thread_.running(); }) == 0 ? 0 : 1;
  }
  EXPECT_EQ(failed, 0);
  for (const KeptLease& lease : leases) EXPECT_TRUE(extended(lease));
}

TEST_F(RenewalBesideTwoThreads, AForkWaitsForAThreadThatIsInTheMiddleOfATurn) {
  const auto listener = std::make_shared<WaitsForAFork>();
  KeptLease lease = take();
  lease.listener = listener;
  renewal_thread_.keep(lease);
  // Is asked before the renewal thread.
  listener->enter();
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  ASSERT_TRUE(eventually([&] { return listener->waits(); }));
  EXPECT_EQ(exit_status_of_child([&] { return listener->was_waited_for(); }), 0);
}

TEST_F(RenewalBesideTwoThreads, ItSleepsWhileTheProcessForks) {
  // Is asked behind the renewal thread.
  const LooksWhoSleeps looks;
  const KeptLease lease = take();
  renewal_thread_.keep(lease);
  EXPECT_EQ(exit_status_of_child([&] { return looks.others_slept(); }), 0);
  EXPECT_TRUE(extended(lease));
}

TEST_F(RenewalBesideTwoThreads, AForkDoesNotWaitForAThreadThatEndsMeanwhile) {
  const auto listener = std::make_shared<WaitsForAFork>();
  RenewalThread renewal_thread{Duration()};
  KeptLease lease = take();
  lease.listener = listener;
  renewal_thread.keep(lease);
  // Is asked before the renewal thread.
  listener->enter();
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  ASSERT_TRUE(eventually([&] { return listener->waits(); }));
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
  EXPECT_TRUE(eventually([&] { return !renewal_thread.running(); }));
}

// ThreadSanitizer would have the child wait for the thread that ended in its parent.
class RenewalWithoutItsThread : public RenewalBesideTwoThreads {};

TEST_F(RenewalWithoutItsThread, IsNotWaitedForByAFork) {
  RenewalThread renewal_thread{Duration()};
  const KeptLease lease = take();
  renewal_thread.keep(lease);
  ASSERT_TRUE(renewal_thread.running());
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  ASSERT_TRUE(eventually([&] { return !renewal_thread.running(); }));
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
  renewal_thread.stop(*lease.lease_deadline);
  EXPECT_EQ(lease.lease_deadline.use_count(), 1) << "nothing is left for a later thread";
}

TEST_F(RenewalBesideTwoThreads, AChildKeepsLeasesOfItsOwnWithAThreadOfItsOwn) {
  const KeptLease parents = take("parent's");
  renewal_thread_.keep(parents);
  EXPECT_EQ(exit_status_of_child([&] {
              const KeptLease own = take("child's");
              renewal_thread_.keep(own);
              return extended(own);
            }),
            0);
  EXPECT_TRUE(extended(parents));
}

}  // namespace
}  // namespace redlock::renewal_thread_fork_test
