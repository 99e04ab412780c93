// A process that forks while a thread of it keeps leases: who waits for whom, and what a child has.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>

#include "io/support/descriptors.hpp"
#include "io/support/keeper_on_servers.hpp"
#include "support/child.hpp"

namespace redlock {
namespace {

using test::asleep;
using test::eventually;
using test::exit_status_of_child;
using test::KeeperBesideTwoThreads;
using test::open_descriptors;

// Holds the keeper's thread up in the middle of a turn, by which a lease is lost, until somebody
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

TEST_F(KeeperBesideTwoThreads, AChildHasNoThreadAndNoneOfItsDescriptors) {
  const std::set<int> before = open_descriptors();
  const KeptLease lease = take();
  keeper_.keep(lease);
  ASSERT_TRUE(extended(lease));
  EXPECT_EQ(exit_status_of_child([&] {
              const bool none = !keeper_.running();
              runtime_.pool().close_all();
              return none && open_descriptors() == before;
            }),
            0);
  EXPECT_TRUE(keeper_.running());
}

TEST_F(KeeperBesideTwoThreads, ForksWhileItIsAtWorkLeaveParentAndChildrenWhole) {
  std::vector<KeptLease> leases;
  for (int i = 0; i < 50; ++i) {
    leases.push_back(take("r" + std::to_string(i)));
    keeper_.keep(leases.back());
  }
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    failed += exit_status_of_child([&] { return !keeper_.running(); }) == 0 ? 0 : 1;
  }
  EXPECT_EQ(failed, 0);
  for (const KeptLease& lease : leases) EXPECT_TRUE(extended(lease));
}

TEST_F(KeeperBesideTwoThreads, AForkWaitsForAThreadThatIsInTheMiddleOfATurn) {
  const auto listener = std::make_shared<WaitsForAFork>();
  KeptLease lease = take();
  lease.listener = listener;
  keeper_.keep(lease);
  // Is asked before the keeper.
  listener->enter();
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  ASSERT_TRUE(eventually([&] { return listener->waits(); }));
  EXPECT_EQ(exit_status_of_child([&] { return listener->was_waited_for(); }), 0);
}

TEST_F(KeeperBesideTwoThreads, ItSleepsWhileTheProcessForks) {
  // Is asked behind the keeper.
  const LooksWhoSleeps looks;
  const KeptLease lease = take();
  keeper_.keep(lease);
  EXPECT_EQ(exit_status_of_child([&] { return looks.others_slept(); }), 0);
  EXPECT_TRUE(extended(lease));
}

TEST_F(KeeperBesideTwoThreads, AForkDoesNotWaitForAThreadThatEndsMeanwhile) {
  const auto listener = std::make_shared<WaitsForAFork>();
  Keeper keeper{Duration()};
  KeptLease lease = take();
  lease.listener = listener;
  keeper.keep(lease);
  // Is asked before the keeper.
  listener->enter();
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  ASSERT_TRUE(eventually([&] { return listener->waits(); }));
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
  EXPECT_TRUE(eventually([&] { return !keeper.running(); }));
}

// ThreadSanitizer would have the child wait for the thread that ended in its parent.
class KeeperWithoutItsThread : public KeeperBesideTwoThreads {};

TEST_F(KeeperWithoutItsThread, IsNotWaitedForByAFork) {
  Keeper keeper{Duration()};
  const KeptLease lease = take();
  keeper.keep(lease);
  ASSERT_TRUE(keeper.running());
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  ASSERT_TRUE(eventually([&] { return !keeper.running(); }));
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
  keeper.stop(*lease.lease_deadline);
  EXPECT_EQ(lease.lease_deadline.use_count(), 1) << "nothing is left for a later thread";
}

TEST_F(KeeperBesideTwoThreads, AChildKeepsLeasesOfItsOwnWithAThreadOfItsOwn) {
  const KeptLease parents = take("parent's");
  keeper_.keep(parents);
  EXPECT_EQ(exit_status_of_child([&] {
              const KeptLease own = take("child's");
              keeper_.keep(own);
              return extended(own);
            }),
            0);
  EXPECT_TRUE(extended(parents));
}

}  // namespace
}  // namespace redlock
