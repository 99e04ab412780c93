// Points and spans of time for the lock algorithms, in whole nanoseconds.
//
// Invariants: arithmetic saturates at the ends of int64 and never wraps, so a
// deadline computed from an absurd timeout is "never" and not "long ago".
// Pure: this file knows no clock. An Instant is only comparable with Instants of
// the same clock; in one process that is the one the runtime injects.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

namespace redlock {

namespace detail {
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}
constexpr std::int64_t saturating_sub(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}
constexpr std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max()
                            : std::numeric_limits<std::int64_t>::min();
}
}  // namespace detail

class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration ns(std::int64_t count) { return Duration(count); }
  static constexpr Duration us(std::int64_t count) {
    return Duration(detail::saturating_mul(count, 1'000));
  }
  static constexpr Duration ms(std::int64_t count) {
    return Duration(detail::saturating_mul(count, 1'000'000));
  }
  static constexpr Duration seconds(std::int64_t count) {
    return Duration(detail::saturating_mul(count, 1'000'000'000));
  }
  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t count_ns() const { return ns_; }
  // Rounded towards zero.
  [[nodiscard]] constexpr std::int64_t count_ms() const { return ns_ / 1'000'000; }
  [[nodiscard]] constexpr double as_ms() const { return static_cast<double>(ns_) / 1e6; }

  constexpr auto operator<=>(const Duration&) const = default;
  friend constexpr Duration operator+(Duration a, Duration b) {
    return Duration(detail::saturating_add(a.ns_, b.ns_));
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return Duration(detail::saturating_sub(a.ns_, b.ns_));
  }
  friend constexpr Duration operator*(Duration a, std::int64_t factor) {
    return Duration(detail::saturating_mul(a.ns_, factor));
  }

 private:
  explicit constexpr Duration(std::int64_t count) : ns_(count) {}
  std::int64_t ns_ = 0;
};

class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant from_ns(std::int64_t since_epoch) { return Instant(since_epoch); }
  // Later than every instant a clock can show.
  static constexpr Instant never() { return Instant(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t since_epoch_ns() const { return ns_; }

  constexpr auto operator<=>(const Instant&) const = default;
  friend constexpr Instant operator+(Instant at, Duration span) {
    return Instant(detail::saturating_add(at.ns_, span.count_ns()));
  }
  friend constexpr Instant operator-(Instant at, Duration span) {
    return Instant(detail::saturating_sub(at.ns_, span.count_ns()));
  }
  friend constexpr Duration operator-(Instant late, Instant early) {
    return Duration::ns(detail::saturating_sub(late.ns_, early.ns_));
  }

 private:
  explicit constexpr Instant(std::int64_t since_epoch) : ns_(since_epoch) {}
  std::int64_t ns_ = 0;
};

}  // namespace redlock
