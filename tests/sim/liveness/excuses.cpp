// The table, and how plans are read with it.
#include "sim/liveness/excuses.hpp"

#include <algorithm>
#include <array>

namespace redlock::sim {

namespace {

using enum FaultClass;

constexpr std::array kShortWrites{short_writes};
constexpr std::array kSlowAnswers{slices, single_bytes, reply_at_timeout};
constexpr std::array kLateRelease{slow_link, reply_at_timeout, slices, single_bytes, script_flush};
constexpr std::array kExtra{hostile_extra};
constexpr std::array kNoRoom{short_writes, full_send_queue};
constexpr std::array kSlowBytes{slices, single_bytes, short_writes};
constexpr std::array kRemovalHeldBack{stall,
                                      partition_to_server,
                                      partition_to_client,
                                      reset_at_byte,
                                      short_writes,
                                      half_open,
                                      server_closes,
                                      crash_keep,
                                      crash_lose_second_late,
                                      crash_lose_all_late,
                                      machine_down,
                                      stop_resume,
                                      command_pause,
                                      client_pause,
                                      full_send_queue,
                                      request_end,
                                      forks,
                                      suspends,
                                      slow_look_up,
                                      failing_look_up,
                                      no_descriptors,
                                      reset_on_close};
constexpr std::array kRemovalRefused{loading,        read_only,        no_auth,
                                     busy,           hostile_type,     hostile_oversized,
                                     hostile_nested, hostile_garbage,  hostile_missing,
                                     refused_select, too_many_clients, cannot_save,
                                     no_permission};
constexpr std::array kAnotherProcess{forks};
constexpr std::array kTurnedAway{too_many_clients};
constexpr std::array kRefusedForGood{no_permission};
constexpr std::array kCallLeft{gives_up, request_end, forks, suspends, reset_on_close};
constexpr std::array kMissing{hostile_missing};
constexpr std::array kNoLine{no_channels, no_line_keys, no_permission, refused_select};
constexpr std::array kNoChannels{no_channels};
constexpr std::array kListenerLost{listener_half_open, no_channels};

constexpr std::string_view kHeldBack = "the removal waits for the link, the server or the process";
constexpr std::string_view kRefused = "the removal, or what follows it, is refused for a while";

constexpr std::array kLimits{
    Limit{ViolationKind::undone_late, kHeldBack, kRemovalHeldBack},
    Limit{ViolationKind::undone_late, kRefused, kRemovalRefused},
    Limit{ViolationKind::undone_late, "its bytes take long", kSlowBytes},
    Limit{ViolationKind::not_undone, "what the parent took is not the child's to remove",
          kAnotherProcess},
    Limit{ViolationKind::not_undone, "the words are read as the answer to a removal", kTurnedAway},
    Limit{ViolationKind::not_undone, "what an ACL forbids is not tried again", kRefusedForGood},
    Limit{ViolationKind::unavailable, "nobody waits for the answer, or not on that clock",
          kCallLeft},
    Limit{ViolationKind::wrong_database, "the next answer looks like that to SELECT", kMissing},
    Limit{ViolationKind::removal_lost, "the kernel may have had no room for it", kNoRoom},
    Limit{ViolationKind::release_late, kHeldBack, kRemovalHeldBack},
    Limit{ViolationKind::release_late, kRefused, kRemovalRefused},
    Limit{ViolationKind::release_late, "what a majority does not need goes with the next call",
          kLateRelease},
    Limit{ViolationKind::wrong_reply, "it may fit what is asked next", kExtra},
    Limit{ViolationKind::connection_given_up, "the connection was in trouble", kRemovalHeldBack},
    Limit{ViolationKind::connection_given_up, "the server was in trouble", kRemovalRefused},
    Limit{ViolationKind::connection_given_up, "answers may be late", kSlowAnswers},
    Limit{ViolationKind::sent_too_late, "what the kernel took in part has to be finished",
          kShortWrites},
    Limit{ViolationKind::unavailable, "no bound is known for how long an answer takes", kSlowBytes},
    Limit{ViolationKind::unavailable, "who was refused a channel asks for none for a while",
          kNoChannels},
    Limit{ViolationKind::waits_in_vain, "no bound is known for how long an answer takes",
          kSlowBytes},
    Limit{ViolationKind::waits_in_vain, "who may not stand in line asks, and not very often",
          kNoLine},
    Limit{ViolationKind::connection_given_up, "nobody can be heard there", kListenerLost},
};

static_assert(kViolationKinds <= 32);

// By class, a bit for every property that is not judged under it: this is asked at every command.
constexpr std::array kExempt = [] {
  std::array<std::uint32_t, kFaultClasses> exempt{};
  for (const Limit& limit : kLimits) {
    for (const FaultClass fault_class : limit.classes) {
      exempt[static_cast<std::size_t>(fault_class)] |= 1U << static_cast<unsigned>(limit.kind);
    }
  }
  return exempt;
}();

// Which classes from outside the model do what.
struct Breach {
  std::span<const FaultClass> classes;
  std::span<const ViolationKind> kinds;
};
using Kind = ViolationKind;

constexpr std::array kData{crash_lose_second_at_once, crash_lose_all_at_once, fail_over_lagging,
                           flush_all, eviction};
constexpr std::array kOldData{crash_lose_second_at_once, fail_over_lagging};
constexpr std::array kEarlyEnds{server_clock_forward, server_clock_wild};
constexpr std::array kLateEnds{server_clock_back};
constexpr std::array kOverstays{holder_overstays};
constexpr std::array kLies{server_lies};
constexpr std::array kLegacy{legacy_clients, legacy_clock_skew, legacy_wall_step};

constexpr std::array kLost{Kind::two_holders, Kind::validity_beyond_expiry,
                           Kind::held_majority_lost};
constexpr std::array kBackAgain{Kind::left_behind, Kind::not_undone, Kind::undone_late,
                                Kind::release_late};
constexpr std::array kLasts{Kind::outlives_ttl, Kind::nobody_acquires};
constexpr std::array kTwo{Kind::two_holders};
constexpr std::array kNotSet{Kind::two_holders, Kind::validity_beyond_expiry,
                             Kind::no_distinct_majority, Kind::wrong_reply};
constexpr std::array kMistaken{Kind::two_holders,          Kind::validity_beyond_expiry,
                               Kind::no_distinct_majority, Kind::left_behind,
                               Kind::not_undone,           Kind::undone_late,
                               Kind::release_late,         Kind::unavailable,
                               Kind::connection_given_up,  Kind::wrong_database};
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

std::span<const Limit> limits() { return kLimits; }

bool judged_under(ViolationKind kind, FaultClass fault_class) {
  const std::uint32_t exempt = kExempt[static_cast<std::size_t>(fault_class)];
  return (exempt >> static_cast<unsigned>(kind) & 1U) == 0;
}

bool breaks(FaultClass fault_class, ViolationKind kind) {
  const std::uint32_t broken = kBroken[static_cast<std::size_t>(fault_class)];
  return (broken >> static_cast<unsigned>(kind) & 1U) != 0;
}

bool is_expected(ViolationKind kind, const Plan& plan) {
  return std::ranges::any_of(
      plan.faults, [kind](const FaultPlan& fault) { return breaks(fault.fault_class, kind); });
}

bool judged_under(ViolationKind kind, const Plan& plan) {
  return std::ranges::all_of(plan.faults, [kind](const FaultPlan& fault) {
    return judged_under(kind, fault.fault_class);
  });
}

}  // namespace redlock::sim
