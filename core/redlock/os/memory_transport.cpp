// Which connections are in memory, and waiting for both kinds.
#include "redlock/os/memory_transport.hpp"

#include <algorithm>
#include <limits>

namespace redlock {

namespace {
// No transport opens so many connections.
constexpr ConnectionId kInMemory = ConnectionId{1} << 63;

IoResult moved(std::size_t bytes) {
  return bytes > 0 ? IoResult{IoState::progress, bytes, {}, Fault::none} : IoResult{};
}
IoResult hung_up() { return {IoState::ended, 0, "the server closed the connection"}; }
}  // namespace

memory::Link* MemoryTransport::link(ConnectionId connection) const {
  return (connection & kInMemory) == 0 ? nullptr : links_.at(connection).get();
}

void MemoryTransport::prepare(const Endpoint& endpoint) {
  if (!endpoint.in_memory) others_.prepare(endpoint);
}

void MemoryTransport::forget_place(const Endpoint& endpoint) {
  if (!endpoint.in_memory) others_.forget_place(endpoint);
}

ConnectionId MemoryTransport::open(const Endpoint& endpoint, Instant answer_by) {
  if (!endpoint.in_memory) return others_.open(endpoint, answer_by);
  const ConnectionId id = kInMemory | ++last_id_;
  links_.emplace(id, memory::connect(endpoint.host));
  return id;
}

LinkStatus MemoryTransport::status(ConnectionId connection) {
  const memory::Link* one = link(connection);
  if (one == nullptr) return others_.status(connection);
  if (one->ended()) return {LinkState::failed, Fault::refused, "the server refuses connections"};
  return {LinkState::connected, Fault::none, {}};
}

Wants MemoryTransport::wants(ConnectionId connection, bool has_output) {
  if (link(connection) == nullptr) return others_.wants(connection, has_output);
  return {true, has_output, false};
}

IoResult MemoryTransport::send(ConnectionId connection, std::string_view bytes) {
  memory::Link* one = link(connection);
  if (one == nullptr) return others_.send(connection, bytes);
  return one->ended() ? hung_up() : moved(one->send(bytes));
}

IoResult MemoryTransport::receive(ConnectionId connection, std::span<char> into) {
  memory::Link* one = link(connection);
  if (one == nullptr) return others_.receive(connection, into);
  return one->ended() ? hung_up() : moved(one->receive(into));
}

std::size_t MemoryTransport::read_at_once(ConnectionId connection) {
  if (link(connection) == nullptr) return others_.read_at_once(connection);
  return std::numeric_limits<std::size_t>::max();
}

void MemoryTransport::close(ConnectionId connection) {
  if (link(connection) == nullptr) return others_.close(connection);
  links_.erase(connection);
}

void MemoryTransport::close_behind(ConnectionId connection) {
  if (link(connection) == nullptr) return others_.close_behind(connection);
  links_.erase(connection);
}

void MemoryTransport::reset(ConnectionId connection) {
  if (link(connection) == nullptr) return others_.reset(connection);
  links_.erase(connection);
}

void MemoryTransport::forget_all() {
  links_.clear();
  others_.forget_all();
}

bool MemoryTransport::look(std::span<Interest> interests) const {
  bool any = false;
  for (Interest& interest : interests) {
    const memory::Link* one = link(interest.connection);
    if (one == nullptr) continue;
    interest.readable = interest.wants.read && one->readable();
    interest.writable = interest.wants.write && (one->ended() || one->writable());
    any = any || interest.readable || interest.writable;
  }
  return any;
}

bool MemoryTransport::pick_others(std::span<const Interest> interests) {
  asked_others_.clear();
  for (const Interest& interest : interests) {
    if (link(interest.connection) == nullptr) asked_others_.push_back(interest);
  }
  return asked_others_.size() < interests.size();
}

std::optional<Watch> MemoryTransport::watch(std::span<const Interest> interests) {
  const bool any_here = pick_others(interests);
  std::optional<Watch> watch = others_.watch(asked_others_);
  if (!watch || !any_here) return watch;
  std::vector<Interest> looked_at(interests.begin(), interests.end());
  watch->until = look(looked_at) ? Instant() : std::min(watch->until, clock_.now() + kMemoryLook);
  return watch;
}

Woken MemoryTransport::wait_for_others(std::span<Interest> interests, Instant deadline) {
  pick_others(interests);
  const Woken woken = others_.wait(asked_others_, deadline);
  auto answered = asked_others_.begin();
  for (Interest& interest : interests) {
    if (link(interest.connection) == nullptr) interest = *answered++;
  }
  return woken;
}

Woken MemoryTransport::wait(std::span<Interest> interests, Instant deadline) {
  const auto here = std::ranges::count_if(
      interests, [this](const Interest& one) { return link(one.connection) != nullptr; });
  if (here == 0) return others_.wait(interests, deadline);
  const bool all_here = static_cast<std::size_t>(here) == interests.size();
  for (;;) {
    const bool any = look(interests);
    if (any && all_here) return Woken::ready;
    const Instant now = clock_.now();
    const Woken woken =
        wait_for_others(interests, any ? Instant() : std::min(deadline, now + kMemoryLook));
    // That somebody called is told once.
    if (any && woken == Woken::deadline) return Woken::ready;
    if (any || woken != Woken::deadline || now >= deadline) return woken;
  }
}

}  // namespace redlock
