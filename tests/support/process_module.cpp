// A module that watches for forks, to be loaded and unloaded.
#include "redlock/os/process.hpp"

extern "C" __attribute__((visibility("default"))) std::uint64_t count_of_forks() {
  return redlock::this_process().fork_count;
}
