// The loop, the servers' machines and the end of a schedule.
#include "sim/world.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/breaches.hpp"
#include "sim/legacy_client.hpp"
#include "sim/native_client.hpp"
#include "sim/sharing_client.hpp"
#include "sim/world_time.hpp"

namespace redlock::sim {

namespace {

// Longer than the longest back-off of the production code.
constexpr std::int64_t kQuietNs = 300 * kMs;
// What a server may be older than it tells, twice, and a look apart.
constexpr std::int64_t kUptimeRoundsMs = 4'000;
// A little more than what clients are told.
constexpr std::int64_t kForgottenAfterNs = kStaleNs + kStaleNs / 10;

bool greets(const Arguments& arguments) {
  return equals_ignoring_case(arguments.front(), "auth") ||
         equals_ignoring_case(arguments.front(), "client");
}

Origin origin_of(const Connection& connection) {
  return {connection.client, connection.server, connection.id, connection.written_ns};
}

std::vector<ServerView> no_views(const Plan& plan) { return std::vector<ServerView>(plan.servers); }

std::int64_t quiet_from(const Plan& plan) {
  std::int64_t healed = kHorizonNs;
  for (const FaultPlan& fault : plan.faults) healed = std::max(healed, fault.until_ns);
  return healed + plan.drifted_ns(plan.longest_ttl_ms() * kMs) + kQuietNs;
}

// No schedule may last longer.
std::int64_t schedule_max_ns(const Plan& plan) {
  constexpr std::int64_t kShortNs = 3'600'000 * kMs;
  constexpr std::int64_t kLeases = 100;
  return quiet_from(plan) + kShortNs + kLeases * plan.longest_ttl_ms() * kMs;
}

}  // namespace

World::Machine::Machine(World& owner, std::uint32_t position, std::int64_t rate_ppm)
    : world(owner), index(position), clock(kWallStartNs, rate_ppm), server(owner.engine_) {
  server.observe(&owner);
  server.push_to(&owner);
  // It was there long before.
  server.begin_life(0, std::to_string(position));
  server.keyspace().observe(this);
  if (goes_back(owner.plan_)) server.keyspace().keep_journal();
  if (owner.plan_.password) server.conditions().password = "secret";
}

void World::Machine::key_changes(const Entry* before, const Entry* after) {
  std::optional<std::uint32_t> client;
  if (const ServerSession* session = server.executing()) {
    client = world.network_.connection(static_cast<std::uint32_t>(session->id)).client;
  }
  world.checker_.key_changes(client, index, before, after);
}

World::World(std::uint64_t seed, const Plan& plan, memory::ScriptEngine& engine, Trace& trace)
    : plan_(plan),
      trace_(trace),
      engine_(engine),
      random_(mix64(seed + 2)),
      fired_(plan.fired_at_start),
      network_(*this, queue_, trace, now_ns_, mix64(seed + 3),
               static_cast<std::uint32_t>(plan.clients.size()), plan.servers),
      checker_(plan, no_views(plan)),
      removals_(plan),
      scene_{plan,     queue_,    network_,
             checker_, removals_, trace,
             now_ns_,  fired_,    [this](std::int64_t until_ns) { return pump(until_ns); }},
      schedule_max_ns_(schedule_max_ns(plan)) {
  checker_.watch(network_);
  if (plan.has(FaultClass::forgetful_network)) network_.set_forgets_after(kForgottenAfterNs);
  cut_bytes();
  for (std::uint32_t i = 0; i < plan.servers; ++i) {
    Machine& machine =
        *machines_.emplace_back(std::make_unique<Machine>(*this, i, plan.server_rates_ppm[i]));
    checker_.server(i) = {&machine.server.keyspace(), &machine.clock, 0,
                          &machine.server.conditions()};
  }
  for (std::uint32_t client = 0; client < plan.clients.size(); ++client) {
    for (std::uint32_t server = 0; server < plan.servers; ++server) {
      Link& link = network_.link(client, server);
      link.delay_low_ns = plan.delay_low_ns;
      link.delay_high_ns = plan.delay_high_ns;
    }
    const std::uint64_t client_seed = mix64(seed + 100 + client);
    clients_.push_back(plan.clients[client].legacy ? make_legacy_client(scene_, client, client_seed)
                       : plan.admits_several() ? make_sharing_client(scene_, client, client_seed)
                                               : make_native_client(scene_, client, client_seed));
  }
  for (std::uint32_t i = 0; i < plan.faults.size(); ++i) {
    queue_.add(plan.faults[i].from_ns, EventKind::fault, i, 1);
    queue_.add(plan.faults[i].until_ns, EventKind::fault, i, 0);
  }
  if (plan.crowd) queue_.add(plan.crowd->at_ns, EventKind::crowd, plan.crowd->client);
  healed_ns_ = quiet_from(plan);
  queue_.add(healed_ns_, EventKind::probe, 0);
}

void World::take_next() {
  const Event event = queue_.pop();
  now_ns_ = event.at_ns;
  checker_.set_now(now_ns_);
  ++events_;
  trace_.fold(static_cast<std::uint64_t>(now_ns_),
              static_cast<std::uint64_t>(event.kind) << 32U | event.subject);
  take(event);
  checker_.after_event();
}

// For a process that does nothing but wait.
bool World::pump(std::int64_t until_ns) {
  const bool busy = !queue_.empty() && events_ <= kEventsMax;
  if (busy && queue_.next_ns() <= std::min(until_ns, schedule_max_ns_)) {
    take_next();
    return true;
  }
  if (until_ns == kForever) return false;
  now_ns_ = std::max(now_ns_, until_ns);
  checker_.set_now(now_ns_);
  return false;
}

ScheduleResult World::run() {
  while (!queue_.empty()) {
    if (queue_.next_ns() > schedule_max_ns_ || events_ > kEventsMax) {
      checker_.report(ViolationKind::endless, "the schedule does not come to an end");
      break;
    }
    take_next();
  }
  count_struck();
  ScheduleResult result;
  result.hash = trace_.hash();
  result.model = plan_.model;
  result.violations = checker_.violations();
  std::ranges::copy_if(
      result.violations, std::back_inserter(result.failures),
      [this](const Violation& violation) { return !is_expected(violation.kind, plan_); });
  result.fired = fired_;
  result.events = events_;
  result.grants = checker_.grant_count();
  result.judged = checker_.judged();
  result.several = trace_.several();
  result.lines = checker_.line_counts();
  return result;
}

void World::take(const Event& event) {
  switch (event.kind) {
    case EventKind::connect:
    case EventKind::deliver_up:
    case EventKind::deliver_down:
      return network_.take(event);
    case EventKind::client_turn:
      return clients_[event.subject]->take_turn(event.at_ns);
    case EventKind::fault:
      return take_fault(plan_.faults[event.subject], event.detail == 1);
    case EventKind::server_thaw:
      return thaw(*machines_[event.subject]);
    case EventKind::server_start:
      return restart(*machines_[event.subject], event.detail);
    case EventKind::undo_check:
      return check_undone(*clients_[event.subject], event);
    case EventKind::probe:
      return begin_probe();
    case EventKind::crowd:
      return clients_[event.subject]->arm_crowd();
  }
}

// Only while the client has rested, or been gone, all the time since: nothing of it is under way.
void World::check_undone(Client& client, const Event& event) {
  const auto resource = static_cast<std::uint32_t>(event.detail % kResourcesMax);
  const bool rests = client.alive() && client.idle(resource);
  if (!client.exited() && !rests) return;
  if (client.rests(resource) != event.detail / kResourcesMax) return;
  // What its own turns took since it came to rest kept its removals waiting.
  const std::int64_t late_ns = client.take_steps_since_rest(resource);
  if (late_ns > 0) return queue_.add(now_ns_ + late_ns, event.kind, event.subject, event.detail);
  checker_.check_undone({event.subject, resource}, client.gave_up_connection());
}

bool World::settled() const {
  return std::ranges::all_of(
      clients_, [](const auto& client) { return !client->alive() || client->finished(); });
}

// With all servers up and every lock expired, whoever is left must get the lock.
void World::begin_probe() {
  const std::int64_t longest_ns = plan_.longest_ttl_ms() * kMs;
  if (!settled()) return queue_.add(now_ns_ + kQuietNs + longest_ns / 8, EventKind::probe, 0);
  // Whoever was last may hold its lock until it expires.
  if (healed_ns_ != 0) {
    healed_ns_ = 0;
    std::int64_t again = now_ns_ + kQuietNs + plan_.drifted_ns(longest_ns) * 2;
    // Whoever could not leave a line is not heard of any more by then.
    // Whoever began anew has no vote before, and counts in whole seconds.
    if (plan_.guarded) again += plan_.drifted_ns((plan_.guarded_ms() + kUptimeRoundsMs) * kMs);
    if (plan_.has_lines()) again += plan_.drifted_ns(kLineMs * kMs);
    return queue_.add(again, EventKind::probe, 0);
  }
  checker_.final_attempt();
  network_.heal();
  for (const auto& client : clients_) client->disarm();
  for (const auto& client : clients_) {
    if (client->begin_probe()) return;
  }
}

Reachable World::server_reachable(std::uint32_t server) {
  switch (machines_[server]->state) {
    case ServerState::running:
      return Reachable::yes;
    case ServerState::refusing:
      return Reachable::refused;
    case ServerState::silent:
      break;
  }
  return Reachable::silent;
}

void World::server_accepts(Connection& connection) {
  Server& server = machines_[connection.server]->server;
  connection.session = server.accept(connection.id);
  if (!server.conditions().too_many_clients) return;
  fired(FaultClass::too_many_clients);
  checker_.turned_away(connection.client, connection.server);
  network_.send_down(connection, "-ERR max number of clients reached\r\n");
  connection.server_side = false;
  network_.end_down(connection);
}

void World::server_receives(Connection& connection, std::string_view bytes) {
  Machine& machine = *machines_[connection.server];
  if (now_ns_ < machine.frozen_until_ns) {
    connection.unread.append(bytes);
    return;
  }
  execute(machine, connection, bytes);
}

void World::execute(Machine& machine, Connection& connection, std::string_view bytes) {
  machine.server.set_time(machine.clock.at(now_ns_), now_ns_);
  answers_.clear();
  machine.server.receive(connection.session, bytes, answers_);
  network_.send_down(connection, answers_);
  if (!connection.session.closed || !connection.server_side) return;
  connection.server_side = false;
  network_.end_down(connection);
}

void World::server_sees_end(Connection& connection) {
  if (now_ns_ < machines_[connection.server]->frozen_until_ns) {
    connection.unread_end = true;
  } else {
    note_end(connection);
    connection.server_side = false;
  }
}

void World::note_end(const Connection& connection) {
  const Client& client = *clients_[connection.client];
  if (!client.alive() && !client.exited()) return;
  const std::string complaint = removals_.ended(origin_of(connection), connection.taken);
  if (!complaint.empty()) checker_.report(ViolationKind::removal_lost, complaint);
}

void World::client_ready(std::uint32_t client) { clients_[client]->wake(); }

std::int64_t World::client_deadline_ns(std::uint32_t client) {
  const std::int64_t deadline = clients_[client]->deadline_ns();
  if (deadline > now_ns_) fired(FaultClass::reply_at_timeout);
  return deadline;
}

std::int64_t World::client_sends_from_ns(std::uint32_t client) {
  // Clients open connections while they are being made.
  return client < clients_.size() ? clients_[client]->sends_from_ns() : 0;
}

bool World::push(std::uint64_t session, std::string_view bytes) {
  Connection& connection = network_.connection(static_cast<std::uint32_t>(session));
  if (!connection.server_side) return false;
  network_.send_down(connection, bytes);
  return true;
}

void World::published(std::string_view channel, std::string_view message, std::int64_t receivers) {
  checker_.published(channel, message, receivers);
}

void World::command_begins(const ServerSession& session, const Arguments& arguments) {
  const Connection& connection = network_.connection(static_cast<std::uint32_t>(session.id));
  deed_ = deed_of(arguments);
  if (deed_.verb == Verb::count) return;
  checker_.command_begins(origin_of(connection), deed_);
}

void World::command_executed(const ServerSession& session, const Arguments& arguments,
                             std::string& answer) {
  Connection& connection = network_.connection(static_cast<std::uint32_t>(session.id));
  Machine& machine = *machines_[connection.server];
  const Deed deed = std::exchange(deed_, {});
  if (plan_.crowd && machine.index == plan_.crowd->server && deed.verb == Verb::release &&
      deed.token.starts_with(kCrowdToken)) {
    ++trace_.several().crowd_arrived;
  }
  if (deed.verb != Verb::count) {
    checker_.command_executed(origin_of(connection), deed, answer);
    // Behind an answer that was not meant the next one looks like that to SELECT.
    const bool elsewhere = session.database != plan_.database && !connection.spoiled;
    if (elsewhere && answer.front() != '-') {
      checker_.report(ViolationKind::wrong_database, "client " + std::to_string(connection.client) +
                                                         " is served in database " +
                                                         std::to_string(session.database));
    }
  }
  if (arguments.front() == "SUBSCRIBE") {
    checker_.asked_to_be_heard(connection.client, connection.server, answer);
  }
  if (answer.front() == '-') count_refusal(machine, answer);
  if (answer.starts_with("-WRONGPASS")) {
    connection.unaccepted_ns = now_ns_;
    checker_.turned_away(connection.client, connection.server);
  }
  connection.left_soon = connection.left_soon || answer.starts_with("-READONLY");
  auto told = RemovalWatch::Told::served;
  if (answer.starts_with("-NOSCRIPT")) {
    // What a replica says of a removal ends nothing: it goes on the connection that follows.
    told = connection.left_soon ? RemovalWatch::Told::nothing : RemovalWatch::Told::no_script;
  }
  if (now_ns_ < machine.hostile_until_ns && spoil(machine, arguments, answer)) {
    connection.spoiled = true;
    const bool left_out = answer.empty() && told == RemovalWatch::Told::no_script;
    if (left_out) told = RemovalWatch::Told::nothing;
    // Whom nonsense is said to for a greeting has been refused.
    if (greets(arguments)) connection.unaccepted_ns = now_ns_;
  }
  connection.note_answer(answer.size());
  if (deed.verb == Verb::count) return;
  const std::string lost = removals_.executed(origin_of(connection), deed, told);
  if (!lost.empty()) checker_.report(ViolationKind::removal_lost, lost);
}

ScheduleResult run_schedule(std::uint64_t seed, const PlanWishes& wishes,
                            memory::ScriptEngine& engine, Story* story) {
  const Plan plan = draw_plan(seed, wishes);
  Trace trace(story);
  if (story != nullptr) {
    story->clients = static_cast<std::uint32_t>(plan.clients.size());
    story->servers = plan.servers;
  }
  World world(seed, plan, engine, trace);
  ScheduleResult result = world.run();
  for (const FaultPlan& fault : plan.faults) {
    if (info_of(fault.fault_class).model == Model::outside) {
      result.outside_class = fault.fault_class;
    }
  }
  if (story != nullptr) {
    for (const Violation& violation : result.violations) {
      story->violations.push_back(
          {violation.at_ns, std::string(name_of(violation.kind)) + ": " + violation.text});
    }
  }
  return result;
}

}  // namespace redlock::sim
