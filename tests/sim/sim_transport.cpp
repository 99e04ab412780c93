// Byte streams for the reactor.
#include "sim/sim_transport.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "redlock/net/reactor.hpp"
#include "sim/record/deed.hpp"
#include "sim/servers.hpp"

namespace redlock::sim {

namespace {

// A client looks at connections that it has not used for 10 ms; its clock may be slow.
constexpr std::int64_t kLookNs = 12 * kMs;

// The rest of a request that was sent in part comes first, and is none.
bool has_take(std::string_view bytes) {
  if (!bytes.starts_with('*'))
    bytes.remove_prefix(std::min(bytes.find("\n*"), bytes.size() - 1) + 1);
  Arguments arguments;
  while (!bytes.empty()) {
    const ParsedRequest request = parse_request(bytes, arguments);
    if (request.state != ParseState::complete) break;
    if (deed_of(arguments).verb == Verb::take) return true;
    bytes.remove_prefix(request.size);
  }
  return false;
}

bool readable(const Connection& connection) {
  if (connection.client_side == ClientSide::connecting) return false;
  return connection.inbox_offset < connection.inbox.size() || connection.peer_ended ||
         connection.client_side == ClientSide::failed;
}

}  // namespace

Endpoint endpoint_of(std::uint32_t index) {
  Endpoint endpoint;
  endpoint.host = 's' + std::to_string(index);
  return endpoint;
}

ConnectionId SimTransport::open(const Endpoint& endpoint, Instant /*answer_by*/) {
  const auto server = static_cast<std::uint32_t>(std::atoi(endpoint.host.c_str() + 1));
  Connection& link = network_.open(client_, server);
  const ConnectionId id = link.id + ConnectionId{1};
  if (dead_) link.client_side = ClientSide::failed;
  open_.push_back(id);
  return id;
}

LinkStatus SimTransport::status(ConnectionId connection) {
  if (dead_) return {LinkState::failed, Fault::closed, "the process is gone"};
  const Connection& link = at(connection);
  switch (link.client_side) {
    case ClientSide::connecting:
      return {};
    case ClientSide::connected:
      return {LinkState::connected, Fault::none, {}};
    default:
      return {LinkState::failed, link.fault, link.reason};
  }
}

IoResult SimTransport::send(ConnectionId connection, std::string_view bytes) {
  Connection& link = at(connection);
  if (dead_ || link.client_side == ClientSide::failed) return {IoState::ended, 0, link.reason};
  const std::int64_t unused_ns = network_.now_ns() - link.used_ns;
  const std::int64_t sighted_ns = network_.now_ns() - blind_until_ns_;
  const bool stale = forgetful_ && std::min(unused_ns, sighted_ns) >= kStaleNs;
  const std::int64_t over_ns = network_.now_ns() - link.ended_ns;
  const bool over = link.peer_ended && std::min({unused_ns, sighted_ns, over_ns}) >= kLookNs;
  // A removal may go there: it is carried to the next connection when this one turns out to be
  // dead. So may the rest of a take: what the kernel took in part has to be finished.
  link.outlived = link.outlived || unused_ns >= idle_limit_ns() / 2;
  link.misused = link.misused || ((stale || over) && has_take(bytes));
  time_.pass();
  const std::size_t size = network_.send_up(link, bytes);
  if (size == 0) return {};
  return {IoState::progress, size, {}};
}

IoResult SimTransport::receive(ConnectionId connection, std::span<char> into) {
  Connection& link = at(connection);
  if (dead_) return {IoState::ended, 0, "the process is gone"};
  const std::size_t unread = link.inbox.size() - link.inbox_offset;
  if (unread > 0) {
    const std::size_t size = std::min(unread, into.size());
    std::memcpy(into.data(), link.inbox.data() + link.inbox_offset, size);
    link.inbox_offset += size;
    link.read += size;
    if (link.inbox_offset == link.inbox.size()) {
      link.inbox.clear();
      link.inbox_offset = 0;
    }
    return {IoState::progress, size, {}};
  }
  if (link.client_side == ClientSide::failed) return {IoState::ended, 0, link.reason};
  if (link.peer_ended) return {IoState::ended, 0, "closed by the server"};
  return {};
}

// Of this, half counts, for a client's clock may be fast.
std::int64_t SimTransport::idle_limit_ns() const {
  return forgetful_ ? kIdleLimitMs * kMs : kIdleLimitDefault.count_ns();
}

void SimTransport::close(ConnectionId connection) {
  if (dead_) return;
  note_close(at(connection));
  network_.close(at(connection));
  std::erase(open_, connection);
}

void SimTransport::close_behind(ConnectionId connection) {
  if (dead_) return;
  note_close(at(connection));
  network_.close_behind(at(connection));
  std::erase(open_, connection);
}

void SimTransport::note_close(Connection& link) {
  link.by_the_end = request_ends_;
  const std::size_t unread = link.inbox.size() - link.inbox_offset;
  const bool unused = link.outlived || network_.now_ns() - link.used_ns >= idle_limit_ns() / 2;
  const bool ended = link.client_side == ClientSide::failed || link.peer_ended;
  // Also of one that was unused for long: its successor is made by the call that needs it.
  gave_up_ = gave_up_ || !ended;
  gave_up_sound_ = gave_up_sound_ || (!ended && !unused && link.down.delivered > unread);
}

void SimTransport::forget_all() { open_.clear(); }

void SimTransport::inherit() { inherited_until_ = network_.connection_count(); }

Woken SimTransport::end_interrupted() {
  --interrupts_;
  interrupted_ = true;
  if (handler_) handler_();
  return Woken::interrupted;
}

Woken SimTransport::wait(std::span<Interest> interests, Instant deadline) {
  for (;;) {
    if (look(interests)) return Woken::ready;
    // With a deadline that has passed nobody waits.
    if (interrupts_ > 0 && deadline > Instant()) return end_interrupted();
    if (!pump_) return Woken::deadline;
    if (!pump_(deadline)) return Woken::deadline;
  }
}

bool SimTransport::look(std::span<Interest> interests) {
  // Nobody is left to wait: whatever still asks finds every connection broken.
  for (Interest& interest : interests) interest.readable = dead_;
  if (dead_) return !interests.empty();
  bool any = false;
  polled_.clear();
  for (Interest& interest : interests) {
    const Connection& link = at(interest.connection);
    misused_ = misused_ || link.misused;
    polled_.push_back(interest.connection);
    interest.readable = readable(link);
    interest.writable = interest.wants.write && link.client_side != ClientSide::connecting &&
                        network_.room(link) > 0;
    any = any || interest.readable || interest.writable;
  }
  return any;
}

void SimTransport::die() {
  for (const ConnectionId id : open_) {
    if (id > inherited_until_) network_.close(at(id));
  }
  dead_ = true;
}

bool SimTransport::has_unread() const {
  return std::ranges::any_of(polled_, [this](ConnectionId id) {
    const Connection& link = network_.connection(static_cast<std::uint32_t>(id - 1));
    if (link.client_side == ClientSide::closed) return false;
    // Where nothing is asked, nobody would come to see an end that follows the last bytes at once.
    const bool listens = !link.session.channels.empty();
    return link.inbox_offset < link.inbox.size() || (listens && readable(link));
  });
}

}  // namespace redlock::sim
