// Memory that runs out when a test says so, for the calling thread.
#pragma once
#include <cstddef>
#include <new>
#include <string>

namespace redlock::test {

enum class Shortage {
  once,    // one allocation fails
  lasting  // and all behind it, while the object lives
};

class FailingAllocations {
 public:
  // The n-th allocation from now on, from 0, throws std::bad_alloc.
  FailingAllocations(std::size_t n, Shortage shortage);
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  ~FailingAllocations();
  [[nodiscard]] bool happened() const;
};

struct Tried {
  bool happened;  // there was such an allocation
  bool threw;     // std::bad_alloc
};
// Calls it with its n-th allocation failing.
template <typename Call>
Tried try_without(std::size_t n, Shortage shortage, Call call) {
  const FailingAllocations failing(n, shortage);
  try {
    call();
  } catch (const std::bad_alloc&) {
    return {failing.happened(), true};
  }
  return {failing.happened(), false};
}

// The same for all other threads. One of these at a time.
class FailingElsewhere {
 public:
  explicit FailingElsewhere(std::size_t n, Shortage shortage = Shortage::once);
  FailingElsewhere(const FailingElsewhere&) = delete;
  FailingElsewhere& operator=(const FailingElsewhere&) = delete;
  ~FailingElsewhere();
  [[nodiscard]] bool happened() const;
};

// How many pieces of memory the calling thread was given and has not given back.
[[nodiscard]] std::ptrdiff_t allocations_alive();

// The fakes of a test have memory all the same, and count for nothing.
class WithMemory {
 public:
  WithMemory();
  WithMemory(const WithMemory&) = delete;
  WithMemory& operator=(const WithMemory&) = delete;
  ~WithMemory();
};

// Watches that memory is given back without these bytes in it.
class WatchedBytes {
 public:
  // Requires that `bytes` stays where it is.
  explicit WatchedBytes(const std::string& bytes);
  WatchedBytes(const WatchedBytes&) = delete;
  WatchedBytes& operator=(const WatchedBytes&) = delete;
  ~WatchedBytes();
  // How many pieces of memory were given back with them.
  [[nodiscard]] std::size_t leaks() const;
};

}  // namespace redlock::test
