// Streams, their delays and their ends.
#include "sim/network.hpp"

#include <algorithm>

#include "sim/sim_clock.hpp"
#include "sim/summary.hpp"

namespace redlock::sim {

namespace {

constexpr std::int64_t kSliceGapMaxNs = kMs;
constexpr std::int64_t kByteGapMaxNs = 50'000;
constexpr std::size_t kSingleBytesMax = 4096;
constexpr std::int64_t kRetransmitMaxNs = 60 * kMs;
constexpr std::size_t kBytesUsual = 500;  // on a connection
constexpr std::size_t kRoomForAll = std::numeric_limits<std::size_t>::max();

Pipe& pipe_of(Connection& connection, Direction direction) {
  return direction == kUp ? connection.up : connection.down;
}

// Does a request end `left` bytes before the end of `bytes`? A server does nothing about a part of
// one, so that single bytes need no events of their own before.
bool ends_request(std::string_view bytes, std::size_t left) {
  if (left == 0 || left + 1 > bytes.size()) return left == 0;
  const std::size_t at = bytes.size() - left;
  return bytes[at] == '*' && bytes[at - 1] == '\n';
}

EventKind delivery(Direction direction) {
  return direction == kUp ? EventKind::deliver_up : EventKind::deliver_down;
}

EndedLink account_of(const Connection& one) {
  const auto answered = std::ranges::upper_bound(one.answer_ends, one.read);
  return {one.written, static_cast<std::size_t>(answered - one.answer_ends.begin()), one.by_the_end,
          one.unaccepted_ns};
}

}  // namespace

Network::Network(NetworkEnds& ends, EventQueue& queue, Trace& trace, const std::int64_t& now_ns,
                 std::uint64_t seed, std::uint32_t clients, std::uint32_t servers)
    : ends_(ends),
      queue_(queue),
      trace_(trace),
      now_ns_(now_ns),
      random_(seed),
      servers_(servers),
      links_(std::size_t{clients} * servers) {}

std::int64_t Network::draw_delay(const Link& link) {
  std::int64_t delay = random_.between(link.delay_low_ns, link.delay_high_ns);
  if (now_ns_ < link.slow_until_ns) delay += random_.between(0, link.slow_by_ns);
  return delay;
}

Connection& Network::open(std::uint32_t client, std::uint32_t server) {
  Connection& connection = *connections_.emplace_back(std::make_unique<Connection>());
  connection.id = connection_count() - 1;
  connection.client = client;
  connection.server = server;
  connection.slicing = slicing_;
  connection.send_room = send_room_;
  connection.used_ns = now_ns_;
  for (std::string* text : {&connection.written, &connection.up.bytes, &connection.down.bytes}) {
    text->reserve(kBytesUsual);
  }
  const Link& path = link(client, server);
  std::int64_t from = std::max(now_ns_, ends_.client_sends_from_ns(client));
  if (now_ns_ < path.opens_fail_until_ns) {
    ++failed_open_count_;
    connection.fault = path.opens_fail_by;
    queue_.add(from, EventKind::connect, connection.id);
    return connection;
  }
  if (now_ns_ < path.opens_late_until_ns) {
    ++late_open_count_;
    from += random_.between(0, path.opens_late_by_ns);
  }
  queue_.add(from + draw_delay(path) + draw_delay(path), EventKind::connect, connection.id);
  return connection;
}

bool Network::blocked(Connection& connection, Direction direction, EventKind again) {
  const std::int64_t until = link(connection.client, connection.server).blocked_until_ns[direction];
  if (until <= now_ns_) return false;
  // Each connection sends again when its own timer says so: a newer one may be faster.
  queue_.add(until + random_.between(0, kRetransmitMaxNs), again, connection.id);
  return true;
}

void Network::connect(Connection& connection) {
  if (connection.client_side != ClientSide::connecting) return;
  if (connection.fault != Fault::none) {
    connection.client_side = ClientSide::failed;
    connection.reason =
        connection.fault == Fault::resolve ? "the name has no address" : "too many open files";
    return ends_.client_ready(connection.client);
  }
  if (blocked(connection, kUp, EventKind::connect)) return;
  if (blocked(connection, kDown, EventKind::connect)) return;
  switch (ends_.server_reachable(connection.server)) {
    case Reachable::silent:
      return;
    case Reachable::refused:
      connection.client_side = ClientSide::failed;
      connection.fault = Fault::connect;
      connection.reason = "connection refused";
      break;
    case Reachable::yes:
      connection.client_side = ClientSide::connected;
      connection.server_side = true;
      ends_.server_accepts(connection);
  }
  ends_.client_ready(connection.client);
}

void Network::add_piece(Connection& connection, Direction direction, const Pipe::Piece& piece) {
  Pipe& pipe = pipe_of(connection, direction);
  pipe.last_arrival_ns = piece.arrives_ns;
  pipe.pieces.push_back(piece);
  bool first = false;
  if (direction == kDown) {
    first = piece.arrives_ns == ends_.client_deadline_ns(connection.client) && random_.chance(1, 2);
  }
  queue_.add(piece.arrives_ns, delivery(direction), connection.id, 0, first);
}

void Network::enqueue(Connection& connection, Direction direction, std::size_t size, bool end) {
  Pipe& pipe = pipe_of(connection, direction);
  std::int64_t sent = now_ns_;
  if (direction == kUp) sent = std::max(sent, ends_.client_sends_from_ns(connection.client));
  std::int64_t arrives = sent + draw_delay(link(connection.client, connection.server));
  if (direction == kDown && !end) {
    const std::int64_t deadline = ends_.client_deadline_ns(connection.client);
    if (deadline > now_ns_) {
      arrives = deadline;
      ends_.held_back(deadline);
    }
  }
  arrives = std::max(arrives, pipe.last_arrival_ns);
  if (end || connection.slicing == Slicing::none) {
    return add_piece(connection, direction, {sent, now_ns_, arrives, size, end});
  }
  // A large answer byte by byte would only take long.
  const bool single = connection.slicing == Slicing::single_bytes && size < kSingleBytesMax;
  const std::int64_t gap = single ? kByteGapMaxNs : kSliceGapMaxNs;
  // A kernel that takes little has room again with each byte that leaves.
  const bool whole = single && direction == kUp && send_room_ == kRoomForAll;
  std::size_t together = 0;
  while (size > 0) {
    const std::size_t slice = single ? 1 : 1 + random_.below(size);
    if (slice < size) ++slice_count_;
    together += slice;
    size -= slice;
    if (!whole || ends_request(pipe.bytes, size)) {
      add_piece(connection, direction, {sent, now_ns_, arrives, together, false});
      together = 0;
    }
    arrives += random_.between(0, gap);
  }
}

std::size_t Network::room(const Connection& connection) {
  const Link& path = link(connection.client, connection.server);
  return now_ns_ < path.queue_full_until_ns ? 0 : connection.send_room;
}

std::size_t Network::send_up(Connection& connection, std::string_view bytes) {
  const std::size_t size = std::min(bytes.size(), room(connection));
  connection.taken = size == bytes.size();
  if (!connection.taken) ++(size < connection.send_room ? full_count_ : short_count_);
  if (connection.send_room != std::numeric_limits<std::size_t>::max()) {
    connection.send_room -= size;
  }
  if (size == 0) return 0;
  const std::int64_t unused_ns = now_ns_ - connection.used_ns;
  if (forgets_after_ns_ > 0 && unused_ns >= forgets_after_ns_) {
    connection.silent = connection.forgotten = true;
  }
  connection.used_ns = now_ns_;
  connection.up.bytes.append(bytes.substr(0, size));
  connection.written.append(bytes.substr(0, size));
  enqueue(connection, kUp, size, false);
  return size;
}

void Network::close(Connection& connection) {
  const bool was_connected = connection.client_side == ClientSide::connected;
  connection.client_side = ClientSide::closed;
  if (was_connected) enqueue(connection, kUp, 0, true);
}

void Network::close_behind(Connection& connection) {
  connection.half_closed = true;
  close(connection);
}

void Network::send_down(Connection& connection, std::string_view bytes) {
  const bool gone = connection.client_side == ClientSide::closed && !resets_on_close_;
  if (bytes.empty() || gone) return;
  const bool listens = !connection.session.channels.empty();
  const std::int64_t unused_ns = now_ns_ - connection.used_ns;
  if (listens && forgets_after_ns_ > 0 && unused_ns >= forgets_after_ns_) connection.silent = true;
  connection.down.bytes.append(bytes);
  enqueue(connection, kDown, bytes.size(), false);
}

void Network::end_down(Connection& connection) { enqueue(connection, kDown, 0, true); }

void Network::cut_off(std::uint32_t client) {
  for (const auto& one : connections_) {
    if (one->client == client) one->silent = true;
  }
}

void Network::heal() {
  send_room_ = std::numeric_limits<std::size_t>::max();
  for (const auto& connection : connections_) {
    connection->send_room = send_room_;
    connection->up.reset_after = connection->down.reset_after = kNeverReset;
  }
}

std::vector<EndedLink> Network::ended(std::uint32_t client, std::uint32_t server,
                                      std::uint32_t newest) const {
  std::vector<EndedLink> ended;
  for (const auto& one : connections_) {
    if (one->client != client || one->server != server) continue;
    const bool open = one->client_side == ClientSide::connected && !one->peer_ended;
    if ((open && one->id >= newest) || one->client_side == ClientSide::connecting) continue;
    ended.push_back(account_of(*one));
  }
  return ended;
}

std::vector<EndedLink> Network::forgotten(std::uint32_t client, std::uint32_t server) const {
  std::vector<EndedLink> forgotten;
  for (const auto& one : connections_) {
    if (one->client != client || one->server != server || !one->forgotten) continue;
    if (one->client_side == ClientSide::connected) forgotten.push_back(account_of(*one));
  }
  return forgotten;
}

bool Network::sound(std::uint32_t client, std::uint32_t server) const {
  return std::ranges::all_of(connections_, [client, server](const auto& one) {
    if (one->client != client || one->server != server) return true;
    if (one->client_side == ClientSide::closed) return true;
    return one->client_side == ClientSide::connected && one->server_side && !one->silent &&
           !one->spoiled && !one->peer_ended && one->up.reset_after == kNeverReset &&
           one->down.reset_after == kNeverReset;
  });
}

bool Network::under_way(std::uint32_t client, std::uint32_t server, std::uint32_t except) const {
  return std::ranges::any_of(connections_, [client, server, except](const auto& one) {
    if (one->client != client || one->server != server || one->id == except) return false;
    return one->up.bytes_offset < one->up.bytes.size() || !one->unread.empty();
  });
}

void Network::reset(Connection& connection) {
  for (Pipe* pipe : {&connection.up, &connection.down}) {
    pipe->bytes.clear();
    pipe->bytes_offset = 0;
    pipe->pieces.clear();
    pipe->pieces_offset = 0;
  }
  connection.server_side = false;
  connection.unread.clear();
  if (connection.client_side != ClientSide::connected) return;
  connection.client_side = ClientSide::failed;
  connection.fault = Fault::closed;
  connection.reason = "connection reset by peer";
  ends_.client_ready(connection.client);
}

void Network::take(const Event& event) {
  Connection& connection = *connections_[event.subject];
  if (event.kind == EventKind::connect) return connect(connection);
  deliver(connection, event.kind == EventKind::deliver_up ? kUp : kDown);
}

void Network::deliver(Connection& connection, Direction direction) {
  Pipe& pipe = pipe_of(connection, direction);
  if (pipe.pieces_offset == pipe.pieces.size()) return;
  if (pipe.pieces[pipe.pieces_offset].arrives_ns > now_ns_) return;
  if (blocked(connection, direction, delivery(direction))) return;
  const Pipe::Piece piece = pipe.pieces[pipe.pieces_offset++];
  if (pipe.pieces_offset == pipe.pieces.size()) {
    pipe.pieces.clear();
    pipe.pieces_offset = 0;
  }
  if (piece.end) return hand_over_end(connection, direction);
  const std::size_t size = std::min<std::uint64_t>(piece.size, pipe.reset_after - pipe.delivered);
  const auto bytes = std::string_view(pipe.bytes).substr(pipe.bytes_offset, size);
  if (direction == kUp) connection.written_ns = piece.written_ns;
  tell_story(connection, direction, piece, bytes);
  trace_.fold(bytes);
  pipe.bytes_offset += piece.size;
  pipe.delivered += size;
  if (direction == kUp && connection.send_room < send_room_) {
    connection.send_room += piece.size;
    if (connection.client_side == ClientSide::connected) ends_.client_ready(connection.client);
  }
  hand_over(connection, direction, bytes);
  if (pipe.delivered >= pipe.reset_after) {
    if (connection.client_side == ClientSide::connected) ends_.breaks(connection);
    return reset(connection);
  }
  if (pipe.bytes_offset == pipe.bytes.size()) {
    pipe.bytes.clear();
    pipe.bytes_offset = 0;
  }
}

void Network::hand_over(Connection& connection, Direction direction, std::string_view bytes) {
  if (connection.silent) return;
  if (direction == kDown) {
    if (connection.client_side == ClientSide::closed) return answer_closed(connection);
    if (connection.client_side != ClientSide::connected) return;
    connection.inbox.append(bytes);
    return ends_.client_ready(connection.client);
  }
  if (connection.server_side) return ends_.server_receives(connection, bytes);
  // Nobody is there any more who could read it.
  if (ends_.server_reachable(connection.server) != Reachable::silent) reset(connection);
}

// The client's kernel says that nobody is there. What is still on its way arrives before that.
void Network::answer_closed(Connection& connection) {
  if (!resets_on_close_ || connection.half_closed) return;
  const bool all_arrived = connection.up.pieces_offset == connection.up.pieces.size();
  if (!all_arrived || connection.unread.empty()) return;
  ++reset_on_close_count_;
  connection.unread.clear();
  connection.server_side = false;
}

void Network::hand_over_end(Connection& connection, Direction direction) {
  if (connection.silent) return;
  if (direction == kUp) {
    if (connection.server_side) ends_.server_sees_end(connection);
    return;
  }
  connection.peer_ended = true;
  connection.ended_ns = now_ns_;
  if (connection.client_side == ClientSide::connected) ends_.client_ready(connection.client);
}

void Network::tell_story(const Connection& connection, Direction direction,
                         const Pipe::Piece& piece, std::string_view bytes) {
  Story* story = trace_.story();
  if (story == nullptr) return;
  std::string text = direction == kUp ? summarize_requests(bytes) : summarize_answers(bytes);
  if (connection.silent) text += " (lost: half-open)";
  trace_.note(now_ns_, (direction == kUp ? "client " + std::to_string(connection.client) +
                                               " -> server " + std::to_string(connection.server)
                                         : "server " + std::to_string(connection.server) +
                                               " -> client " + std::to_string(connection.client)) +
                           "  " + text);
  story->messages.push_back({piece.sent_ns, now_ns_, connection.client, connection.server,
                             direction == kUp, std::move(text)});
}

}  // namespace redlock::sim
