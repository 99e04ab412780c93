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
constexpr std::array kNoLine{no_channels, no_line_keys, no_permission, refused_select};
constexpr std::array kNoChannels{no_channels};
constexpr std::array kListenerLost{listener_half_open, no_channels};

constexpr std::string_view kHeldBack = "the removal waits for the link, the server or the process";
constexpr std::string_view kRefused = "the removal, or what follows it, is refused for a while";

constexpr std::array kExcuses{
    Excuse{ViolationKind::undone_late, kHeldBack, kRemovalHeldBack},
    Excuse{ViolationKind::undone_late, kRefused, kRemovalRefused},
    Excuse{ViolationKind::undone_late, "its bytes take long", kSlowBytes},
    Excuse{ViolationKind::not_undone, "what the parent took is not the child's to remove",
           kAnotherProcess},
    Excuse{ViolationKind::not_undone, "the words are read as the answer to a removal", kTurnedAway},
    Excuse{ViolationKind::not_undone, "what an ACL forbids is not tried again", kRefusedForGood},
    Excuse{ViolationKind::unavailable, "nobody waits for the answer, or not on that clock",
           kCallLeft},
    Excuse{ViolationKind::release_late, kHeldBack, kRemovalHeldBack},
    Excuse{ViolationKind::release_late, kRefused, kRemovalRefused},
    Excuse{ViolationKind::release_late, "what a majority does not need goes with the next call",
           kLateRelease},
    Excuse{ViolationKind::connection_given_up, "the connection was in trouble", kRemovalHeldBack},
    Excuse{ViolationKind::connection_given_up, "the server was in trouble", kRemovalRefused},
    Excuse{ViolationKind::connection_given_up, "answers may be late", kSlowAnswers},
    Excuse{ViolationKind::sent_too_late, "what the kernel took in part has to be finished",
           kShortWrites},
    Excuse{ViolationKind::unavailable, "no bound is known for how long an answer takes",
           kSlowBytes},
    Excuse{ViolationKind::unavailable, "who was refused a channel asks for none for a while",
           kNoChannels},
    Excuse{ViolationKind::waits_in_vain, "no bound is known for how long an answer takes",
           kSlowBytes},
    Excuse{ViolationKind::waits_in_vain, "who may not stand in line asks, and not very often",
           kNoLine},
    Excuse{ViolationKind::connection_given_up, "nobody can be heard there", kListenerLost},
};

static_assert(kViolationKinds <= 32);
static_assert(std::ranges::none_of(kExcuses,
                                   [](const Excuse& excuse) { return is_safety(excuse.kind); }));

// By class, a bit for every property that is not judged under it: this is asked at every command.
constexpr std::array kExempt = [] {
  std::array<std::uint32_t, kFaultClasses> exempt{};
  for (const Excuse& excuse : kExcuses) {
    for (const FaultClass fault_class : excuse.classes) {
      exempt[static_cast<std::size_t>(fault_class)] |= 1U << static_cast<unsigned>(excuse.kind);
    }
  }
  return exempt;
}();

}  // namespace

std::span<const Excuse> excuses() { return kExcuses; }

bool judged_under(ViolationKind kind, FaultClass fault_class) {
  const std::uint32_t exempt = kExempt[static_cast<std::size_t>(fault_class)];
  return (exempt >> static_cast<unsigned>(kind) & 1U) == 0;
}

bool judged_under(ViolationKind kind, const Plan& plan) {
  // A server that restarts at once crashes too; and one that may vote again is connected to anew.
  if (plan.restarts && !judged_under(kind, crash_keep)) return false;
  return std::ranges::all_of(plan.faults, [kind](const FaultPlan& fault) {
    return judged_under(kind, fault.fault_class);
  });
}

}  // namespace redlock::sim
