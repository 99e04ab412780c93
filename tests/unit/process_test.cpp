// A process is told from its parent however it was made.
#include "redlock/os/process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <new>

#include "redlock/os/descriptor.hpp"
#include "support/child.hpp"
#include "support/system_calls.hpp"

namespace redlock::process_test {
namespace {

using test::exit_status_of_child;
using test::SystemCalls;

TEST(Process, IsTheSameUntilItForks) {
  const ProcessMark before = this_process();
  const ForkWatch watch;
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
  EXPECT_EQ(this_process(), before) << "the parent";
  EXPECT_FALSE(watch.forked());
}

// It is asked some twenty times for a lock and its release.
TEST(Process, IsKnownWithoutAskingTheSystem) {
  SystemCalls calls;
  calls.process_id = 41;
  const ProcessMark before = this_process();
  calls.process_id = 42;
  EXPECT_EQ(this_process(), before);
}

TEST(Process, AForkedChildIsAnother) {
  const ForkWatch watch;
  EXPECT_EQ(exit_status_of_child([&] { return watch.forked(); }), 0);
}

TEST(Process, AChildThatIsTheFirstOfItsNamespaceLikeItsParentIsAnother) {
  SystemCalls calls;
  calls.process_id = 1;
  const ForkWatch watch;
  EXPECT_EQ(exit_status_of_child([&] { return getpid() == 1 && watch.forked(); }), 0);
  EXPECT_FALSE(watch.forked());
}

TEST(Process, AChildThatWasClonedPastTheHandlersIsAnother) {
  const ForkWatch watch;
  const std::uint64_t forks = this_process().fork_count;
  const long child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) _exit(watch.forked() && this_process().fork_count == forks ? 0 : 1);
  int status = -1;
  waitpid(static_cast<pid_t>(child), &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Process, AGrandchildIsNeitherItsParentNorItsGrandparent) {
  SystemCalls calls;
  calls.process_id = 1;
  const ForkWatch eldest;
  EXPECT_EQ(exit_status_of_child([&] {
              const ForkWatch elder;
              return exit_status_of_child([&] { return elder.forked() && eldest.forked(); }) == 0;
            }),
            0);
}

TEST(Process, AChildThatStartedOverIsItselfFromThenOn) {
  ForkWatch watch;
  EXPECT_EQ(exit_status_of_child([&] {
              watch.start_over();
              return !watch.forked();
            }),
            0);
}

// Is it /dev/null, or what is it?
bool leads_nowhere(int descriptor) {
  struct stat what{};
  return fstat(descriptor, &what) == 0 && S_ISCHR(what.st_mode);
}

TEST(Process, WhatIsKeptFromChildrenLeadsNowhereThere) {
  [[maybe_unused]] const ForkWatch registers;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  {
    const Descriptor kept(ends[0]);
    EXPECT_EQ(exit_status_of_child([&] {
                const int flags = fcntl(ends[0], F_GETFD);
                return leads_nowhere(ends[0]) && (flags & FD_CLOEXEC) != 0 &&
                       !leads_nowhere(ends[1]);
              }),
              0);
    EXPECT_FALSE(leads_nowhere(ends[0])) << "the parent's";
  }
  // Closed, the number may be somebody else's, who lets programs have it or not.
  ASSERT_EQ(dup2(ends[1], ends[0]), ends[0]);
  EXPECT_EQ(exit_status_of_child([&] { return !leads_nowhere(ends[0]); }), 0);
  ASSERT_EQ(dup3(ends[1], ends[0], O_CLOEXEC), ends[0]);
  EXPECT_EQ(exit_status_of_child([&] { return !leads_nowhere(ends[0]); }), 0);
  close(ends[0]);
  close(ends[1]);
}

// A program may have closed what it was started with.
TEST(Process, TheFirstDescriptorIsOneLikeTheOthers) {
  [[maybe_unused]] const ForkWatch registers;
  int ends[2];
  EXPECT_EQ(exit_status_of_child([&] {
              close(0);
              if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
              keep_from_children(ends[0]);
              return ends[0] == 0 && exit_status_of_child([] { return leads_nowhere(0); }) == 0;
            }),
            0);
  EXPECT_EQ(exit_status_of_child([&] {
              if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
              const Descriptor kept(ends[0]);
              close(0);
              return exit_status_of_child(
                         [&] { return leads_nowhere(ends[0]) && fcntl(0, F_GETFD) < 0; }) == 0;
            }),
            0);
}

TEST(Process, WhatIsKeptLeadsNowhereAlsoWhereNoNumberIsLeft) {
  EXPECT_EQ(exit_status_of_child([] {
              [[maybe_unused]] const ForkWatch registers;
              int ends[2];
              if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
              const Descriptor kept(ends[0]);
              constexpr rlim_t kFew = 64;
              const rlimit few{kFew, kFew};
              if (setrlimit(RLIMIT_NOFILE, &few) != 0) return false;
              while (dup(ends[1]) >= 0) {
              }
              return exit_status_of_child([&] { return leads_nowhere(ends[0]); }) == 0;
            }),
            0);
}

TEST(Process, WhatSomebodyElseClosedAndOpenedAnewStaysHisInChildren) {
  [[maybe_unused]] const ForkWatch registers;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  keep_from_children(ends[0]);
  ASSERT_EQ(dup2(ends[1], ends[0]), ends[0]);
  EXPECT_EQ(exit_status_of_child([&] { return !leads_nowhere(ends[0]); }), 0);
  close(ends[0]);
  EXPECT_EQ(exit_status_of_child([&] { return fcntl(ends[0], F_GETFD) < 0; }), 0);
  leave_to_children(ends[0]);
  close(ends[1]);
}

TEST(Process, DescriptorsBeyondTheBoundAreNotLookedAfter) {
  keep_from_children(-1);
  keep_from_children(kOwnDescriptorsMax);
  leave_to_children(kOwnDescriptorsMax);
  keep_from_children(kOwnDescriptorsMax - 1);
  leave_to_children(kOwnDescriptorsMax - 1);
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
}

class Asked : public AtForkParticipant {
 public:
  [[nodiscard]] int rests() const { return rests_; }

 private:
  void pause() noexcept override { ++rests_; }
  void resume() noexcept override {}
  int rests_ = 0;
};

TEST(Process, ItsGuestsAreAskedUntilTheyLeaveOnceOrTwice) {
  Asked stays;
  Asked leaves;
  stays.enter();
  leaves.enter();
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
  leaves.leave();
  leaves.leave();
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
  stays.leave();
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
  EXPECT_EQ(leaves.rests(), 1);
  EXPECT_EQ(stays.rests(), 2);
}

TEST(Process, AChildHasForgottenItsParentsGuestsWhateverBecomesOfThem) {
  alignas(Asked) std::array<std::byte, sizeof(Asked)> place;
  auto* const participant = new (place.data()) Asked;
  participant->enter();
  EXPECT_EQ(exit_status_of_child([&] {
              participant->~Asked();
              place.fill(std::byte{0xff});
              return exit_status_of_child([] { return true; }) == 0;
            }),
            0);
  participant->leave();
  participant->~Asked();
}

TEST(Process, NoSignalIsHandledWhileTheyAreHeldBack) {
  static volatile std::sig_atomic_t handled;
  handled = 0;
  struct sigaction action{};
  action.sa_handler = [](int) { handled = handled + 1; };
  struct sigaction before{};
  sigaction(SIGUSR1, &action, &before);
  sigset_t it;
  sigemptyset(&it);
  sigaddset(&it, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &it, nullptr);
  {
    const SignalsHeldBack held;
    raise(SIGUSR1);
    EXPECT_EQ(handled, 0);
  }
  EXPECT_EQ(handled, 1);
  raise(SIGUSR1);
  EXPECT_EQ(handled, 2);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(Process, TheHandlerGoesWithItsModule) {
  void* const module = dlopen(REDLOCK_PROCESS_MODULE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(module, nullptr) << dlerror();
  using Count = std::uint64_t (*)();
  const auto count = reinterpret_cast<Count>(dlsym(module, "count_of_forks"));
  ASSERT_NE(count, nullptr) << dlerror();
  const std::uint64_t before = count();
  EXPECT_EQ(exit_status_of_child([&] { return count() == before + 1; }), 0);
  ASSERT_EQ(dlclose(module), 0);
  ASSERT_EQ(dlopen(REDLOCK_PROCESS_MODULE, RTLD_NOW | RTLD_NOLOAD), nullptr) << "it is unloaded";
  EXPECT_EQ(exit_status_of_child([] { return true; }), 0);
}

}  // namespace
}  // namespace redlock::process_test
