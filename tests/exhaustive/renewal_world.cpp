// The moves, B, time, and what must hold.
#include "exhaustive/renewal_world.hpp"

#include <algorithm>

#include "exhaustive/machine_operation.hpp"

namespace redlock::exhaustive {

namespace {

// Of what a server promised, for its clock.
constexpr int kDrift = 1;

Renewal taken_at_the_beginning(const RenewalSettings& settings) {
  CountingEntropy entropy;
  const int ttl = settings.terms.ttl;
  return {{span_of(ttl), span_of(settings.renew_max)},
          instant_of(0),
          instant_of(ttl - kDrift),
          entropy};
}

}  // namespace

RenewalWorld::RenewalWorld(const RenewalSettings& settings)
    : settings_(&settings),
      renewal_(taken_at_the_beginning(settings)),
      tries_(settings.tries),
      extends_(settings.extends),
      losses_(settings.losses),
      cuts_(settings.cuts) {
  servers_.fill({Who::a, settings.terms.ttl, 0, false});
  if (settings.forgotten) servers_.front() = Server{};
  valid_until_ = renewal_.valid_until();
  repair_.number = 1;
}

std::vector<RenewalWorld::Move> RenewalWorld::moves() const {
  using Kind = Move::Kind;
  std::vector<Move> moves;
  const auto may = [&](bool so, Kind kind, std::size_t server = 0) {
    if (so) moves.push_back({kind, static_cast<std::uint8_t>(server)});
  };
  list_wires(moves);
  may(to_be_repaired_ == 0 && renewal_thread_has_a_turn(), Kind::renewal_thread_turn);
  may(to_be_repaired_ != 0, Kind::renewal_thread_repair);
  may(settings_->releases && trusts(), Kind::release);
  may(extends_ > 0 && trusts() && !own_.asked.running(), Kind::owner_extend);
  may(own_.asked.overdue(settings_->terms, now_), Kind::owner_turn);
  may(!holding_ && !take_.asked.running() && tries_ > 0, Kind::try_take);
  may(take_.asked.overdue(settings_->terms, now_), Kind::waiter_turn);
  may(holding_, Kind::waiter_release);
  for (std::size_t i = 0; i < kAskedServers; ++i) {
    const Server& server = servers_[i];
    may(server.holder != Who::nobody && server.left <= kDrift, Kind::end_early, i);
    may(losses_ > 0 && server.away == 0, Kind::lose_memory, i);
  }
  may(now_ < settings_->ticks, Kind::tick);
  return moves;
}

void RenewalWorld::act(const Move& move) {
  const std::size_t server = move.server;
  switch (move.kind) {
    case Move::Kind::tick:
      return tick();
    case Move::Kind::end_early:
      servers_[server] = Server{};
      return;
    case Move::Kind::lose_memory:
      return lose_memory(server);
    case Move::Kind::cut:
      return cut(server);
    case Move::Kind::late:
    case Move::Kind::lost_late: {
      const auto [place, said] = late_[server];
      late_.erase(late_.begin() + move.server);
      if (move.kind == Move::Kind::lost_late || servers_[place].away > 0) return;
      const bool repaired =
          execute(said, place) == Asked::Said::granted && said.what == What::repair;
      if (repaired) servers_[place].stray = true;
      return;
    }
    case Move::Kind::renewal_thread_serve:
      return serve(renewal_threads_[server], server);
    case Move::Kind::renewal_thread_hear:
      return renewal_thread_hear(server);
    case Move::Kind::renewal_thread_turn:
      return renewal_thread_turn();
    case Move::Kind::renewal_thread_repair:
      return repair();
    case Move::Kind::release:
      lease_deadline_ = LeaseDeadline::released;
      for (std::size_t i = 0; i < kAskedServers; ++i) {
        send(owners_, i, {What::remove, Who::a, 0, 0});
      }
      return;
    case Move::Kind::owner_serve:
      return serve(owners_[server], server);
    case Move::Kind::owner_extend:
      --extends_;
      return begin(own_, Asked::Kind::extend, settings_->terms.ttl, owners_, Who::a);
    case Move::Kind::owner_hear:
      hear(own_, owners_[server], server);
      return owner_decides();
    case Move::Kind::owner_turn:
      return owner_decides();
    case Move::Kind::try_take:
      --tries_;
      return begin(take_, Asked::Kind::take, settings_->terms.ttl, waiters_, Who::b);
    case Move::Kind::waiter_serve:
      return serve(waiters_[server], server);
    case Move::Kind::waiter_hear:
      hear(take_, waiters_[server], server);
      return waiter_decides();
    case Move::Kind::waiter_turn:
      return waiter_decides();
    case Move::Kind::waiter_release:
      holding_ = false;
      for (std::size_t i = 0; i < kAskedServers; ++i) {
        send(waiters_, i, {What::remove, Who::b, 0, 0});
      }
      return;
  }
}

void RenewalWorld::waiter_decides() {
  if (!take_.asked.running()) return;
  const auto machine = take_.asked.machine(settings_->terms);
  if (take_.asked.overdue(settings_->terms, now_)) machine->on_time(instant_of(now_));
  undo(take_, waiters_, Who::b, *machine);
  const Outcome* const outcome = machine->outcome();
  if (outcome == nullptr) return;
  holding_ = outcome->decision == Decision::granted;
  if (holding_) holds_until_ = outcome->decided_at + outcome->validity;
  taken_over_ = taken_over_ || holding_;
  take_.asked.end();
}

void RenewalWorld::owner_decides() {
  const auto machine = own_.asked.machine(settings_->terms);
  if (own_.asked.overdue(settings_->terms, now_)) machine->on_time(instant_of(now_));
  const Outcome* const outcome = machine->outcome();
  if (outcome == nullptr) return;
  own_.asked.end();
  if (outcome->decision != Decision::granted || !trusts()) return;
  extended_ = true;
  valid_until_ = std::max(valid_until_, outcome->decided_at + outcome->validity);
}

void RenewalWorld::tick() {
  ++now_;
  for (Server& server : servers_) {
    server.away = std::max(0, server.away - 1);
    server.left = std::max(0, server.left - 1);
    if (server.left == 0 && server.holder != Who::nobody) server = Server{};
  }
  if (holding_ && instant_of(now_) >= holds_until_) holding_ = false;
}

// A majority of the servers gives the lock to nobody else for so long.
bool RenewalWorld::kept_for(Who who, int ticks) const {
  const auto keeps = [&](const Server& server) {
    return server.away >= ticks || (server.holder == who && server.left - kDrift >= ticks);
  };
  return 2 * std::ranges::count_if(servers_, keeps) > static_cast<int>(kAskedServers);
}

// Nothing that is on its way, or is still to be done, removes it.
bool RenewalWorld::left_behind(std::size_t place) const {
  const Server& server = servers_[place];
  const bool over = lease_deadline_ == LeaseDeadline::released && gone_ && !repair_.asked.running();
  if (server.holder != Who::a || server.stray || !over) return false;
  const auto removes = [](const Wire& wire) {
    return std::ranges::any_of(wire.to_server,
                               [](const Said& said) { return said.what == What::remove; });
  };
  return !removes(renewal_threads_[place]) && !removes(owners_[place]);
}

std::string RenewalWorld::violation() const {
  const Instant now = instant_of(now_);
  if (trusts() && holding_) return "two clients hold the lock at once";
  if (trusts() && !kept_for(Who::a, ticks_of(valid_until_ - now))) {
    return "a lease is trusted, and no majority keeps its lock for that long";
  }
  if (holding_ && !kept_for(Who::b, ticks_of(holds_until_ - now))) {
    return "a lock is held, and no majority keeps it for that long";
  }
  if (trusts() && valid_until_ > instant_of(settings_->renew_max)) {
    return "a lease is kept for longer than was allowed";
  }
  for (std::size_t i = 0; i < kAskedServers; ++i) {
    if (left_behind(i)) return "a key is left behind, and nothing will remove it";
  }
  return {};
}

std::string RenewalWorld::bytes_of(std::size_t place) const {
  std::string bytes;
  const auto add = [&bytes](auto number) { (bytes += std::to_string(number)) += ','; };
  const auto wanted = [this](std::uint8_t number, const Wires* wires) {
    if (wires == &waiters_) return awaits(take_, number) ? 1 : 0;
    if (wires == &owners_) return awaits(own_, number) ? 1 : 0;
    return awaits(extend_, number) ? 2 : awaits(repair_, number) ? 3 : 0;
  };
  const Server& server = servers_[place];
  add(static_cast<int>(server.holder) + (server.stray ? 4 : 0));
  add(server.left);
  add(server.away);
  for (const Wires* wires : {&renewal_threads_, &owners_, &waiters_}) {
    for (const Said& said : (*wires)[place].to_server) {
      add(static_cast<int>(said.what) * 100 + said.by);
      add(wanted(said.number, wires));
    }
    bytes += ';';
    for (const Heard& heard : (*wires)[place].answers) {
      add(static_cast<int>(heard.said) * 10 + wanted(heard.number, wires));
    }
    bytes += ';';
  }
  for (const auto& [late, said] : late_) {
    if (late == place) add(1000 + static_cast<int>(said.what) * 100 + said.by);
  }
  bytes += extend_.asked.bytes_of(place) + repair_.asked.bytes_of(place);
  bytes += own_.asked.bytes_of(place);
  bytes += take_.asked.bytes_of(place) + ((to_be_repaired_ >> place & 1U) != 0 ? '!' : '|');
  return bytes;
}

// The servers differ in nothing, so their names do not matter.
std::string RenewalWorld::bytes() const {
  std::array<std::string, kAskedServers> servers;
  for (std::size_t i = 0; i < kAskedServers; ++i) servers[i] = bytes_of(i);
  std::ranges::sort(servers);
  std::string bytes;
  const auto add = [&bytes](auto number) { (bytes += std::to_string(number)) += ','; };
  for (const std::string& server : servers) (bytes += server) += '#';
  bytes += extend_.asked.bytes() + '/' + repair_.asked.bytes() + '/' + take_.asked.bytes() + '/';
  bytes += own_.asked.bytes() + '/';
  add(now_);
  add(static_cast<int>(lease_deadline_) * 4 + (gone_ ? 2 : 0) + (holding_ ? 1 : 0));
  add(valid_until_.since_epoch_ns());
  const Renewal::Snapshot renewal = renewal_.snapshot();
  add(renewal.valid_until.since_epoch_ns());
  add(renewal.due.since_epoch_ns());
  add((renewal.under_way ? 2 : 0) + (renewal.denied ? 1 : 0));
  add(repair_by_);
  add(holds_until_.since_epoch_ns());
  add(tries_ * 1000 + extends_ * 100 + losses_ * 10 + cuts_);
  add(repaired_ ? 1 : 0);
  return bytes;
}

std::string RenewalWorld::to_string(const Move& move) {
  static constexpr std::array kWords{"a tick",
                                     "the key ends a tick too early on",
                                     "memory is lost by",
                                     "the renewal_thread's connection is cut to",
                                     "what came late is done:",
                                     "what came late is lost:",
                                     "the renewal_thread is served by",
                                     "the renewal_thread hears",
                                     "the renewal_thread's turn",
                                     "the renewal_thread repairs",
                                     "A releases",
                                     "A's owner is served by",
                                     "A's owner extends",
                                     "A's owner hears",
                                     "A's owner's turn",
                                     "B tries",
                                     "B is served by",
                                     "B hears",
                                     "B's turn",
                                     "B releases"};
  return std::string(kWords[static_cast<std::size_t>(move.kind)]) + " " +
         std::to_string(move.server + 1);
}

}  // namespace redlock::exhaustive
