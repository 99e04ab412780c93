// What is counted of each server: how often it was asked, what went wrong, how long answers took.
//
// The counters of a server belong to its name, not to a connection: all pools that talk to it count
// in the same. Relaxed atomics, so that any thread may read them while others count; what is read
// belongs together only roughly. In a child of a fork they begin anew.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/os/process.hpp"

namespace redlock {

// Upper bounds; nobody waits for an answer for longer than the last.
inline constexpr std::array<std::int64_t, 16> kRoundTripBoundsUs = {
    50,     100,    200,     500,     1'000,   2'000,     5'000,      10'000,
    20'000, 50'000, 100'000, 200'000, 500'000, 1'000'000, 10'000'000, 3'600'000'000};
using RoundTrips = std::array<std::uint64_t, kRoundTripBoundsUs.size()>;

// The bound under which so many of a hundred stay; nothing where there are none.
[[nodiscard]] std::optional<Duration> percentile(const RoundTrips& of, unsigned percent);

// As they were read.
struct ServerNumbers {
  std::uint64_t requests = 0;
  std::uint64_t connects = 0;
  std::array<std::uint64_t, kFaultCount> errors{};  // by fault
  RoundTrips round_trips{};
  std::optional<Instant> troubled_at;  // the last time; nothing: never
};

class ServerCounters {
 public:
  // A command was put on its way.
  void note_request() noexcept { add_one(requests_); }
  void note_connect() noexcept { add_one(connects_); }
  // A connection was lost, or not to be had.
  void note_trouble(Fault fault, Instant now) noexcept { note_errors(fault, 1, now); }
  // So many commands were answered by an error.
  void note_errors(Fault fault, std::uint64_t count, Instant now) noexcept;
  void note_round_trip(Duration took) noexcept;
  // What was counted is the parent's, where the process has forked since.
  void notice_fork() noexcept;

  [[nodiscard]] ServerNumbers read() const noexcept;

 private:
  using Counter = std::atomic<std::uint64_t>;
  static void add_one(Counter& counter) noexcept {
    counter.fetch_add(1, std::memory_order_relaxed);
  }

  ForkWatch watch_;
  Counter requests_ = 0;
  Counter connects_ = 0;
  std::array<Counter, kFaultCount> errors_{};
  std::array<Counter, kRoundTripBoundsUs.size()> round_trips_{};
  std::atomic<std::int64_t> troubled_at_ns_ = 0;  // 0: never
};

// Past so many servers those that nobody asks any more are forgotten.
inline constexpr std::size_t kServersCounted = 256;

// The counters of servers by their names, in the order of the names. One thread; the counters
// themselves outlive it where somebody holds them.
class ServerBook {
 public:
  // Throws std::bad_alloc.
  [[nodiscard]] std::shared_ptr<ServerCounters> counters_of(const std::string& server);
  // Calls it with every name and its numbers.
  template <class Show>
  void for_each(Show show) {
    for (const auto& [name, counters] : counters_) {
      counters->notice_fork();
      show(name, counters->read());
    }
  }

 private:
  std::map<std::string, std::shared_ptr<ServerCounters>> counters_;
};

}  // namespace redlock
