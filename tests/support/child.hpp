// Runs something in a forked child, which ends there whatever happens.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

namespace redlock::test {

// The child's wait status: 0 when `work` returned true, 256 when false, 512 when it threw.
template <class Work>
int exit_status_of_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      _exit(work() ? 0 : 1);
    } catch (...) {
      _exit(2);
    }
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace redlock::test
