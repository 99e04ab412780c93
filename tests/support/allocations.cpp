// operator new and delete of the whole test program.
#include "support/allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace {

struct Plan {
  bool armed = false;
  bool lasting = false;
  bool happened = false;
  std::size_t left = 0;
  std::size_t with_memory = 0;
  const char* watched = nullptr;
  std::size_t watched_size = 0;
  std::size_t leaks = 0;
  std::ptrdiff_t alive = 0;
};
thread_local Plan plan;
// Of all threads but one: how many more succeed before one fails; negative: none fails.
std::atomic<std::ptrdiff_t> left_elsewhere = -1;
std::atomic<bool> lasting_elsewhere = false;
thread_local bool here = false;

bool fails_elsewhere() {
  if (left_elsewhere.load() >= 0) return left_elsewhere.fetch_sub(1) == 0;
  return lasting_elsewhere.load();
}

bool fails() {
  if (!here && fails_elsewhere()) return true;
  if (!plan.armed || plan.with_memory > 0) return false;
  if (plan.left > 0) {
    --plan.left;
    return false;
  }
  if (plan.happened && !plan.lasting) return false;
  return plan.happened = true;
}

void* allocate(std::size_t size) {
  if (fails()) throw std::bad_alloc();
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  ++plan.alive;
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  --plan.alive;
  if (plan.watched != nullptr && plan.with_memory == 0 &&
      memmem(memory, malloc_usable_size(memory), plan.watched, plan.watched_size) != nullptr) {
    ++plan.leaks;
  }
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
// Replaced too: a sanitizer's own would not go with the delete below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace redlock::test {

FailingAllocations::FailingAllocations(std::size_t n, Shortage shortage) {
  if (plan.armed) throw std::logic_error("one shortage at a time");
  plan.left = n;
  plan.lasting = shortage == Shortage::lasting;
  plan.happened = false;
  plan.armed = true;
}

FailingAllocations::~FailingAllocations() { plan.armed = false; }

bool FailingAllocations::happened() const { return plan.happened; }

FailingElsewhere::FailingElsewhere(std::size_t n, Shortage shortage) {
  here = true;
  left_elsewhere = static_cast<std::ptrdiff_t>(n);
  lasting_elsewhere = shortage == Shortage::lasting;
}

FailingElsewhere::~FailingElsewhere() {
  lasting_elsewhere = false;
  left_elsewhere = -1;
  here = false;
}

bool FailingElsewhere::happened() const { return left_elsewhere.load() < 0; }

std::ptrdiff_t allocations_alive() { return plan.alive; }

WithMemory::WithMemory() { ++plan.with_memory; }

WithMemory::~WithMemory() { --plan.with_memory; }

WatchedBytes::WatchedBytes(const std::string& bytes) {
  plan.watched_size = bytes.size();
  plan.leaks = 0;
  plan.watched = bytes.data();
}

WatchedBytes::~WatchedBytes() { plan.watched = nullptr; }

std::size_t WatchedBytes::leaks() const { return plan.leaks; }

}  // namespace redlock::test
