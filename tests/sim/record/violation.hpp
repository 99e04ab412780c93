// What must not be, by name.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace redlock::sim {

enum class ViolationKind : std::uint8_t {
  two_holders,
  validity_beyond_expiry,
  no_distinct_majority,
  foreign_removed,
  held_majority_lost,
  foreign_extended,
  live_overwritten,
  no_expiry,
  outlives_ttl,
  left_behind,   // of a lock that was given back
  not_undone,    // of an attempt that failed
  undone_late,   // though nothing was in the way
  release_late,  // the same
  unavailable,
  wrong_reply,
  over_budget,
  connection_given_up,
  connection_misused,
  sent_too_late,
  nobody_acquires,
  endless,
  removal_lost,
  wrong_database,
  parents_touched,
  trusted_after_release,
  kept_too_long,
  wrongly_served,   // a line
  vote_given_away,  // of a lock that is held
  out_of_order,     // in quiet
  waits_in_vain,
  dead_in_line,
  fence_not_rising,
  count,
};
inline constexpr std::size_t kViolationKinds = static_cast<std::size_t>(ViolationKind::count);
[[nodiscard]] std::string_view name_of(ViolationKind kind);

// What must never be, whatever is wrong: for that there is no excuse.
[[nodiscard]] constexpr bool is_safety(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::two_holders:
    case ViolationKind::validity_beyond_expiry:
    case ViolationKind::no_distinct_majority:
    case ViolationKind::foreign_removed:
    case ViolationKind::held_majority_lost:
    case ViolationKind::foreign_extended:
    case ViolationKind::live_overwritten:
    case ViolationKind::no_expiry:
    case ViolationKind::outlives_ttl:
    case ViolationKind::left_behind:
    case ViolationKind::wrong_reply:
    case ViolationKind::removal_lost:
    case ViolationKind::wrong_database:
    case ViolationKind::parents_touched:
    case ViolationKind::trusted_after_release:
    case ViolationKind::wrongly_served:
    case ViolationKind::vote_given_away:
    case ViolationKind::out_of_order:
    case ViolationKind::fence_not_rising:
      return true;
    default:
      return false;
  }
}

struct Violation {
  ViolationKind kind = ViolationKind::two_holders;
  std::int64_t at_ns = 0;
  std::string text;
};

}  // namespace redlock::sim
