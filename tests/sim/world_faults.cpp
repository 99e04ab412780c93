// What each class of fault does to the world.
#include <algorithm>

#include "sim/world.hpp"

namespace redlock::sim {

namespace {

using enum FaultClass;

bool loses_all(FaultClass fault_class) {
  return fault_class == crash_lose_all_late || fault_class == crash_lose_all_at_once;
}

// Over as soon as it has happened.
bool is_moment(FaultClass fault_class) {
  switch (fault_class) {
    case script_flush:
    case flush_all:
    case eviction:
    case fail_over_lagging:
    case server_clock_forward:
    case server_clock_back:
    case server_clock_rate:
    case server_clock_wild:
      return true;
    default:
      return false;
  }
}

bool loses_some(FaultClass fault_class) {
  return fault_class == crash_lose_second_late || fault_class == crash_lose_second_at_once;
}

}  // namespace

// Does a server come to an earlier state of its data?
bool World::goes_back(const Plan& plan) {
  return std::ranges::any_of(plan.faults, [](const FaultPlan& fault) {
    return loses_some(fault.fault_class) || fault.fault_class == fail_over_lagging;
  });
}

void World::take_fault(const FaultPlan& fault, bool begins) {
  if (begins) {
    strike_links(fault);
    strike_connection(fault);
  }
  for (const auto& machine : machines_) {
    if (fault.all_servers || machine->index == fault.server) strike_server(fault, *machine, begins);
  }
  for (std::uint32_t i = 0; i < clients_.size(); ++i) {
    if (fault.all_clients || i == fault.client) strike_client(fault, *clients_[i], begins);
  }
}

// And a queue that is full.
bool World::strikes_opening(FaultClass fault_class) {
  return fault_class == full_send_queue || fault_class == slow_look_up ||
         fault_class == failing_look_up || fault_class == no_descriptors;
}

void World::strike_opening(const FaultPlan& fault, Link& link) {
  switch (fault.fault_class) {
    case full_send_queue:
      link.queue_full_until_ns = fault.until_ns;
      break;
    case slow_look_up:
      link.opens_late_until_ns = fault.until_ns;
      link.opens_late_by_ns = 2 * plan_.timeout_ms * kMs;
      break;
    default:
      link.opens_fail_until_ns = fault.until_ns;
      link.opens_fail_by = fault.fault_class == failing_look_up ? Fault::resolve : Fault::connect;
  }
}

void World::strike_links(const FaultPlan& fault) {
  const bool up = fault.fault_class == stall || fault.fault_class == partition_to_server;
  const bool down = fault.fault_class == stall || fault.fault_class == partition_to_client;
  const bool slow = fault.fault_class == slow_link;
  if (!up && !down && !slow && !strikes_opening(fault.fault_class)) return;
  for (std::uint32_t client = 0; client < clients_.size(); ++client) {
    for (std::uint32_t server = 0; server < machines_.size(); ++server) {
      if (!fault.all_clients && client != fault.client) continue;
      if (!fault.all_servers && server != fault.server) continue;
      Link& link = network_.link(client, server);
      if (up) link.blocked_until_ns[kUp] = fault.until_ns;
      if (down) link.blocked_until_ns[kDown] = fault.until_ns;
      if (strikes_opening(fault.fault_class)) strike_opening(fault, link);
      if (!slow) continue;
      link.slow_until_ns = fault.until_ns;
      link.slow_by_ns = static_cast<std::int64_t>(fault.amount);
    }
  }
  // Those fire when somebody writes or connects.
  if (!strikes_opening(fault.fault_class)) fired(fault.fault_class);
  if (Story* story = trace_.story()) {
    const std::string name(info_of(fault.fault_class).name);
    story->spans.push_back({fault.from_ns, fault.until_ns, true, fault.server, true, name});
    trace_.note(now_ns_, "fault: " + name + " between client " + std::to_string(fault.client) +
                             " and server " + std::to_string(fault.server));
  }
}

// Of those that stand, any; or one that listens.
bool World::strikes_connection(const FaultPlan& fault, const Connection& connection) {
  if (connection.client_side != ClientSide::connected || !connection.server_side) return false;
  switch (fault.fault_class) {
    case reset_at_byte:
    case half_open:
    case server_closes:
      return true;
    case listener_reset:
    case listener_half_open:
    case listener_closed:
      return !connection.session.channels.empty() && !connection.silent;
    default:
      return false;
  }
}

// As an ACL does that takes away their channels.
void World::drop_listeners(Machine& machine) {
  for (std::uint32_t i = 0; i < network_.connection_count(); ++i) {
    Connection& connection = network_.connection(i);
    const bool listens = connection.server_side && !connection.session.channels.empty();
    if (connection.server != machine.index || !listens) continue;
    connection.server_side = false;
    checker_.struck(connection.client, connection.server);
    network_.end_down(connection);
  }
}

void World::strike_connection(const FaultPlan& fault) {
  const FaultClass what = fault.fault_class;
  // From a drawn one on, the first that stands.
  const std::uint32_t count = network_.connection_count();
  for (std::uint32_t i = 0; i < count; ++i) {
    Connection& connection = network_.connection((fault.client + i) % count);
    if (!strikes_connection(fault, connection)) continue;
    if (what == half_open || what == listener_half_open) {
      connection.silent = true;
    } else if (what == server_closes || what == listener_closed) {
      connection.server_side = false;
      network_.end_down(connection);
    } else {
      const bool pushed = what == listener_reset;
      Pipe& pipe = fault.amount % 2 == 0 && !pushed ? connection.up : connection.down;
      pipe.reset_after = pipe.delivered + 1 + fault.amount % 150;
    }
    checker_.struck(connection.client, connection.server);
    trace_.note(now_ns_, "fault: " + std::string(info_of(what).name) + " between client " +
                             std::to_string(connection.client) + " and server " +
                             std::to_string(connection.server));
    return fired(what);
  }
}

void World::strike_server(const FaultPlan& fault, Machine& machine, bool begins) {
  Conditions& conditions = machine.server.conditions();
  const std::uint64_t fired_before = fired_[static_cast<std::size_t>(fault.fault_class)];
  switch (fault.fault_class) {
    case loading:
      conditions.loading = begins;
      break;
    case out_of_memory:
      conditions.out_of_memory = begins;
      break;
    case read_only:
      conditions.read_only = begins;
      break;
    case busy:
      conditions.busy = begins;
      break;
    case cannot_save:
      conditions.cannot_save = begins;
      break;
    case no_permission:
      conditions.no_permission = begins;
      break;
    case no_channels:
      conditions.no_channels = begins;
      if (begins) drop_listeners(machine);
      break;
    case no_line_keys:
      conditions.no_line_keys = begins;
      break;
    case too_many_clients:
      conditions.too_many_clients = begins;
      if (begins) drop_connections(machine, true);
      break;
    case refused_select:
      conditions.no_select = begins;
      if (begins) drop_connections(machine, true);
      break;
    case no_auth:
      // Those that stand keep their rights; so some must come anew.
      conditions.password = begins ? "changed" : plan_.password ? "secret" : "";
      drop_connections(machine, true);
      break;
    default:
      if (!begins) return;
      strike_clock(fault, machine);
      if (!strike_data(fault, machine)) return;
      break;
  }
  Story* story = trace_.story();
  if (story == nullptr || !begins) return;
  const std::string name(info_of(fault.fault_class).name);
  const bool struck = fired_[static_cast<std::size_t>(fault.fault_class)] != fired_before;
  if (struck)
    trace_.note(now_ns_, "fault: " + name + " on server " + std::to_string(machine.index));
  if (!struck && is_moment(fault.fault_class)) return;
  const std::int64_t until_ns = is_moment(fault.fault_class) ? fault.from_ns : fault.until_ns;
  story->spans.push_back({fault.from_ns, until_ns, true, machine.index, true, name});
}

// False: the class has nothing to do with servers.
bool World::strike_data(const FaultPlan& fault, Machine& machine) {
  switch (fault.fault_class) {
    case crash_keep:
    case crash_lose_second_late:
    case crash_lose_all_late:
    case machine_down:
    case crash_lose_second_at_once:
    case crash_lose_all_at_once:
      crash(fault, machine);
      return true;
    case stop_resume:
    case command_pause:
      fired(fault.fault_class);
      freeze(machine, fault.until_ns);
      return true;
    case script_flush:
      machine.server.forget_scripts();
      break;
    case fail_over_lagging:
      machine.server.keyspace().roll_back(now_ns_ - static_cast<std::int64_t>(fault.amount));
      machine.server.forget_scripts();
      drop_connections(machine, true);
      break;
    case flush_all:
    case eviction:
      if (machine.server.keyspace().entries().empty()) return true;
      machine.server.keyspace().clear();
      break;
    case server_clock_rate:
    case server_clock_forward:
    case server_clock_back:
    case server_clock_wild:
      break;
    case hostile_type:
    case hostile_oversized:
    case hostile_nested:
    case hostile_garbage:
    case hostile_extra:
    case hostile_missing:
    case server_lies:
      machine.hostile = fault.fault_class;
      machine.hostile_until_ns = fault.until_ns;
      return true;
    default:
      return false;
  }
  fired(fault.fault_class);
  return true;
}

void World::strike_clock(const FaultPlan& fault, Machine& machine) {
  const auto amount = static_cast<std::int64_t>(fault.amount);
  switch (fault.fault_class) {
    case server_clock_rate:
    case server_clock_wild:
      machine.clock.set_rate(now_ns_, amount);
      break;
    case server_clock_forward:
      machine.clock.step(now_ns_, amount);
      break;
    case server_clock_back:
      machine.clock.step(now_ns_, -amount);
      break;
    default:
      break;
  }
}

void World::crash(const FaultPlan& fault, Machine& machine) {
  if (machine.state != ServerState::running) return;
  fired(fault.fault_class);
  const bool silent = fault.fault_class == machine_down;
  machine.state = silent ? ServerState::silent : ServerState::refusing;
  machine.frozen_until_ns = 0;
  machine.crashed_ns = now_ns_;
  if (loses_all(fault.fault_class)) machine.server.keyspace().clear();
  if (loses_some(fault.fault_class)) {
    const std::int64_t to_ns = now_ns_ - static_cast<std::int64_t>(fault.amount);
    machine.server.keyspace().roll_back(to_ns);
    checker_.went_back(machine.index, to_ns);
  }
  machine.server.keyspace().drop_journal();
  machine.server.forget_scripts();
  drop_connections(machine, !silent);
  if (loses_all(fault.fault_class) || loses_some(fault.fault_class)) {
    checker_.server(machine.index).down_until_ns = votes_from_ns(fault, machine);
  }
  queue_.add(fault.until_ns, EventKind::server_start, machine.index, ++machine.incarnation);
}

// A guard gives it no vote before it has been up for that long by its own clock.
std::int64_t World::votes_from_ns(const FaultPlan& fault, const Machine& machine) const {
  if (!plan_.guarded) return fault.until_ns;
  return machine.clock.when(machine.clock.at(fault.until_ns) + plan_.guarded_ms() * kMs);
}

void World::begin_life(Machine& machine) {
  machine.server.begin_life(machine.clock.at(now_ns_), std::to_string(machine.index) + "-" +
                                                           std::to_string(machine.incarnation));
}

void World::restart(Machine& machine, std::uint64_t incarnation) {
  if (incarnation != machine.incarnation) return;
  machine.state = ServerState::running;
  begin_life(machine);
  trace_.note(now_ns_, "server " + std::to_string(machine.index) + " is up again");
}

void World::drop_connections(Machine& machine, bool tell) {
  for (std::uint32_t i = 0; i < network_.connection_count(); ++i) {
    Connection& connection = network_.connection(i);
    if (connection.server != machine.index || !connection.server_side) continue;
    connection.server_side = false;
    checker_.struck(connection.client, connection.server);
    connection.unread.clear();
    if (tell) network_.end_down(connection);
  }
}

void World::freeze(Machine& machine, std::int64_t until_ns) {
  machine.frozen_until_ns = std::max(machine.frozen_until_ns, until_ns);
  queue_.add(machine.frozen_until_ns, EventKind::server_thaw, machine.index);
}

// Reads what has piled up, connection by connection from a drawn one on.
void World::thaw(Machine& machine) {
  if (now_ns_ < machine.frozen_until_ns) return;
  const std::uint32_t count = network_.connection_count();
  if (count == 0) return;
  const auto first = static_cast<std::uint32_t>(random_.below(count));
  for (std::uint32_t i = 0; i < count; ++i) {
    Connection& connection = network_.connection((first + i) % count);
    if (connection.server != machine.index || !connection.server_side) continue;
    if (!connection.unread.empty()) {
      const std::string bytes = std::move(connection.unread);
      connection.unread.clear();
      connection.written_ns = 0;
      execute(machine, connection, bytes);
    }
    if (!connection.unread_end) continue;
    note_end(connection);
    connection.server_side = false;
  }
}

void World::count_refusal(Machine& machine, std::string_view answer) {
  const Conditions& conditions = machine.server.conditions();
  if (conditions.loading && answer.starts_with("-LOADING")) fired(loading);
  if (conditions.out_of_memory && answer.starts_with("-OOM")) fired(out_of_memory);
  if (conditions.read_only && answer.starts_with("-READONLY")) fired(read_only);
  if (conditions.busy && answer.starts_with("-BUSY")) fired(busy);
  if (conditions.cannot_save && answer.find("MISCONF") != answer.npos) fired(cannot_save);
  if (conditions.no_permission && answer.starts_with("-NOPERM")) fired(no_permission);
  if (conditions.no_channels && answer.find("channel") != answer.npos) fired(no_channels);
  if (conditions.no_line_keys && answer.find("keys mentioned") != answer.npos) fired(no_line_keys);
  if (conditions.no_select && answer.find("'select'") != answer.npos) fired(refused_select);
  if (answer.starts_with("-NOAUTH") || answer.starts_with("-WRONGPASS")) fired(no_auth);
}

}  // namespace redlock::sim
