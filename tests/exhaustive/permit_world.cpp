// Two permits, and what can happen around them.
#include "exhaustive/permit_world.hpp"

#include <algorithm>
#include <utility>

#include "redlock/algorithm/permit.hpp"

namespace redlock::exhaustive {

PermitWorld::PermitWorld(const PermitSettings& settings)
    : settings_(&settings), cuts_(settings.cuts) {
  clients_.resize(settings.clients);
  for (Client& client : clients_) client.calls_left = settings.calls;
}

std::vector<PermitWorld::Move> PermitWorld::moves() const {
  using Kind = Move::Kind;
  std::vector<Move> moves;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const Client& client = clients_[i];
    const auto may = [&](bool so, Kind kind, std::size_t place = 0) {
      if (so)
        moves.push_back({kind, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(place)});
    };
    const bool calls = client.call.running();
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      // The slots differ in nothing, so the first client may as well begin with the first.
      may(!calls && client.held.token.empty() && client.calls_left > 0 && (i > 0 || slot == 0),
          Kind::begin, slot);
    }
    may(calls && client.call.pauses(), Kind::turn);
    may(settings_->gives_back && !client.held.token.empty(), Kind::release);
    for (std::size_t server = 0; server < kPermitServers; ++server) {
      may(!client.wires[server].empty(), Kind::serve, server);
      may(cuts_ > 0 && !client.wires[server].empty(), Kind::cut, server);
    }
  }
  for (std::size_t i = 0; i < late_.size(); ++i) {
    moves.push_back({Kind::late, 0, static_cast<std::uint8_t>(i)});
  }
  return moves;
}

void PermitWorld::make(const Move& move) {
  Client& client = clients_[move.client];
  switch (move.kind) {
    case Move::Kind::begin: {
      --client.calls_left;
      const auto name = static_cast<std::uint8_t>(move.client * 4 + client.calls_left);
      return follow(client, client.call.begin(name, move.place));
    }
    case Move::Kind::serve: {
      std::vector<Said>& wire = client.wires[move.place];
      const Said said = wire.front();
      wire.erase(wire.begin());
      const Reply reply = execute(move.place, said);
      if (!said.takes || !client.call.running()) return;
      return follow(client, client.call.hear(move.place, said.attempt, reply));
    }
    case Move::Kind::turn:
      return follow(client, client.call.turn());
    case Move::Kind::release:
      for (std::vector<Said>& wire : client.wires) {
        wire.push_back({false, 0, client.held.slot, client.held.token});
      }
      client.held = {};
      return;
    case Move::Kind::cut:
      return cut(client, move.place);
    case Move::Kind::late: {
      const Late late = late_[move.place];
      late_.erase(late_.begin() + move.place);
      (void)execute(late.server, late.said);
      return;
    }
  }
}

// Removals are said again on the next connection; of all else the call hears that it was cut off.
void PermitWorld::cut(Client& client, std::size_t server) {
  --cuts_;
  std::vector<AttemptNumber> unanswered;
  std::vector<Said> again;
  for (Said& said : std::exchange(client.wires[server], {})) {
    if (!said.takes) {
      again.push_back(std::move(said));
      continue;
    }
    unanswered.push_back(said.attempt);
    late_.push_back({static_cast<std::uint8_t>(server), std::move(said)});
  }
  client.wires[server] = std::move(again);
  for (const AttemptNumber attempt : unanswered) {
    if (!client.call.running()) return;
    const Reply gone = Reply::unknown(Fault::closed, "the link was cut");
    follow(client, client.call.hear(server, attempt, gone));
  }
}

void PermitWorld::ask(Client& client, const std::vector<Request>& requests) {
  for (const Request& request : requests) {
    Said said;
    const Resource* slot = nullptr;
    if (const auto* const take = std::get_if<TakeSlot>(request.command.get())) {
      said = {true, request.attempt, 0, short_token(take->token)};
      slot = &take->resources.only();
    } else {
      const auto& remove = std::get<ReleaseAndHandOver>(*request.command);
      said = {false, request.attempt, 0, short_token(remove.token)};
      slot = &remove.resources.only();
    }
    said.slot = static_cast<std::uint8_t>(slot_number(*slot).value());
    client.wires[request.node.value()].push_back(std::move(said));
  }
}

void PermitWorld::follow(Client& client, const std::vector<Request>& requests) {
  ask(client, requests);
  const bool done = client.call.outcome().has_value();
  if (!done && client.call.attempt() > settings_->tries) {
    return follow(client, client.call.give_up());
  }
  if (!done) return;
  if (client.call.outcome()->decision == Decision::granted) {
    const std::size_t slot = slot_number(client.call.outcome()->slot->only()).value();
    client.held = {static_cast<std::uint8_t>(slot), client.call.token()};
    const auto holds = [](const Client& one) { return !one.held.token.empty(); };
    const auto holders = static_cast<std::size_t>(std::ranges::count_if(clients_, holds));
    both_ = both_ || holders == kSlots;
    if (holders > kSlots) wrong_ = "three clients hold two permits at once";
  }
  client.call.end();
}

Reply PermitWorld::execute(std::size_t place, const Said& said) {
  Server& server = servers_[place];
  std::vector<std::string>& slot = server[said.slot];
  if (!said.takes) {
    std::erase(slot, said.token);
    return Reply::granted();
  }
  const std::size_t all = server[0].size() + server[1].size();
  if (settings_->counts_holders ? all < kSlots : slot.empty()) {
    slot.push_back(said.token);
    return Reply::granted();
  }
  const auto view = std::make_shared<PermitView>();
  for (std::size_t i = 0; i < kSlots; ++i) view->free[i] = server[i].empty();
  return Reply::denied(std::shared_ptr<const PermitView>(view));
}

std::string PermitWorld::bytes_of(std::size_t place) const {
  std::string bytes;
  const auto add_said = [&bytes](const Said& said) {
    bytes += said.takes ? 't' : 'r';
    bytes += std::to_string(said.attempt) + std::to_string(said.slot) + said.token + ',';
  };
  for (const Client& client : clients_) {
    if (client.call.running()) bytes += client.call.bytes_of(place);
    for (const Said& said : client.wires[place]) add_said(said);
    bytes += '|';
  }
  for (const std::vector<std::string>& slot : servers_[place]) {
    for (const std::string& token : slot) bytes += token;
    bytes += '/';
  }
  for (const Late& late : late_) {
    if (late.server == place) add_said(late.said);
  }
  return bytes;
}

// The servers differ in nothing else, so their names do not matter.
std::string PermitWorld::bytes() const {
  std::array<std::string, kPermitServers> servers;
  for (std::size_t i = 0; i < kPermitServers; ++i) servers[i] = bytes_of(i);
  std::ranges::sort(servers);
  std::string bytes;
  for (const std::string& server : servers) (bytes += server) += '#';
  for (const Client& client : clients_) {
    bytes += client.call.running() ? client.call.bytes() : "-";
    bytes += client.held.token + '/' + std::to_string(client.held.slot) +
             std::to_string(client.calls_left);
  }
  return bytes + std::to_string(cuts_) + (both_ ? "b" : "");
}

std::string PermitWorld::to_string(const Move& move) {
  static constexpr std::array kWords{
      " begins with slot ",     " is served by server ",    " tries again",
      " gives its permit back", " is cut off from server ", "what came late is done: number "};
  std::string text;
  if (move.kind != Move::Kind::late) text = std::string(1, static_cast<char>('A' + move.client));
  text += kWords[static_cast<std::size_t>(move.kind)];
  const bool says_where = move.kind != Move::Kind::turn && move.kind != Move::Kind::release;
  return says_where ? text + std::to_string(move.place + (move.kind == Move::Kind::begin ? 0 : 1))
                    : text;
}

}  // namespace redlock::exhaustive
