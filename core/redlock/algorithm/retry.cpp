// Attempts and jitter.
#include "redlock/algorithm/retry.hpp"

#include <limits>

namespace redlock {

namespace {
std::uint64_t at_least_one(std::int64_t attempts) {
  return attempts < 1 ? 1 : static_cast<std::uint64_t>(attempts);
}
}  // namespace

RetryPolicy RetryPolicy::jittered(std::int64_t attempts, std::int64_t delay_ms) {
  return {at_least_one(attempts), Duration::ms(delay_ms / 2), Duration::ms(delay_ms)};
}

RetryPolicy RetryPolicy::exact(std::int64_t attempts, Duration pause) {
  return {at_least_one(attempts), pause, pause};
}

RetryPolicy RetryPolicy::spread(std::int64_t attempts, Duration pause) {
  RetryPolicy policy = exact(attempts, pause);
  policy.shift_max = Duration::ns(pause.count_ns() / 2);
  return policy;
}

RetryPolicy RetryPolicy::waiting(Duration wait, std::int64_t delay_ms) {
  RetryPolicy policy = jittered(1, delay_ms);
  if (wait > Duration()) policy.attempts_max = std::numeric_limits<std::uint64_t>::max();
  policy.wait_max = wait;
  policy.gives_up = true;
  return policy;
}

Duration RetryPolicy::draw_pause(Entropy& entropy) const {
  const auto span_ms = static_cast<std::uint64_t>((pause_high - pause_low).count_ms());
  const std::uint64_t extra_ms = random_between(entropy, 0, span_ms);
  return pause_low + Duration::ms(static_cast<std::int64_t>(extra_ms));
}

Duration RetryPolicy::draw_shift(Entropy& entropy) const {
  if (shift_max <= Duration()) return {};
  const auto span_ns = static_cast<std::uint64_t>(shift_max.count_ns()) * 2;
  const std::uint64_t drawn_ns = random_between(entropy, 0, span_ns);
  return Duration::ns(static_cast<std::int64_t>(drawn_ns)) - shift_max;
}

}  // namespace redlock
