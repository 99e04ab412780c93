// What each class of fault does to clients, and what is so from the beginning.
#include "sim/world.hpp"

namespace redlock::sim {

namespace {
using enum FaultClass;
}  // namespace

void World::cut_bytes() {
  constexpr std::uint64_t kRoomMin = 16;
  constexpr std::uint64_t kRoomMost = 400;
  for (const FaultPlan& fault : plan_.faults) {
    if (fault.fault_class == slices) network_.set_slicing(Slicing::pieces);
    if (fault.fault_class == single_bytes) network_.set_slicing(Slicing::single_bytes);
    if (fault.fault_class == reset_on_close) network_.set_resets_on_close();
    if (fault.fault_class != short_writes) continue;
    network_.set_send_room(kRoomMin + fault.amount % (kRoomMost - kRoomMin));
  }
}

// What only shows when it strikes.
void World::count_struck() {
  const auto count = [this](FaultClass fault_class, std::uint64_t times) {
    if (plan_.has(fault_class)) fired(fault_class, times);
  };
  count(slices, network_.slice_count());
  count(single_bytes, network_.slice_count());
  count(short_writes, network_.short_count());
  count(full_send_queue, network_.full_count());
  count(slow_look_up, network_.late_open_count());
  count(failing_look_up, network_.failed_open_count());
  count(no_descriptors, network_.failed_open_count());
  count(reset_on_close, network_.reset_on_close_count());
}

void World::strike_client(const FaultPlan& fault, Client& client, bool begins) {
  const auto span_ns = fault.until_ns - fault.from_ns;
  if (fault.fault_class == reply_at_timeout) return client.set_reply_at_timeout(begins);
  if (fault.fault_class == full_send_queue && !begins) return client.wake();
  if (!begins) return;
  switch (fault.fault_class) {
    case client_pause:
      client.arm_pause(1 + fault.amount % 8, span_ns, fault.amount % 2 == 0);
      break;
    case gives_up:
      client.arm_give_up(1 + fault.amount % 8);
      break;
    case request_end:
      client.arm_request_end(1 + fault.amount % 16);
      break;
    case forks:
      client.arm_fork(1 + fault.amount % 16, fault.amount % 2 == 0);
      break;
    case signals:
      client.interrupt(static_cast<int>(1 + fault.amount % 3));
      break;
    case suspends:
      client.suspend(span_ns);
      break;
    case clean_exit:
      client.arm_exit();
      break;
    case client_kill:
      client.arm_kill(1 + fault.amount % 8, Death::told);
      break;
    case power_cut:
      client.arm_kill(1 + fault.amount % 8, Death::silent);
      break;
    case holder_overstays:
      client.arm_overstay(span_ns);
      break;
    case client_clock_rate:
      client.set_rate(static_cast<std::int64_t>(fault.amount));
      fired(client_clock_rate);
      break;
    case client_wall_step:
    case legacy_wall_step:
      if (!client.alive() || client.legacy() != (fault.fault_class == legacy_wall_step)) break;
      client.step_wall_clock(static_cast<std::int64_t>(fault.amount));
      fired(fault.fault_class);
      break;
    default:
      break;
  }
}

}  // namespace redlock::sim
