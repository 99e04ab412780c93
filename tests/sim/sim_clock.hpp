// A clock that runs at its own rate, was started at its own moment, and can be stepped.
//
// Maps the simulation's true time, in nanoseconds from its beginning, to what the clock shows.
// Pure.
#pragma once
#include <cstdint>
#include <limits>

namespace redlock::sim {

inline constexpr std::int64_t kMs = 1'000'000;  // in nanoseconds

class SimClock {
 public:
  // Shows `shows_ns` at true time 0 and runs `rate_ppm` millionths too fast.
  SimClock(std::int64_t shows_ns, std::int64_t rate_ppm) : local_(shows_ns), rate_ppm_(rate_ppm) {}

  [[nodiscard]] std::int64_t at(std::int64_t true_ns) const {
    const std::int64_t span = true_ns - true_;
    return local_ + span + gained(span);
  }
  // The first true time at which the clock shows at least `local_ns`, steps aside.
  [[nodiscard]] std::int64_t when(std::int64_t local_ns) const {
    const std::int64_t span = local_ns - local_;
    if (span > kSpanMaxNs) return std::numeric_limits<std::int64_t>::max();
    if (rate_ppm_ == 0) return true_ + span;
    std::int64_t guess = true_ + scaled(span, kMillion, kMillion + rate_ppm_);
    while (at(guess) >= local_ns) --guess;
    while (at(guess) < local_ns) ++guess;
    return guess;
  }
  void step(std::int64_t true_ns, std::int64_t by_ns) {
    local_ = at(true_ns) + by_ns;
    true_ = true_ns;
  }
  void set_rate(std::int64_t true_ns, std::int64_t rate_ppm) {
    step(true_ns, 0);
    rate_ppm_ = rate_ppm;
  }

 private:
  [[nodiscard]] std::int64_t gained(std::int64_t span) const {
    return rate_ppm_ == 0 ? 0 : scaled(span, rate_ppm_, kMillion);
  }
  // Products do not fit into 64 bits when a lease lasts for hours; the wider division takes longer.
  static std::int64_t scaled(std::int64_t span, std::int64_t by, std::int64_t of) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(span, by, &product)) return product / of;
    return static_cast<std::int64_t>(Wide{span} * by / of);
  }
  static constexpr std::int64_t kMillion = 1'000'000;
  __extension__ using Wide = __int128;
  // No schedule lasts so long: 30 days.
  static constexpr std::int64_t kSpanMaxNs = std::int64_t{30} * 24 * 3600 * 1000 * kMs;
  std::int64_t true_ = 0;
  std::int64_t local_;
  std::int64_t rate_ppm_;
};

}  // namespace redlock::sim
