// How long a call may take, by what its manager was told.
#include <algorithm>

#include "sim/native_client.hpp"

namespace redlock::sim {

std::int64_t NativeClient::take_budget_ns(const Lane& lane) const {
  constexpr auto kRaises = static_cast<std::int64_t>(kFenceRaisesMax);
  constexpr auto kProbe = kProbeTimeoutMs + kProbeAttempts * (kProbeTimeoutMs + kProbePauseMs);
  if (lane.probing) return kProbe * kMs;
  const Course& course = behaviour().course(lane.resource);
  const std::int64_t raises_ns = course.fence ? kRaises * timeout_ns(lane) : 0;
  const std::int64_t timeout_ms = scene_.plan.timeout_of(party(lane));
  // Whoever was asked as the wait ended has time to answer.
  if (waits_in_line(lane)) {
    return std::max(timeout_ns(lane), (course.wait_ms + timeout_ms) * kMs) + raises_ns;
  }
  return timeout_ns(lane) + (course.attempts - 1) * (timeout_ms + course.pause_ms) * kMs +
         raises_ns;
}

std::int64_t NativeClient::timeout_ns(const Lane& lane) const {
  if (lane.probing) return 2 * kProbeTimeoutMs * kMs;
  return (scene_.plan.connect_ms_of(party(lane)) + scene_.plan.timeout_of(party(lane))) * kMs;
}

}  // namespace redlock::sim
