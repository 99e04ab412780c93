// Decisions and refusals in words.
#include "redlock/redlock.hpp"

namespace redlock {
inline namespace v0 {

std::string_view to_string(Decision decision) noexcept {
  switch (decision) {
    case Decision::granted:
      return "granted";
    case Decision::denied:
      return "denied";
    case Decision::split:
      return "split";
    case Decision::expired_in_flight:
      return "expired_in_flight";
    case Decision::expired_unclaimed:
      return "expired_unclaimed";
    case Decision::unreachable:
      return "unreachable";
    case Decision::foreign:
      return "foreign";
    case Decision::aborted:
      break;
  }
  return "aborted";
}

std::string to_string(const Refusal& refusal) {
  std::string text(to_string(refusal.decision));
  if (refusal.own_bound) text += " because of a bound of this client, not of an outage";
  std::string_view between = ": ";
  for (const Trouble& trouble : refusal.troubles) {
    text.append(between).append(trouble.server).append(": ").append(trouble.reason);
    between = "; ";
  }
  return text;
}

}  // namespace v0
}  // namespace redlock
