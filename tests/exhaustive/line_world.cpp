// One server's line, and what can happen around it.
#include "exhaustive/line_world.hpp"

#include <algorithm>

namespace redlock::exhaustive {

namespace {

constexpr Instant kNow = Instant::from_ns(1'000'000'000'000);
constexpr Duration kLeft = Duration::ms(5'000);  // of every key: longer than the first may wait

Token token_of(int client) { return Token(std::string(1, static_cast<char>('A' + client))); }

}  // namespace

LineWorld::LineWorld(const LineSettings& settings) : settings_(settings) {
  for (std::size_t i = 0; i < settings.clients; ++i) {
    Client client{NodeQueueState(Duration::seconds(1), NodeReport()),
                  0,
                  1,
                  1,
                  false,
                  false,
                  false,
                  {},
                  {},
                  {}};
    client.place.on_subscription({"1", Fault::none, {}}, kNow);
    clients_.push_back(std::move(client));
  }
}

std::vector<LineWorld::Move> LineWorld::moves() const {
  std::vector<Move> moves;
  using Kind = Move::Kind;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const Client& client = clients_[i];
    const auto may = [&](Kind kind) { moves.push_back({kind, static_cast<std::uint8_t>(i), 0}); };
    if (!client.to_server.empty()) may(Kind::deliver);
    if (client.dead) continue;
    if (!client.answers.empty()) may(Kind::answer);
    if (!client.pushes.empty()) may(Kind::push);
    const bool busy = !client.to_server.empty() || !client.answers.empty();
    if (settings_.resets > 0 && busy) may(Kind::reset);
    if (client.channel == 0) may(Kind::listen);
    if (settings_.unsubscribed > 0 && client.channel != 0 && client.echo > 0)
      may(Kind::unsubscribe);
    if (client.left) continue;
    const bool can_join = client.channel != 0 && !client.place.joining();
    if (can_join && client.echo < settings_.joins) {
      may(Kind::join);
      if (settings_.spares > 0) {
        may(Kind::stand);
        may(Kind::yield);
      }
    }
    if (client.echo > 0) may(Kind::leave);
    if (settings_.deaths > 0 && client.echo > 0) may(Kind::die);
  }
  for (std::size_t i = 0; i < late_.size(); ++i) {
    moves.push_back({Kind::late, late_[i].client, static_cast<std::uint8_t>(i)});
    moves.push_back({Kind::lose, late_[i].client, static_cast<std::uint8_t>(i)});
  }
  if (holder_ != kNobody && !waits(clients_[static_cast<std::size_t>(holder_)])) {
    moves.push_back({Kind::expire, static_cast<std::uint8_t>(holder_), 0});
  }
  return moves;
}

void LineWorld::make(const Move& move) {
  Client& client = clients_[move.client];
  switch (move.kind) {
    case Move::Kind::join:
    case Move::Kind::stand:
    case Move::Kind::yield: {
      const bool takes = move.kind == Move::Kind::join;
      const bool yields = move.kind == Move::Kind::yield;
      const bool voted_before = voted(client);
      const ClaimPolicy stands = voted_before ? ClaimPolicy::observe : ClaimPolicy::retain;
      const ClaimPolicy policy = takes ? ClaimPolicy::claim : yields ? ClaimPolicy::yield : stands;
      if (!takes) --settings_.spares;
      client.place.hurry();
      client.place.note_joined(++client.echo, kNow, Instant::never(), takes);
      client.kept = settings_.keeps_votes && voted_before;
      client.to_server.push_back({move.client, false, client.echo, client.channel, policy});
      return;
    }
    case Move::Kind::leave:
      client.left = true;
      client.to_server.push_back({move.client, true, 0, 0});
      return;
    case Move::Kind::die:
      --settings_.deaths;
      client.dead = true;
      client.answers.clear();
      client.pushes.clear();
      return;
    case Move::Kind::reset:
      --settings_.resets;
      late_.insert(late_.end(), client.to_server.begin(), client.to_server.end());
      client.to_server.clear();
      client.answers.clear();
      client.place.on_reply(client.echo, Reply::unknown(Fault::closed, "reset"), kNow);
      client.kept = false;
      // What was to be removed is carried to the next connection.
      if (client.left) client.to_server.push_back({move.client, true, 0, 0});
      return;
    case Move::Kind::unsubscribe:
      --settings_.unsubscribed;
      client.channel = 0;
      client.pushes.clear();
      client.place.on_subscription({{}, Fault::closed, "reset"}, kNow);
      return;
    case Move::Kind::listen:
      client.channel = ++client.channels;
      client.place.on_subscription({std::to_string(client.channel), Fault::none, {}}, kNow);
      return;
    case Move::Kind::deliver: {
      const Said said = client.to_server.front();
      client.to_server.pop_front();
      return serve(said);
    }
    case Move::Kind::answer: {
      const auto [echo, reply] = client.answers.front();
      client.answers.pop_front();
      client.kept = false;
      return client.place.on_reply(echo, reply, kNow);
    }
    case Move::Kind::push: {
      Push push = client.pushes.front();
      client.pushes.pop_front();
      if (settings_.any_echo_counts) push.echo = client.echo;
      return client.place.on_push(push, kNow);
    }
    case Move::Kind::late:
    case Move::Kind::lose: {
      const Said said = late_[move.which];
      late_.erase(late_.begin() + move.which);
      if (move.kind == Move::Kind::late) serve(said);
      return;
    }
    case Move::Kind::expire:
      holder_ = kNobody;
      return;
  }
}

void LineWorld::serve(const Said& said) {
  if (!said.pass) return join(said);
  const int me = said.client;
  const bool first = !line_.empty() && line_.begin()->first == me;
  line_.erase(me);
  const bool mine = holder_ == me;
  if (mine) holder_ = given_to_ = kNobody;
  if (holder_ == kNobody) {
    hand_on(me, true);
  } else if (first) {
    hand_on(me, false);
  }
}

void LineWorld::join(const Said& said) {
  const int me = said.client;
  const auto standing = [&](auto place) {
    const Duration left = holder_ == kNobody ? Duration() : kLeft;
    // So far apart that only the first asks again within a second.
    answer(said, Reply::denied(QueuePosition{left, 100 * place, 0}));
  };
  const auto known = line_.find(me);
  const auto in_line = [&] { return known != line_.end() && known->second.echo > said.echo; };
  const bool overtaken = given_to_ == me ? given_behind_ > said.echo : holder_ == me || in_line();
  if (overtaken && !settings_.forgets_echo) return standing(1);
  const bool own = holder_ == me;
  const bool takes = said.policy == ClaimPolicy::claim;
  const bool skipped = said.policy == ClaimPolicy::yield && (own || holder_ == kNobody);
  line_.insert_or_assign(me, Entry{said.echo, said.channel, skipped});
  if (given_to_ == me) given_to_ = kNobody;
  if (own) holder_ = kNobody;
  if (holder_ == kNobody && takes) hand_on(me, true);
  if (own && said.policy == ClaimPolicy::yield) hand_on(me, true, true);
  if (own && said.policy == ClaimPolicy::retain) hand_on(me, true);
  if (holder_ == me) return answer(said, Reply::granted());
  standing(std::distance(line_.begin(), line_.find(me)));
}

bool LineWorld::heard(int who) const {
  const Client& client = clients_[static_cast<std::size_t>(who)];
  return !client.dead && client.channel == line_.at(who).channel;
}

void LineWorld::push(int who, Push push) {
  clients_[static_cast<std::size_t>(who)].pushes.push_back(std::move(push));
}

void LineWorld::hand_on(int me, bool free, bool yielded) {
  if (free) grant_first_who_takes(me);
  tell_first(me, yielded);
}

void LineWorld::grant_first_who_takes(int me) {
  for (auto next = line_.begin(); next != line_.end();) {
    const int who = next->first;
    if (who != me && !heard(who)) {
      next = line_.erase(next);
    } else if (next->second.skipped) {
      ++next;
    } else {
      holder_ = given_to_ = who;
      given_behind_ = next->second.echo;
      if (who != me) push(who, {Push::Kind::granted, token_of(who), given_behind_, {}});
      line_.erase(next);
      return;
    }
  }
}

void LineWorld::tell_first(int me, bool but_me) {
  for (auto next = line_.begin(); next != line_.end();) {
    const int who = next->first;
    if (who == me && but_me) {
      ++next;
      but_me = false;
    } else if (who != me && !heard(who)) {
      next = line_.erase(next);
    } else {
      if (who == me || settings_.tells_nobody) return;
      const Duration left = holder_ == kNobody ? Duration() : Duration::seconds(5);
      return push(who, {Push::Kind::next, token_of(who), 0, left});
    }
  }
}

void LineWorld::answer(const Said& said, Reply reply) {
  Client& client = clients_[said.client];
  // On the connection on which it was asked, which may be gone: then nobody reads it.
  const bool current = said.echo == client.echo && client.place.joining();
  if (!client.dead && current) client.answers.emplace_back(said.echo, std::move(reply));
}

bool LineWorld::happened() const {
  return std::ranges::any_of(
      clients_, [this](const Client& client) { return waits(client) && voted(client); });
}

std::string LineWorld::violation() const {
  bool quiet = late_.empty();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const Client& client = clients_[i];
    quiet = quiet && client.to_server.empty() && client.answers.empty() && client.pushes.empty();
    if (waits(client) && voted(client) && holder_ != static_cast<int>(i)) {
      return "a vote is counted that is not the client's";
    }
  }
  if (!quiet || line_.empty()) return {};
  const int first = line_.begin()->first;
  const Client& client = clients_[static_cast<std::size_t>(first)];
  if (!waits(client) || client.channel == 0) return {};
  const bool knows = client.place.next_deadline() <= kNow + kFirstAsksEvery;
  return knows ? std::string() : "the first in line does not know it";
}

std::string LineWorld::bytes() const {
  std::string bytes;
  const auto add = [&bytes](auto number) { bytes += std::to_string(number) + ','; };
  const auto add_said = [&](const Said& said) {
    add(said.client * 2 + (said.pass ? 1 : 0));
    add(static_cast<int>(said.policy));
    add(said.echo);
    add(said.channel);
  };
  for (const Client& client : clients_) {
    add(client.echo * 4 + (client.left ? 1 : 0) + (client.dead ? 2 : 0));
    add(client.channel);
    add(client.channels);
    const NodeQueueState::Snapshot place = client.place.snapshot();
    add((voted(client) ? 1 : 0) + (place.handed_over ? 2 : 0) + (place.joining ? 4 : 0) +
        (place.may_hold ? 8 : 0) + (place.outdated ? 16 : 0) + (place.claims ? 32 : 0));
    add(place.join_at.since_epoch_ns());
    add(place.next_at.since_epoch_ns());
    for (const Said& said : client.to_server) add_said(said);
    bytes += ';';
    for (const auto& [echo, reply] : client.answers) {
      bytes += std::to_string(echo);
      if (const auto* const position = reply.said<QueuePosition>()) {
        add(position->left->count_ms());
        add(position->index);
      }
      bytes += '!';
    }
    bytes += ';';
    for (const Push& push : client.pushes) {
      add(push.kind == Push::Kind::next ? -1 - (push.left ? push.left->count_ms() : -1)
                                        : static_cast<std::int64_t>(push.echo));
    }
    bytes += '|';
  }
  for (const Said& said : late_) add_said(said);
  bytes += '|';
  add(holder_);
  add(given_to_);
  add(given_behind_);
  for (const auto& [who, entry] : line_) {
    add(who);
    add(entry.echo);
    add(entry.channel * 2 + (entry.skipped ? 1 : 0));
  }
  add(settings_.spares * 1000 + settings_.resets * 100 + settings_.unsubscribed * 10 +
      settings_.deaths);
  return bytes;
}

std::string LineWorld::to_string(const Move& move) {
  constexpr const char* kWords[] = {"joins",
                                    "leaves",
                                    "dies",
                                    "loses its connection",
                                    "is unsubscribed",
                                    "listens",
                                    "is served",
                                    "hears an answer",
                                    "hears a push",
                                    "is served late",
                                    "'s late words are lost",
                                    "'s key ends",
                                    "joins without taking",
                                    "yields"};
  return std::string(1, static_cast<char>('A' + move.client)) + " " +
         kWords[static_cast<std::size_t>(move.kind)];
}

}  // namespace redlock::exhaustive
