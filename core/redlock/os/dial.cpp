// connect(2) on one address after the other, each in its time.
#include "redlock/os/dial.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

namespace {

// Of a connection that says nothing: routers and balancers forget it after some minutes, and are
// reminded of it before.
constexpr int kKeepAliveIdleSeconds = 60;

std::string error_text(int error) { return std::generic_category().message(error); }

void set_option(int socket, int level, int option, int value) {
  // Without it the connection works, if less well.
  static_cast<void>(setsockopt(socket, level, option, &value, sizeof(value)));
}

// Connecting or connected; closed, with errno set, where it fails at once.
Descriptor start_connecting(const SocketAddress& address) {
  Descriptor begun(socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!begun.open()) return begun;
  if (address.family != AF_UNIX) {
    set_option(begun.number(), IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(begun.number(), SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(begun.number(), IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  }
  const auto* name = reinterpret_cast<const sockaddr*>(&address.storage);
  if (connect(begun.number(), name, address.length) == 0 || errno == EINPROGRESS) return begun;
  begun = Descriptor();
  return begun;
}

// The verdict on a connect under way: nothing while it is undecided.
std::optional<int> connect_error(int socket) {
  pollfd probe{socket, POLLOUT, 0};
  const int ready = poll(&probe, 1, 0);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return std::nullopt;
  if (ready < 0) return errno;
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace

Dial::Dial(std::vector<SocketAddress> addresses, Instant now, Instant answer_by)
    : addresses_(std::move(addresses)), answer_by_(answer_by), next_at_(now) {
  REDLOCK_INVARIANT(!addresses_.empty());
  attempts_.reserve(addresses_.size());
  advance(now);
}

void Dial::advance(Instant now) {
  if (done()) return;
  for (auto attempt = attempts_.begin(); attempt != attempts_.end();) {
    const std::optional<int> error = connect_error(attempt->socket.number());
    if (error && *error == 0) {
      winner_ = attempt->index;
      connection_ = std::move(attempt->socket);
      return attempts_.clear();
    }
    attempt = error ? attempts_.erase(attempt) : attempt + 1;
    if (!error) continue;
    next_at_ = now;
    // Last: it may throw, and the system tells a socket's error only once.
    lose(*error);
  }
  while (begun_count_ < addresses_.size() && now >= next_at_) begin_next(now);
  failed_ = attempts_.empty() && begun_count_ == addresses_.size();
}

void Dial::begin_next(Instant now) {
  const SocketAddress& address = addresses_[begun_count_];
  Descriptor begun = start_connecting(address);
  if (!begun.open() && errno == EAGAIN && address.family == AF_UNIX) {
    reason_ = "the server has no room for another connection";
    next_at_ = now + kBusyPause;
    return;
  }
  const auto left = static_cast<std::int64_t>(addresses_.size() - begun_count_);
  const std::size_t index = begun_count_++;
  if (!begun.open()) return lose(errno);
  attempts_.push_back({index, std::move(begun)});
  next_at_ = now + std::min(Duration::ns((answer_by_ - now).count_ns() / left), kAddressShareMax);
}

void Dial::lose(int error) {
  fault_ = error == ECONNREFUSED ? Fault::refused : Fault::connect;
  reason_ = error_text(error);
}

void Dial::watch(std::vector<pollfd>& polled) const {
  for (const Attempt& attempt : attempts_) polled.push_back({attempt.socket.number(), POLLOUT, 0});
}

Instant Dial::wake_at() const {
  return done() || begun_count_ == addresses_.size() ? Instant::never() : next_at_;
}

bool Dial::doubtful(Instant now) const {
  return failed_ || (!winner_ && (now >= answer_by_ || begun_count_ > 1));
}

std::optional<SocketAddress> Dial::next_first() const {
  if (addresses_.size() == 1) return std::nullopt;
  return addresses_[winner_ ? *winner_ : 1];
}

}  // namespace redlock
