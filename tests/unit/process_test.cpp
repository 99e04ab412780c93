// A process is told from its parent however it was made.
#include "redlock/runtime/process.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <csignal>

#include "support/child.hpp"
#include "support/system_calls.hpp"

namespace redlock {
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
}  // namespace redlock
