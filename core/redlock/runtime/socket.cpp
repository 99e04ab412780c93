// The system calls.
#include "redlock/runtime/socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

namespace {

// Read and thrown away before a close, so that the kernel does not answer unread bytes with a
// reset that could overtake our last command.
constexpr std::size_t kDrainBytesMax = 256 * 1024;

std::string error_text(int error) { return std::generic_category().message(error); }

SocketAddress unix_address(const std::string& path) {
  SocketAddress address;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), std::min(path.size(), sizeof(name.sun_path) - 1));
  std::memcpy(&address.storage, &name, sizeof(name));
  address.length = sizeof(name);
  address.family = AF_UNIX;
  return address;
}

void set_option(int descriptor, int level, int option) {
  const int on = 1;
  // Without it the connection works, if less well.
  static_cast<void>(setsockopt(descriptor, level, option, &on, sizeof(on)));
}

// -1 with errno where it fails at once; else connecting or connected.
int start_connecting(const SocketAddress& address) {
  const int descriptor = socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  if (address.family != AF_UNIX) {
    set_option(descriptor, IPPROTO_TCP, TCP_NODELAY);
    set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE);
  }
  const auto* name = reinterpret_cast<const sockaddr*>(&address.storage);
  if (connect(descriptor, name, address.length) == 0 || errno == EINPROGRESS) return descriptor;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return -1;
}

// The verdict on a connect under way: nothing while it is undecided.
std::optional<int> connect_error(int descriptor) {
  pollfd probe{descriptor, POLLOUT, 0};
  if (poll(&probe, 1, 0) <= 0) return std::nullopt;
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace

SocketTransport::SocketTransport(Clock& clock) : clock_(clock) {}

SocketTransport::~SocketTransport() { forget_all(); }

ConnectionId SocketTransport::open(const Endpoint& endpoint) {
  close_answered();
  Link link;
  if (!endpoint.unix_path.empty()) {
    link.addresses.push_back(unix_address(endpoint.unix_path));
  } else {
    Resolver::Answer answer = resolver_.resolve(endpoint.host, endpoint.port, clock_.now());
    link.addresses = std::move(answer.known.addresses);
    link.resolving = std::move(answer.job);
    link.host = endpoint.host;
    link.port = endpoint.port;
    if (!link.resolving && link.addresses.empty()) {
      link.status = {LinkState::failed, Fault::resolve, std::move(answer.known.failure)};
    }
  }
  if (link.status.state == LinkState::connecting) {
    link.status.reason = link.resolving ? "resolving the host name" : "connecting";
  }
  if (!link.resolving) connect_next(link);
  links_.emplace(++last_id_, std::move(link));
  return last_id_;
}

// Tries addresses until one is under way; the last one's failure is the connection's.
void SocketTransport::connect_next(Link& link) {
  if (link.descriptor >= 0) ::close(link.descriptor);
  link.descriptor = -1;
  int error = 0;
  while (link.descriptor < 0 && link.address_index < link.addresses.size()) {
    link.descriptor = start_connecting(link.addresses[link.address_index++]);
    error = errno;
  }
  if (link.descriptor < 0 && link.status.state == LinkState::connecting) {
    fail_connecting(link, error);
  }
}

void SocketTransport::fail_connecting(Link& link, int error) {
  link.status = {LinkState::failed, error == ECONNREFUSED ? Fault::refused : Fault::connect,
                 error_text(error)};
  resolver_.forget(link.host, link.port);
}

void SocketTransport::advance(Link& link) {
  if (link.resolving) {
    if (!link.resolving->done()) return;
    Resolution resolution = link.resolving->result();
    resolver_.remember(*link.resolving, clock_.now());
    link.resolving.reset();
    if (resolution.addresses.empty()) {
      link.status = {LinkState::failed, Fault::resolve, resolution.failure};
      return;
    }
    link.addresses = std::move(resolution.addresses);
    link.status.reason = "connecting";
    connect_next(link);
  }
  while (link.status.state == LinkState::connecting) {
    const std::optional<int> error = connect_error(link.descriptor);
    if (!error) return;
    if (*error == 0) {
      link.status = {LinkState::connected, Fault::none, {}};
      link.addresses.clear();
    } else if (link.address_index < link.addresses.size()) {
      connect_next(link);
    } else {
      fail_connecting(link, *error);
    }
  }
}

SocketTransport::Link& SocketTransport::link(ConnectionId connection) {
  const auto found = links_.find(connection);
  REDLOCK_INVARIANT(found != links_.end());
  return found->second;
}

LinkStatus SocketTransport::status(ConnectionId connection) {
  Link& found = link(connection);
  if (found.status.state == LinkState::connecting) advance(found);
  return found.status;
}

IoResult SocketTransport::send(ConnectionId connection, std::string_view bytes) {
  const int descriptor = link(connection).descriptor;
  for (;;) {
    const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) return {IoState::progress, static_cast<std::size_t>(sent), {}};
    if (sent < 0 && errno == EINTR) continue;
    if (sent == 0 || errno == EAGAIN || errno == EWOULDBLOCK) return {IoState::blocked, 0, {}};
    return {IoState::ended, 0, "the connection broke: " + error_text(errno)};
  }
}

IoResult SocketTransport::receive(ConnectionId connection, std::span<char> into) {
  const int descriptor = link(connection).descriptor;
  for (;;) {
    const ssize_t got = recv(descriptor, into.data(), into.size(), 0);
    if (got > 0) return {IoState::progress, static_cast<std::size_t>(got), {}};
    if (got == 0) return {IoState::ended, 0, "the server closed the connection"};
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoState::blocked, 0, {}};
    return {IoState::ended, 0, "the connection broke: " + error_text(errno)};
  }
}

void SocketTransport::close(ConnectionId connection) {
  const int descriptor = link(connection).descriptor;
  if (descriptor >= 0) {
    std::array<char, 16 * 1024> unread;
    for (std::size_t total = 0; total < kDrainBytesMax;) {
      const ssize_t got = recv(descriptor, unread.data(), unread.size(), MSG_DONTWAIT);
      if (got <= 0) break;
      total += static_cast<std::size_t>(got);
    }
    shutdown(descriptor, SHUT_WR);
    ::close(descriptor);
  }
  links_.erase(connection);
}

// Once the descriptor is gone, the kernel answers the server's first reply with a reset, and a
// server that is told so drops what it has not read yet: SETs carried out, their undo dropped.
void SocketTransport::close_behind(ConnectionId connection) {
  close_answered();
  const int descriptor = link(connection).descriptor;
  if (descriptor >= 0) {
    shutdown(descriptor, SHUT_WR);
    half_closed_.push_back(descriptor);
  }
  links_.erase(connection);
  if (half_closed_.size() <= kHalfClosedMax) return;
  ::close(half_closed_.front());
  half_closed_.pop_front();
}

void SocketTransport::close_answered() {
  std::erase_if(half_closed_, [](int descriptor) {
    pollfd probe{descriptor, POLLRDHUP, 0};
    if (poll(&probe, 1, 0) <= 0) return false;
    ::close(descriptor);
    return true;
  });
}

void SocketTransport::forget_all() {
  for (const auto& [id, link] : links_) {
    if (link.descriptor >= 0) ::close(link.descriptor);
  }
  for (const int descriptor : half_closed_) ::close(descriptor);
  half_closed_.clear();
  links_.clear();
  resolver_.forget_all();
}

Woken SocketTransport::wait(std::span<Interest> interests, Instant deadline) {
  polled_.clear();
  bool decided = false;
  for (const Interest& interest : interests) {
    const Link& found = link(interest.connection);
    // Failed already: there is nothing to wait for.
    decided = decided || (found.descriptor < 0 && !found.resolving);
    const short events = interest.want_write ? POLLIN | POLLOUT : POLLIN;
    polled_.push_back(found.resolving ? pollfd{found.resolving->descriptor(), POLLIN, 0}
                                      : pollfd{found.descriptor, events, 0});
  }
  timespec timeout{};
  const bool forever = !decided && deadline == Instant::never();
  if (!decided && !forever && deadline > Instant()) {
    const std::int64_t left = std::max<std::int64_t>((deadline - clock_.now()).count_ns(), 0);
    timeout = {left / 1'000'000'000, left % 1'000'000'000};
  }
  const int ready = ppoll(polled_.data(), polled_.size(), forever ? nullptr : &timeout, nullptr);
  if (ready < 0) return Woken::interrupted;
  for (std::size_t i = 0; i < interests.size(); ++i) {
    const short events = polled_[i].revents;
    interests[i].readable = polled_[i].fd < 0 || (events & ~POLLOUT) != 0;
    interests[i].writable = (events & POLLOUT) != 0;
  }
  return ready > 0 || decided ? Woken::ready : Woken::deadline;
}

}  // namespace redlock
