// Writing, reading, and choosing names.
#include "exhaustive/canonical.hpp"

#include <algorithm>
#include <stdexcept>

namespace redlock::exhaustive {

namespace {

void put(Bytes& out, Byte value) { out.put(value); }

template <class Integer>
std::size_t at(Integer index) {
  return static_cast<std::size_t>(index);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  Byte get() { return static_cast<Byte>(bytes_[position_++]); }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

Byte flags(bool a, bool b, bool c) { return byte((a ? 1 : 0) | (b ? 2 : 0) | (c ? 4 : 0)); }

void write_message(Bytes& out, const Message& m) {
  put(out, byte(m.command | static_cast<int>(m.answer) << 4 | (m.wanted ? 64 : 0) |
                (m.by_sha1 ? 128 : 0)));
  put(out, byte(m.attempt | m.left << 2 | m.round << 5));
}

Message read_message(Reader& in) {
  Message m;
  const int low = in.get();
  const int high = in.get();
  m.command = byte(low & 15);
  m.answer = static_cast<Answer>(low >> 4 & 3);
  m.wanted = (low & 64) != 0;
  m.by_sha1 = (low & 128) != 0;
  m.attempt = byte(high & 3);
  m.left = byte(high >> 2 & 7);
  m.round = byte(high >> 5);
  return m;
}

// An idle link, by far the most frequent, is one byte.
void write_link(Bytes& out, const Link& link) {
  const bool more = link.count != 0 || link.zombie_count != 0 || link.carried != 0 || link.held ||
                    link.known != 0 || link.offered != 0 || link.strays != 0 || link.again != 0;
  put(out,
      byte(flags(link.open, link.broken, link.failed) | (more ? 8 : 0) | (link.closing ? 16 : 0) |
           (link.usable ? 32 : 0) | (link.suspected ? 64 : 0) | (link.late ? 128 : 0)));
  if (!more) return;
  const bool seldom =
      link.held || link.known != 0 || link.offered != 0 || link.strays != 0 || link.again != 0;
  put(out, byte((link.held ? 1 : 0) | (seldom ? 2 : 0) | link.ready_left << 2));
  if (seldom) put(out, link.known);
  if (seldom) put(out, link.offered);
  for (int i = 0; seldom && i < 4; ++i) put(out, byte(link.strays >> 8 * i & 255U));
  for (int i = 0; seldom && i < 4; ++i) put(out, byte(link.again >> 8 * i & 255U));
  put(out, byte(link.count | link.zombie_count << 4));
  for (int i = 0; i < link.count; ++i) write_message(out, link.queue[at(i)]);
  for (int i = 0; i < link.zombie_count; ++i) {
    Zombie zombie = link.zombies[at(i)];
    do {
      put(out, byte(zombie & 255U));
      zombie >>= 8U;
    } while (zombie != 0);
    put(out, 0);
  }
  for (int i = 0; i < 4; ++i) put(out, byte(link.carried >> 8 * i & 255U));
}

void read_link(Reader& in, Link& link) {
  const int head = in.get();
  link.open = (head & 1) != 0;
  link.broken = (head & 2) != 0;
  link.failed = (head & 4) != 0;
  link.closing = (head & 16) != 0;
  link.usable = (head & 32) != 0;
  link.suspected = (head & 64) != 0;
  link.late = (head & 128) != 0;
  if ((head & 8) == 0) return;
  const int more = in.get();
  link.held = (more & 1) != 0;
  link.ready_left = byte(more >> 2);
  const bool seldom = (more & 2) != 0;
  if (seldom) link.known = in.get();
  if (seldom) link.offered = in.get();
  for (unsigned i = 0; seldom && i < 4; ++i) {
    link.strays |= static_cast<std::uint32_t>(in.get()) << 8U * i;
  }
  for (unsigned i = 0; seldom && i < 4; ++i) {
    link.again |= static_cast<std::uint32_t>(in.get()) << 8U * i;
  }
  const int counts = in.get();
  link.count = byte(counts & 15);
  link.zombie_count = byte(counts >> 4);
  for (int i = 0; i < link.count; ++i) {
    link.queue[at(i)] = read_message(in);
    link.queue[at(i)].unwritten = link.held;
  }
  for (int i = 0; i < link.zombie_count; ++i) {
    int shift = 0;
    while (const Byte code = in.get()) {
      link.zombies[at(i)] |= static_cast<Zombie>(code) << shift;
      shift += 8;
    }
  }
  for (unsigned i = 0; i < 4; ++i) {
    link.carried |= static_cast<std::uint32_t>(in.get()) << 8U * i;
  }
}

void write_server(Bytes& out, const Server& server,
                  const std::array<Byte, kClientsMax>& new_names) {
  const Byte owner = server.owner >= kPlain ? server.owner : new_names[server.owner];
  put(out, owner);
  put(out, byte(server.down));
  put(out, server.scripts);
  if (owner == kNoOwner) return;
  put(out, byte(server.token | server.round << 4 | (server.persistent ? 128 : 0)));
  put(out, byte(server.left));
}

void read_server(Reader& in, Server& server) {
  server.owner = in.get();
  server.down = static_cast<Ticks>(in.get());
  server.scripts = in.get();
  if (server.owner == kNoOwner) return;
  const int head = in.get();
  server.token = byte(head & 15);
  server.round = byte(head >> 4 & 7);
  server.persistent = (head & 128) != 0;
  server.left = static_cast<Ticks>(in.get());
}

void write_hedged(Bytes& out, const HedgedRequests& hedged, Byte kept) {
  if (hedged.kept == 0) return;
  put(out, byte(kept | hedged.command << 4));
  put(out, byte(hedged.attempt | hedged.left << 2 | hedged.ask_left << 5));
  put(out, byte(hedged.asked | hedged.granted << 2 | hedged.denied << 4 | hedged.failed << 6));
}

void read_hedged(Reader& in, HedgedRequests& hedged) {
  const int head = in.get();
  hedged.kept = byte(head & 15);
  hedged.command = byte(head >> 4);
  const int times = in.get();
  hedged.attempt = byte(times & 3);
  hedged.left = byte(times >> 2 & 7);
  hedged.ask_left = byte(times >> 5);
  const int counts = in.get();
  hedged.asked = byte(counts & 3);
  hedged.granted = byte(counts >> 2 & 3);
  hedged.denied = byte(counts >> 4 & 3);
  hedged.failed = byte(counts >> 6);
}

// `kept`: as the servers are called.
void write_client(Bytes& out, const Client& client, std::uint16_t machine, Byte kept) {
  put(out, byte(static_cast<int>(client.phase) | static_cast<int>(client.step) << 4));
  put(out, byte(machine & 255));
  put(out, byte(machine >> 8));
  put(out, byte(client.hold_left));
  put(out, byte(client.held | client.round << 4));
  put(out, byte(client.age | client.attempt << 5));
  put(out, byte(client.stamp_left));
  put(out, byte(flags(client.lagging, client.extended, client.hedged.kept != 0) |
                (client.connect_left != 0 ? 8 : 0) | static_cast<int>(client.robbed) << 4));
  if (client.connect_left != 0) put(out, client.connect_left);
  write_hedged(out, client.hedged, kept);
}

void read_client(Reader& in, Client& client) {
  const int head = in.get();
  client.phase = static_cast<Phase>(head & 15);
  client.step = static_cast<LegacyStep>(head >> 4);
  const int low = in.get();
  client.machine = static_cast<std::uint16_t>(low | in.get() << 8);
  client.hold_left = static_cast<Ticks>(in.get());
  const int held = in.get();
  client.held = byte(held & 15);
  client.round = byte(held >> 4);
  const int age = in.get();
  client.age = byte(age & 31);
  client.attempt = byte(age >> 5);
  client.stamp_left = static_cast<Ticks>(in.get());
  const int rest = in.get();
  client.lagging = (rest & 1) != 0;
  client.extended = (rest & 2) != 0;
  client.robbed = static_cast<Robbery>(rest >> 4);
  if ((rest & 8) != 0) client.connect_left = in.get();
  if ((rest & 4) != 0) read_hedged(in, client.hedged);
}

int order_number(const std::array<Byte, kServersMax>& new_server) {
  const auto found = std::ranges::find(kOrders, new_server);
  return static_cast<int>(found - kOrders.begin());
}

}  // namespace

Canonical::Canonical(const Settings& settings, MachineTable& machines)
    : settings_(settings), machines_(machines) {
  Clients order{0, 1, 2, 3};
  const auto natives = order.begin() + settings.natives;
  do {
    do {
      orders_.push_back(order);
    } while (std::next_permutation(natives, order.begin() + settings.clients()));
  } while (std::next_permutation(order.begin(), natives));
}

// What does not depend on anybody's name; with one server that is everything.
void Canonical::mark_client(const State& state, std::size_t i) {
  Bytes& mark = client_marks_[i];
  mark.clear();
  const bool one_server = settings_.servers == 1;
  const Client& client = state.clients[i];
  write_client(mark, client, one_server ? client.machine : 0, one_server ? client.hedged.kept : 0);
  if (!one_server) return;
  put(mark, state.servers[0].owner == i ? 1 : 0);
  write_link(mark, state.links[i][0]);
}

std::string_view Canonical::encode(const State& state) {
  found_ = false;
  const auto count = at(settings_.clients());
  for (std::size_t i = 0; i < count; ++i) mark_client(state, i);
  for (const Clients& order : orders_) {
    bool sorted = true;
    for (std::size_t i = 1; i < count && sorted; ++i) {
      const bool same_kind = i != at(settings_.natives);
      sorted = !same_kind || client_marks_[order[i - 1]].view() <= client_marks_[order[i]].view();
    }
    if (!sorted) continue;
    try_clients(state, order);
    // Clients with equal marks are then equal in everything.
    if (settings_.servers == 1) break;
  }
  return buffers_[best_].view();
}

void Canonical::try_clients(const State& state, const Clients& clients) {
  Clients new_names{};
  for (std::size_t i = 0; i < clients.size(); ++i) new_names[clients[i]] = byte(i);
  const Servers servers = sort_servers(state, clients, new_names);
  Bytes& candidate = buffers_[1 - best_];
  candidate.clear();
  write(state, clients, new_names, servers, candidate);
  if (found_ && buffers_[best_].view() <= candidate.view()) return;
  found_ = true;
  best_ = 1 - best_;
  best_renaming_.new_client = new_names;
  for (std::size_t i = 0; i < servers.size(); ++i) best_renaming_.new_server[servers[i]] = byte(i);
}

Canonical::Servers Canonical::sort_servers(const State& state, const Clients& clients,
                                           const Clients& new_names) {
  Servers servers{0, 1, 2};
  const auto count = at(settings_.servers);
  if (count == 1) return servers;
  for (std::size_t j = 0; j < count; ++j) {
    marks_[j].clear();
    write_server(marks_[j], state.servers[j], new_names);
    for (std::size_t i = 0; i < at(settings_.clients()); ++i) {
      const Client& client = state.clients[clients[i]];
      put(marks_[j], machines_.at(client.machine).view[j]);
      put(marks_[j], byte(client.hedged.kept >> j & 1U));
      write_link(marks_[j], state.links[clients[i]][j]);
    }
  }
  std::stable_sort(servers.begin(), servers.begin() + settings_.servers,
                   [this](Byte a, Byte b) { return marks_[a].view() < marks_[b].view(); });
  return servers;
}

void Canonical::write(const State& state, const Clients& clients, const Clients& new_names,
                      const Servers& servers, Bytes& out) {
  Servers new_server{};
  for (std::size_t j = 0; j < servers.size(); ++j) new_server[servers[j]] = byte(j);
  const int permutation = order_number(new_server);
  put(out, byte(state.faults_left | state.gain_left << 4));
  put(out, state.ticks_left);
  put(out, byte(flags(state.loss, state.untimely, state.granted) | state.phase << 3));
  for (std::size_t j = 0; j < at(settings_.servers); ++j) {
    write_server(out, state.servers[servers[j]], new_names);
  }
  for (std::size_t i = 0; i < at(settings_.clients()); ++i) {
    const Client& client = state.clients[clients[i]];
    Byte kept = 0;
    for (unsigned j = 0; client.hedged.kept != 0 && j < kServersMax; ++j) {
      if ((client.hedged.kept >> j & 1U) != 0) kept = byte(kept | 1U << new_server[j]);
    }
    write_client(out, client, machines_.permuted(client.machine, permutation), kept);
    for (std::size_t j = 0; j < at(settings_.servers); ++j) {
      write_link(out, state.links[clients[i]][servers[j]]);
    }
  }
}

State Canonical::decode(std::string_view bytes) const {
  State state;
  Reader in(bytes);
  const int budgets = in.get();
  state.faults_left = byte(budgets & 15);
  state.gain_left = byte(budgets >> 4);
  state.ticks_left = in.get();
  const int bits = in.get();
  state.loss = (bits & 1) != 0;
  state.untimely = (bits & 2) != 0;
  state.granted = (bits & 4) != 0;
  state.phase = byte(bits >> 3);
  for (std::size_t j = 0; j < at(settings_.servers); ++j) read_server(in, state.servers[j]);
  for (std::size_t i = 0; i < at(settings_.clients()); ++i) {
    read_client(in, state.clients[i]);
    for (std::size_t j = 0; j < at(settings_.servers); ++j) read_link(in, state.links[i][j]);
  }
  return state;
}

}  // namespace redlock::exhaustive
