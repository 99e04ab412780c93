// Moves bytes between the library and fake servers.
#include "support/fake_transport.hpp"

#include <algorithm>
#include <stdexcept>

namespace redlock::test {

ConnectionId FakeTransport::open(const Endpoint& endpoint, Instant /*answer_by*/) {
  Link link;
  link.server = &servers_[endpoint.display()];
  ++link.server->connections_opened;
  const bool vanishes = link.server->reach == FakeServer::Reach::vanishes;
  link.decided_at = vanishes ? Instant::never() : clock_.now() + link.server->connect_time;
  links_.emplace(++last_id_, std::move(link));
  return last_id_;
}

LinkStatus FakeTransport::status(ConnectionId connection) {
  const Link& link = links_.at(connection);
  if (clock_.now() < link.decided_at) return {LinkState::connecting, Fault::none, "connecting"};
  if (link.server->reach == FakeServer::Reach::refuses) {
    return {LinkState::failed, link.server->refusal, "Connection refused"};
  }
  return {LinkState::connected, Fault::none, {}};
}

IoResult FakeTransport::send(ConnectionId connection, std::string_view bytes) {
  Link& link = links_.at(connection);
  if (link.closed_by_server) return {IoState::ended, 0, "the connection broke"};
  if (clock_.now() >= room_at_) send_room = ~std::size_t{0};
  ++send_count;
  const std::size_t size = std::min(bytes.size(), send_room);
  if (size == 0) return {};
  send_room -= size;
  clock_.advance(send_time);
  if (link.forgotten) return {IoState::progress, size, {}};
  link.to_server.append(bytes.substr(0, size));
  execute(link);
  return {IoState::progress, size, {}};
}

void FakeTransport::execute(Link& link) {
  if (link.server->stopped) return;
  for (const Arguments& request : take_requests(link.to_server)) {
    link.closed_by_server = link.closed_by_server || link.server->hangs_up_at.contains(request[0]);
    if (link.closed_by_server) return;
    std::string reply = link.server->execute(request);
    if (request.front() == "SUBSCRIBE" && reply.starts_with('*')) link.channel = request.at(1);
    if (link.closed_by_client || reply.empty()) continue;
    link.to_client.push_back({clock_.now() + link.server->answer_time, std::move(reply)});
  }
}

IoResult FakeTransport::receive(ConnectionId connection, std::span<char> into) {
  Link& link = links_.at(connection);
  if (!readable(link)) return {};
  if (link.to_client.empty() || link.to_client.front().at > clock_.now()) {
    return {IoState::ended, 0, "the server closed the connection"};
  }
  Link::Piece& piece = link.to_client.front();
  const std::size_t size = std::min(piece.bytes.size(), into.size());
  std::copy_n(piece.bytes.begin(), size, into.begin());
  piece.bytes.erase(0, size);
  if (piece.bytes.empty()) link.to_client.pop_front();
  return {IoState::progress, size, {}};
}

void FakeTransport::close(ConnectionId connection) {
  Link& link = links_.at(connection);
  if (link.closed_by_client) throw std::logic_error("closed twice");
  link.closed_by_client = true;
  link.to_client.clear();
}

void FakeTransport::forget_all() { links_.clear(); }

void FakeTransport::resume(FakeServer& server) {
  server.stopped = false;
  for (auto& [id, link] : links_) {
    if (link.server == &server) execute(link);
  }
}

void FakeTransport::drop_connections(FakeServer& server) {
  for (auto& [id, link] : links_) {
    if (link.server == &server) link.closed_by_server = true;
  }
}

void FakeTransport::forget_flows(FakeServer& server) {
  for (auto& [id, link] : links_) {
    if (link.server == &server) link.forgotten = true;
  }
}

std::size_t FakeTransport::publish(FakeServer& server, const std::string& channel,
                                   const std::string& payload) {
  std::size_t receivers = 0;
  for (auto& [id, link] : links_) {
    if (link.server != &server || link.channel != channel) continue;
    if (link.closed_by_client || link.closed_by_server) continue;
    ++receivers;
    if (link.forgotten) continue;
    link.to_client.push_back({clock_.now() + server.answer_time,
                              "*3\r\n" + bulk("message") + bulk(channel) + bulk(payload)});
  }
  return receivers;
}

std::vector<std::string> FakeTransport::channels(const FakeServer& server) const {
  std::vector<std::string> channels;
  for (const auto& [id, link] : links_) {
    const bool open = !link.closed_by_client && !link.closed_by_server;
    if (link.server == &server && open && !link.channel.empty()) channels.push_back(link.channel);
  }
  return channels;
}

std::size_t FakeTransport::open_count() const {
  const auto open = std::ranges::count_if(
      links_, [](const auto& entry) { return !entry.second.closed_by_client; });
  return static_cast<std::size_t>(open);
}

bool FakeTransport::readable(const Link& link) const {
  const bool arrived = !link.to_client.empty() && link.to_client.front().at <= clock_.now();
  return arrived || link.closed_by_server;
}

bool FakeTransport::writable(const Link& link) const {
  return clock_.now() >= link.decided_at && (send_room > 0 || clock_.now() >= room_at_);
}

Instant FakeTransport::next_event(const Link& link) {
  return link.to_client.empty() ? link.decided_at : link.to_client.front().at;
}

Woken FakeTransport::wait(std::span<Interest> interests, Instant deadline) {
  ++wait_count;
  if (std::exchange(interrupt_next_wait, false)) return Woken::interrupted;
  for (;;) {
    bool any = false;
    Instant next = Instant::never();
    for (Interest& interest : interests) {
      const Link& link = links_.at(interest.connection);
      interest.readable = readable(link);
      interest.writable = interest.wants.write && writable(link);
      any = any || interest.readable || interest.writable;
      const Instant event = next_event(link);
      if (event > clock_.now()) next = std::min(next, event);
    }
    if (send_room == 0 && room_at_ > clock_.now()) next = std::min(next, room_at_);
    if (any) return Woken::ready;
    if (next > deadline || next == Instant::never()) {
      if (deadline == Instant::never()) throw std::logic_error("nothing would ever wake this up");
      clock_.advance_to(deadline);
      return Woken::deadline;
    }
    clock_.advance_to(next);
  }
}

}  // namespace redlock::test
