// A count of forks beside getpid(2).
#include "redlock/runtime/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <new>

namespace redlock {

namespace {

// Lock-free, so that the child of a process with many threads can count.
std::atomic<std::uint64_t> fork_count = 0;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

void count_fork() { fork_count.fetch_add(1, std::memory_order_relaxed); }

bool register_handler() {
  if (pthread_atfork(nullptr, nullptr, count_fork) != 0) throw std::bad_alloc();
  return true;
}

}  // namespace

ProcessMark this_process() {
  // An exception leaves it unset, and the next call tries again.
  [[maybe_unused]] static const bool kRegistered = register_handler();
  return {fork_count.load(std::memory_order_relaxed), getpid()};
}

}  // namespace redlock
