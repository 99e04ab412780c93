// The table, and how plans are read with it.
#include "sim/breaches.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace redlock::sim {

namespace {

using enum FaultClass;

static_assert(kViolationKinds <= 32);

// Which classes from outside the model do what.
struct Breach {
  std::span<const FaultClass> classes;
  std::span<const ViolationKind> kinds;
};
using Kind = ViolationKind;
constexpr std::array kExtra{hostile_extra};

constexpr std::array kData{crash_lose_second_at_once, crash_lose_all_at_once, fail_over_lagging,
                           flush_all, eviction};
constexpr std::array kOldData{crash_lose_second_at_once, fail_over_lagging};
constexpr std::array kEarlyEnds{server_clock_forward, server_clock_wild};
constexpr std::array kLateEnds{server_clock_back};
constexpr std::array kOverstays{holder_overstays};
constexpr std::array kLies{server_lies};
constexpr std::array kLegacy{legacy_clients, legacy_clock_skew, legacy_wall_step};

constexpr std::array kLost{Kind::two_holders, Kind::validity_beyond_expiry,
                           Kind::held_majority_lost, Kind::fence_not_rising};
constexpr std::array kBackAgain{Kind::left_behind, Kind::not_undone, Kind::undone_late,
                                Kind::release_late};
constexpr std::array kLasts{Kind::outlives_ttl, Kind::nobody_acquires};
constexpr std::array kTwo{Kind::two_holders};
constexpr std::array kNotSet{Kind::two_holders, Kind::validity_beyond_expiry,
                             Kind::no_distinct_majority, Kind::wrong_reply, Kind::fence_not_rising};
constexpr std::array kMistaken{Kind::two_holders,          Kind::validity_beyond_expiry,
                               Kind::no_distinct_majority, Kind::left_behind,
                               Kind::not_undone,           Kind::undone_late,
                               Kind::release_late,         Kind::unavailable,
                               Kind::connection_given_up,  Kind::wrong_database,
                               Kind::wrong_reply,          Kind::fence_not_rising};
constexpr std::array kBlind{Kind::two_holders,     Kind::validity_beyond_expiry,
                            Kind::foreign_removed, Kind::live_overwritten,
                            Kind::nobody_acquires, Kind::held_majority_lost};

constexpr std::array kBreaches{
    Breach{kData, kLost},      Breach{kOldData, kBackAgain}, Breach{kEarlyEnds, kLost},
    Breach{kLateEnds, kLasts}, Breach{kOverstays, kTwo},     Breach{kLies, kNotSet},
    Breach{kExtra, kMistaken}, Breach{kLegacy, kBlind},
};

constexpr std::array kBroken = [] {
  std::array<std::uint32_t, kFaultClasses> broken{};
  for (const Breach& breach : kBreaches) {
    for (const FaultClass fault_class : breach.classes) {
      for (const ViolationKind kind : breach.kinds) {
        broken[static_cast<std::size_t>(fault_class)] |= 1U << static_cast<unsigned>(kind);
      }
    }
  }
  return broken;
}();

}  // namespace

bool breaks(FaultClass fault_class, ViolationKind kind) {
  const std::uint32_t broken = kBroken[static_cast<std::size_t>(fault_class)];
  return (broken >> static_cast<unsigned>(kind) & 1U) != 0;
}

bool is_expected(ViolationKind kind, const Plan& plan) {
  // These classes are in the model of those who have the guard, and of those who would need it.
  if (plan.restarts && plan.model == Model::inside) return false;
  return std::ranges::any_of(
      plan.faults, [kind](const FaultPlan& fault) { return breaks(fault.fault_class, kind); });
}

}  // namespace redlock::sim
