// One lock, its fences, and what can happen around them.
#include "exhaustive/fence_world.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "redlock/algorithm/command.hpp"

namespace redlock::exhaustive {

FenceWorld::FenceWorld(const FenceSettings& settings)
    : settings_(&settings), cuts_(settings.cuts), losses_(settings.losses) {
  clients_.resize(settings.clocks.size());
  for (Client& client : clients_) client.calls_left = settings.calls;
  for (std::size_t i = 0; i < kFenceServers; ++i) servers_[i].last = settings.last[i];
}

std::vector<FenceWorld::Move> FenceWorld::moves() const {
  using Kind = Move::Kind;
  std::vector<Move> moves;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const Client& client = clients_[i];
    const auto may = [&](bool so, Kind kind, std::size_t server = 0) {
      if (!so) return;
      moves.push_back({kind, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(server)});
    };
    const bool calls = client.call.running();
    may(!calls && client.held.empty() && client.calls_left > 0, Kind::begin);
    may(calls && client.call.has_turn(), Kind::turn);
    may(!client.held.empty(), Kind::release);
    for (std::size_t server = 0; server < kFenceServers; ++server) {
      const Wire& wire = client.wires[server];
      may(!wire.to_server.empty(), Kind::serve, server);
      may(!wire.answers.empty(), Kind::hear, server);
      may(cuts_ > 0 && i >= settings_->cut_from &&
              (!wire.to_server.empty() || !wire.answers.empty()),
          Kind::cut, server);
    }
  }
  for (std::size_t i = 0; i < late_.size(); ++i) {
    moves.push_back({Kind::late, 0, static_cast<std::uint8_t>(i)});
  }
  for (std::size_t i = 0; i < kFenceServers; ++i) {
    const Server& server = servers_[i];
    const auto place = static_cast<std::uint8_t>(i);
    if (!server.held.empty() && !counted_on(server.held)) moves.push_back({Kind::expire, 0, place});
    if (losses_ > 0 && server.held.empty() && server.last > 0) {
      moves.push_back({Kind::forget, 0, place});
    }
  }
  return moves;
}

// By its owner, or by a call that may still win it.
bool FenceWorld::counted_on(std::string_view token) const {
  return std::ranges::any_of(clients_, [token](const Client& client) {
    return client.held == token || (client.call.running() && client.call.token() == token);
  });
}

void FenceWorld::make(const Move& move) {
  Client& client = clients_[move.client];
  switch (move.kind) {
    case Move::Kind::begin: {
      --client.calls_left;
      const auto name = static_cast<std::uint8_t>(move.client * 4 + client.calls_left);
      return follow(client,
                    client.call.begin({settings_->attempts, settings_->clocks[move.client], name}));
    }
    case Move::Kind::serve: {
      Wire& wire = client.wires[move.server];
      const Said said = wire.to_server.front();
      wire.to_server.erase(wire.to_server.begin());
      Reply reply = execute(said);
      // Removals go out without anybody waiting for them, and so does what a call left.
      if (said.what != What::remove && client.call.running()) {
        wire.answers.push_back({said.attempt, std::move(reply)});
      }
      return;
    }
    case Move::Kind::hear: {
      Wire& wire = client.wires[move.server];
      const Heard heard = wire.answers.front();
      wire.answers.erase(wire.answers.begin());
      return follow(client, client.call.hear(move.server, heard.attempt, heard.reply));
    }
    case Move::Kind::turn:
      return follow(client, client.call.turn());
    case Move::Kind::release:
      for (std::size_t i = 0; i < kFenceServers; ++i) {
        client.wires[i].to_server.push_back(
            {What::remove, static_cast<std::uint8_t>(i), 0, client.held, 0});
      }
      client.held.clear();
      return;
    case Move::Kind::cut:
      return cut(client, move.server);
    case Move::Kind::late: {
      const Said said = late_[move.server];
      late_.erase(late_.begin() + move.server);
      (void)execute(said);
      return;
    }
    case Move::Kind::expire:
      servers_[move.server].held.clear();
      return;
    case Move::Kind::forget:
      --losses_;
      servers_[move.server].last = 0;
      return;
  }
}

// Removals are said again on the next connection; of all else the call hears that it was cut off.
void FenceWorld::cut(Client& client, std::size_t server) {
  --cuts_;
  Wire& wire = client.wires[server];
  std::vector<AttemptNumber> unanswered;
  for (const Heard& heard : wire.answers) unanswered.push_back(heard.attempt);
  std::vector<Said> again;
  for (Said& said : std::exchange(wire.to_server, {})) {
    if (said.what == What::remove) {
      again.push_back(std::move(said));
      continue;
    }
    unanswered.push_back(said.attempt);
    late_.push_back(std::move(said));
  }
  wire.answers.clear();
  wire.to_server = std::move(again);
  for (const AttemptNumber attempt : unanswered) {
    if (!client.call.running()) return;
    follow(client,
           client.call.hear(server, attempt, Reply::unknown(Fault::closed, "the link was cut")));
  }
}

void FenceWorld::ask(Client& client, const std::vector<Request>& requests) {
  for (const Request& request : requests) {
    const auto server = static_cast<std::uint8_t>(request.node.value());
    Said said{What::remove, server, request.attempt, {}, 0};
    if (const auto* const take = std::get_if<SetAllIfAbsent>(request.command.get())) {
      said.what = What::take;
      said.token = short_name(take->token);
      said.proposal = take->fence->fence;
    } else if (const auto* const raise = std::get_if<RaiseFence>(request.command.get())) {
      said.what = What::raise;
      said.token = short_name(raise->token);
      said.proposal = raise->proposal.fence;
    } else {
      said.token = short_name(std::get<ReleaseAndHandOver>(*request.command).token);
    }
    client.wires[server].to_server.push_back(std::move(said));
  }
}

void FenceWorld::follow(Client& client, const std::vector<Request>& requests) {
  ask(client, requests);
  const std::optional<Outcome>& acquired = client.call.acquired();
  const bool has_lock = acquired && acquired->decision == Decision::granted;
  const bool counted_up = settings_->counts_up && has_lock;
  if (!client.call.outcome() && !counted_up) return;
  if (counted_up || client.call.outcome()->decision == Decision::granted) grant(client);
  // Answers that nobody waits for any more change nothing.
  client.call.end();
  for (Wire& wire : client.wires) wire.answers.clear();
}

void FenceWorld::grant(Client& client) {
  const std::int64_t fence = fence_of(client);
  for (const Client& other : clients_) {
    if (!other.held.empty()) wrong_ = "two clients hold the lock at once";
  }
  if (fence <= largest_) wrong_ = "a fence is not larger than an earlier one";
  largest_ = std::max(largest_, fence);
  client.held = client.call.token();
  ++grants_;
}

std::int64_t FenceWorld::fence_of(const Client& client) const {
  if (!settings_->counts_up) return client.call.outcome()->fence.value_or(0);
  const auto place = static_cast<std::size_t>(&client - clients_.data());
  // The machine hands on what the acquire came to.
  const FenceCall& call = client.call;
  std::int64_t fence = 0;
  for (const NodeReport& node : (call.outcome() ? call.outcome() : call.acquired())->nodes) {
    const auto* const vote = node.reply.said<FenceVote>();
    if (vote == nullptr) continue;
    fence = std::max(fence, vote->recorded ? settings_->clocks[place] : vote->last + 1);
  }
  return fence;
}

Reply FenceWorld::execute(const Said& said) {
  Server& server = servers_[said.server];
  const bool own = server.held == said.token;
  const bool larger = said.proposal > server.last;
  switch (said.what) {
    case What::remove:
      if (own) server.held.clear();
      return Reply::granted();
    case What::raise:
      if (!own && !settings_->raises_strays) return Reply::denied();
      if (!larger) return Reply::denied(FenceVote{false, server.last});
      server.last = said.proposal;
      return Reply::granted();
    case What::take:
      break;
  }
  if (!server.held.empty()) return Reply::denied();
  server.held = said.token;
  if (!larger) return Reply::granted(FenceVote{false, server.last});
  server.last = said.proposal;
  return Reply::granted(FenceVote{true, 0});
}

std::string FenceWorld::bytes_of(std::size_t place) const {
  std::string bytes;
  const auto add = [&bytes](auto number) { (bytes += std::to_string(number)) += ','; };
  const auto add_said = [&](const Said& said) {
    add(static_cast<int>(said.what));
    add(said.attempt);
    bytes += said.token;
    add(said.proposal);
  };
  for (const Client& client : clients_) {
    if (client.call.running()) bytes += client.call.bytes_of(place);
    for (const Said& said : client.wires[place].to_server) add_said(said);
    bytes += ';';
    for (const auto& [attempt, reply] : client.wires[place].answers) {
      add(attempt);
      add(static_cast<int>(reply.answer));
      if (const auto* const vote = reply.said<FenceVote>()) add(vote->recorded ? -1 : vote->last);
    }
    bytes += '|';
  }
  bytes += servers_[place].held + ':';
  add(servers_[place].last);
  for (const Said& said : late_) {
    if (said.server == place) add_said(said);
  }
  return bytes;
}

// The servers differ in nothing else, so their names do not matter.
std::string FenceWorld::bytes() const {
  std::array<std::string, kFenceServers> servers;
  for (std::size_t i = 0; i < kFenceServers; ++i) servers[i] = bytes_of(i);
  std::ranges::sort(servers);
  std::string bytes;
  const auto add = [&bytes](auto number) { (bytes += std::to_string(number)) += ','; };
  for (const std::string& server : servers) (bytes += server) += '#';
  for (const Client& client : clients_) {
    bytes += client.call.running() ? client.call.bytes() : "-";
    bytes += client.held + '/';
    add(client.calls_left);
  }
  add(cuts_ * 10 + losses_);
  add(largest_);
  return bytes;
}

std::string FenceWorld::to_string(const Move& move) {
  static constexpr std::array kWords{" calls",
                                     " is served by server ",
                                     " hears server ",
                                     " tries again",
                                     " releases",
                                     " is cut off from server ",
                                     "what came late is done: number ",
                                     "a key ends on server ",
                                     "the last fence is forgotten by server "};
  const bool one_clients = move.kind < Move::Kind::late;
  const bool says_where = move.kind != Move::Kind::begin && move.kind != Move::Kind::turn &&
                          move.kind != Move::Kind::release;
  std::string text = one_clients ? std::string(1, static_cast<char>('A' + move.client)) : "";
  text += kWords[static_cast<std::size_t>(move.kind)];
  return says_where ? text + std::to_string(move.server + 1) : text;
}

}  // namespace redlock::exhaustive
