// The processes of contend.hpp and the memory they share.
#include "contend.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure.hpp"
#include "quorum_lock.hpp"

namespace bench {
namespace {

constexpr std::uint32_t kRequestsMax = 100000;

// Lives in anonymous shared memory, zeroed by the kernel.
struct Shared {
  std::atomic<std::uint32_t> taken;
  std::atomic<std::uint32_t> inside;
  std::atomic<std::uint32_t> overlaps;
  std::atomic<std::int64_t> last_end_ns;
  std::array<std::int64_t, kRequestsMax> wait_ns;
  std::array<std::int64_t, kRequestsMax> release_ns;
};

Shared& share_memory() {
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("mmap");
  return *static_cast<Shared*>(memory);
}

void sleep_us(std::int64_t pause_us) { usleep(static_cast<useconds_t>(pause_us)); }

// Tries until it holds the lock; after each failed attempt undoes it and pauses, as document 002.
void acquire(QuorumLock& lock, std::int64_t retry_ms, std::minstd_rand& random) {
  std::uniform_int_distribution<std::int64_t> pause_ms(retry_ms / 2, retry_ms);
  while (!lock.lock()) {
    lock.unlock();
    sleep_us(pause_ms(random) * 1000);
  }
}

void serve_requests(QuorumLock& lock, const Contention& plan, Shared& shared) {
  std::minstd_rand random(static_cast<std::uint32_t>(getpid()));
  for (;;) {
    const std::uint32_t request = shared.taken++;
    if (request >= plan.requests) return;
    const std::int64_t asked_ns = now_ns();
    acquire(lock, plan.retry_ms, random);
    const std::int64_t held_ns = now_ns();
    if (shared.inside++ != 0) ++shared.overlaps;
    sleep_us(plan.hold_us);
    --shared.inside;
    const std::int64_t done_ns = now_ns();
    lock.unlock();
    const std::int64_t end_ns = now_ns();
    shared.wait_ns[request] = held_ns - asked_ns;
    shared.release_ns[request] = end_ns - done_ns;
    std::int64_t seen_ns = shared.last_end_ns;
    while (seen_ns < end_ns && !shared.last_end_ns.compare_exchange_weak(seen_ns, end_ns)) {
    }
  }
}

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() {
    if (pipe(ends.data()) != 0) throw std::runtime_error("pipe");
  }
  [[nodiscard]] int reading() const { return ends[0]; }
  [[nodiscard]] int writing() const { return ends[1]; }
};

// A client connects, says so, waits until the start pipe is closed, and works. Never returns.
[[noreturn]] void be_client(std::span<const std::uint16_t> ports, const Contention& plan,
                            Shared& shared, const Pipe& ready, const Pipe& start) {
  int status = 1;
  try {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(start.writing());
    QuorumLock lock(ports, "bench:contended");
    char byte = 0;
    if (write(ready.writing(), &byte, 1) == 1 && read(start.reading(), &byte, 1) == 0) {
      serve_requests(lock, plan, shared);
      status = 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "limit: %s\n", error.what());
  }
  _exit(status);
}

void report(const Contention& plan, const Shared& shared, std::int64_t started_ns) {
  std::cout << R"({"elapsed_ns":)" << shared.last_end_ns - started_ns << R"(,"overlaps":)"
            << shared.overlaps << ',';
  write_samples("wait_ns", std::span(shared.wait_ns).first(plan.requests));
  std::cout << ',';
  write_samples("release_ns", std::span(shared.release_ns).first(plan.requests));
  std::cout << "}" << std::endl;
}

}  // namespace

void contend(std::span<const std::uint16_t> ports, const Contention& plan) {
  if (plan.requests > kRequestsMax) throw std::runtime_error("too many requests");
  Shared& shared = share_memory();
  const Pipe ready;
  const Pipe start;
  for (std::uint32_t i = 0; i < plan.clients; ++i) {
    if (fork() == 0) be_client(ports, plan, shared, ready, start);
  }
  close(ready.writing());
  for (std::uint32_t i = 0; i < plan.clients; ++i) {
    char byte = 0;
    if (read(ready.reading(), &byte, 1) != 1) throw std::runtime_error("a client failed");
  }
  std::cout << R"({"ready":true})" << std::endl;
  std::string line;
  std::getline(std::cin, line);
  const std::int64_t started_ns = now_ns();
  close(start.writing());
  for (std::uint32_t i = 0; i < plan.clients; ++i) {
    int status = 0;
    if (wait(&status) < 0 || status != 0) throw std::runtime_error("a client failed");
  }
  report(plan, shared, started_ns);
}

}  // namespace bench
