// What the clients say to the servers, and what becomes of it.
#include "exhaustive/renewal_world.hpp"

namespace redlock::exhaustive {

void RenewalWorld::list_wires(std::vector<Move>& moves) const {
  using Kind = Move::Kind;
  const auto may = [&](bool so, Kind kind, std::size_t server) {
    if (so) moves.push_back({kind, static_cast<std::uint8_t>(server)});
  };
  for (std::size_t i = 0; i < kAskedServers; ++i) {
    may(!renewal_threads_[i].to_server.empty(), Kind::renewal_thread_serve, i);
    // Between the end of an extend and the repair that it leads to the renewal thread does nothing
    // else.
    may(!renewal_threads_[i].answers.empty() && to_be_repaired_ == 0, Kind::renewal_thread_hear, i);
    may(!owners_[i].to_server.empty(), Kind::owner_serve, i);
    may(!owners_[i].answers.empty(), Kind::owner_hear, i);
    may(!waiters_[i].to_server.empty(), Kind::waiter_serve, i);
    may(!waiters_[i].answers.empty(), Kind::waiter_hear, i);
    const bool busy =
        !renewal_threads_[i].to_server.empty() || !renewal_threads_[i].answers.empty();
    may(cuts_ > 0 && busy, Kind::cut, i);
  }
  for (std::size_t i = 0; i < late_.size(); ++i) {
    may(true, Kind::late, i);
    may(true, Kind::lost_late, i);
  }
}

void RenewalWorld::begin(Call& call, Asked::Kind kind, int by, Wires& wires, Who who,
                         unsigned nodes) {
  static constexpr std::array kWhats{What::remove, What::take, What::extend, What::repair};
  call.asked.begin(kind, by, now_, nodes);
  ++call.number;
  // Numbers of repairs are odd: the renewal thread tells its two calls' answers apart.
  if (&call == &repair_ || &call == &extend_) ++call.number;
  for (std::size_t i = 0; i < kAskedServers; ++i) {
    if (!call.asked.asks(i)) continue;
    send(wires, i, {kWhats[static_cast<std::size_t>(kind)], who, by, call.number});
  }
}

void RenewalWorld::undo(const Call& call, Wires& wires, Who who, Operation& machine) {
  while (const auto request = machine.next_request()) {
    const std::size_t server = request->node.value();
    if (call.asked.asks(server)) send(wires, server, {What::remove, who, 0, 0});
  }
}

// A server that is away has no memory either: what is to be removed there is gone.
void RenewalWorld::send(Wires& wires, std::size_t server, const Said& said) const {
  if (servers_[server].away == 0) return wires[server].to_server.push_back(said);
  if (said.number != 0) wires[server].answers.push_back({said.number, Asked::Said::not_reached});
}

void RenewalWorld::serve(Wire& wire, std::size_t server) {
  const Said said = wire.to_server.front();
  wire.to_server.erase(wire.to_server.begin());
  const Asked::Said answer = execute(said, server);
  if (said.number != 0) wire.answers.push_back({said.number, answer});
}

Asked::Said RenewalWorld::execute(const Said& said, std::size_t place) {
  Server& server = servers_[place];
  const bool own = server.holder == said.who;
  const bool free = server.holder == Who::nobody;
  switch (said.what) {
    case What::remove:
      if (own) server = Server{};
      return Asked::Said::granted;
    case What::extend:
      if (own) server.left = std::max(server.left, said.by);
      return own ? Asked::Said::granted : Asked::Said::denied;
    default:
      if (!free && !(settings_->repairs_over && said.what == What::repair)) {
        return Asked::Said::denied;
      }
      server.holder = said.who;
      server.left = said.by;
      server.stray = false;
      return Asked::Said::granted;
  }
}

void RenewalWorld::forget_unwanted() {
  for (Wires* wires : {&renewal_threads_, &owners_, &waiters_}) {
    for (Wire& wire : *wires) {
      std::erase_if(wire.answers, [this, wires](const Heard& heard) {
        if (wires == &waiters_) return !awaits(take_, heard.number);
        if (wires == &owners_) return !awaits(own_, heard.number);
        return !awaits(extend_, heard.number) && !awaits(repair_, heard.number);
      });
    }
  }
}

void RenewalWorld::lose_memory(std::size_t place) {
  --losses_;
  servers_[place] = Server{};
  if (!settings_->back_at_once) servers_[place].away = settings_->terms.ttl;
  for (Wires* wires : {&renewal_threads_, &owners_, &waiters_}) {
    Wire& wire = (*wires)[place];
    for (const Said& said : wire.to_server) {
      if (said.number != 0) wire.answers.push_back({said.number, Asked::Said::cut_off});
    }
    wire.to_server.clear();
  }
}

// What was on its way may come late, or never. Removals are said again on the next connection.
void RenewalWorld::cut(std::size_t place) {
  --cuts_;
  Wire& wire = renewal_threads_[place];
  std::vector<Said> again;
  wire.answers.clear();
  for (const Said& said : wire.to_server) {
    if (said.what == What::remove) {
      again.push_back(said);
    } else {
      late_.emplace_back(static_cast<std::uint8_t>(place), said);
    }
  }
  wire.to_server = std::move(again);
  for (const Call* call : {&extend_, &repair_}) {
    const Asked& asked = call->asked;
    if (!asked.running() || !asked.asks(place) || asked.heard(place)) continue;
    wire.answers.push_back({call->number, Asked::Said::cut_off});
  }
}

}  // namespace redlock::exhaustive
