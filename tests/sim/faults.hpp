// Everything that can go wrong in a simulated world, by name, and whether a lock must bear it.
//
// In the model: the lock's promises hold whatever combination of these happens. Outside: no
// client can promise anything, and each class must be able to show a violation, or else the
// checker is blind.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace redlock::sim {

enum class FaultClass : std::uint8_t {
  slow_link,
  stall,
  partition_to_server,
  partition_to_client,
  reset_at_byte,
  slices,
  single_bytes,
  short_writes,
  half_open,
  server_closes,
  crash_keep,
  crash_lose_second_late,
  crash_lose_all_late,
  machine_down,
  stop_resume,
  command_pause,
  loading,
  out_of_memory,
  read_only,
  no_auth,
  busy,
  script_flush,
  server_clock_rate,
  client_clock_rate,
  client_wall_step,
  client_pause,
  client_kill,
  clean_exit,
  forgetful_network,
  reply_at_timeout,
  duplicate_release,
  hostile_type,
  hostile_oversized,
  hostile_nested,
  hostile_garbage,
  hostile_missing,
  refused_select,
  too_many_clients,
  cannot_save,
  no_permission,
  full_send_queue,
  gives_up,
  request_end,
  forks,
  signals,
  suspends,
  slow_look_up,
  failing_look_up,
  no_descriptors,
  reset_on_close,
  hostile_extra,
  crash_lose_second_at_once,
  crash_lose_all_at_once,
  fail_over_lagging,
  flush_all,
  eviction,
  server_clock_forward,
  server_clock_back,
  server_clock_wild,
  holder_overstays,
  server_lies,
  legacy_clients,
  legacy_clock_skew,
  legacy_wall_step,
  // Of those who wait in line; drawn apart from the others.
  listener_reset,
  listener_closed,
  listener_half_open,
  no_channels,
  no_line_keys,
  power_cut,
  count,
};

inline constexpr std::size_t kFaultClasses = static_cast<std::size_t>(FaultClass::count);
inline constexpr auto kFirstLineClass = static_cast<std::size_t>(FaultClass::listener_reset);
[[nodiscard]] constexpr bool is_line_class(FaultClass fault_class) {
  return static_cast<std::size_t>(fault_class) >= kFirstLineClass;
}

// Does a server lose what it had stored?
[[nodiscard]] constexpr bool loses_data(FaultClass fault_class) {
  switch (fault_class) {
    case FaultClass::crash_lose_second_late:
    case FaultClass::crash_lose_all_late:
    case FaultClass::crash_lose_second_at_once:
    case FaultClass::crash_lose_all_at_once:
    case FaultClass::fail_over_lagging:
    case FaultClass::flush_all:
    case FaultClass::eviction:
      return true;
    default:
      return false;
  }
}

enum class Model { inside, outside };

// Which kind of lock a class can be tried with.
enum class Scope { both, quorum, stamp };

struct FaultInfo {
  FaultClass fault_class;
  std::string_view name;  // as --class takes it
  Model model;
  Scope scope;
  std::string_view meaning;
};

[[nodiscard]] const std::array<FaultInfo, kFaultClasses>& fault_table();
[[nodiscard]] inline const FaultInfo& info_of(FaultClass fault_class) {
  return fault_table()[static_cast<std::size_t>(fault_class)];
}
[[nodiscard]] std::optional<FaultClass> fault_class_named(std::string_view name);

// How often each class really happened: a fault that found nothing to strike does not count.
using FaultCounts = std::array<std::uint64_t, kFaultClasses>;

}  // namespace redlock::sim
