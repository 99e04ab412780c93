// The system calls.
#include "redlock/os/socket.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <system_error>

#include "redlock/algorithm/invariant.hpp"
#include "redlock/os/alarm.hpp"

namespace redlock {

namespace {

// Where polling itself fails and there is no connection that could be told.
constexpr timespec kBlindPause{0, 5'000'000};

// As ppoll takes it; nothing for `never`.
std::optional<timespec> span_until(Instant wake, Instant now) {
  if (wake == Instant::never()) return std::nullopt;
  const std::int64_t left = std::max<std::int64_t>((wake - now).count_ns(), 0);
  return timespec{left / 1'000'000'000, left % 1'000'000'000};
}

}  // namespace

SocketTransport::SocketTransport(Clock& clock, NameSources sources, Waker* waker)
    : clock_(clock), waker_(waker), resolver_(std::move(sources)) {}

SocketTransport::~SocketTransport() {
  if (!watch_.forked()) half_closed_.close_all(clock_);
  forget_all();
}

void SocketTransport::prepare(const Endpoint& endpoint) {
  if (endpoint.tls) tls_contexts_.prepare(*endpoint.tls);
}

ConnectionId SocketTransport::open(const Endpoint& endpoint, Instant answer_by) {
  half_closed_.close_answered();
  const Instant now = clock_.now();
  links_.try_emplace(last_id_ + 1, endpoint, answer_by, resolver_, tls_contexts_, now);
  return ++last_id_;
}

SocketLink& SocketTransport::link(ConnectionId connection) {
  const auto found = links_.find(connection);
  REDLOCK_INVARIANT(found != links_.end());
  return found->second;
}

LinkStatus SocketTransport::status(ConnectionId connection) { return link(connection).status(); }

Wants SocketTransport::wants(ConnectionId connection, bool has_output) {
  return link(connection).wants(has_output);
}

// By TLS it reads a record, and may write before it reads the next one. And to a unix socket that
// is closed no server can write, not even once.
std::size_t SocketTransport::read_at_once(ConnectionId connection) {
  const SocketLink& asked = link(connection);
  return asked.through_tls() || !asked.by_name() ? 0 : kReadAtOnceBytes;
}

IoResult SocketTransport::note_moved(IoResult moved) {
  const bool any = moved.state == IoState::progress;
  if (any && waker_ != nullptr) awake_until_ = clock_.now() + kAwake;
  return moved;
}

IoResult SocketTransport::send(ConnectionId connection, std::string_view bytes) {
  return note_moved(link(connection).send(bytes));
}

IoResult SocketTransport::receive(ConnectionId connection, std::span<char> into) {
  return note_moved(link(connection).receive(into));
}

void SocketTransport::close(ConnectionId connection) {
  SocketLink& closed = link(connection);
  closed.take_leave(resolver_, clock_);
  if (closed.descriptor().open()) {
    drain(closed.descriptor());
    shutdown(closed.descriptor().number(), SHUT_WR);
  }
  links_.erase(connection);
}

void SocketTransport::close_behind(ConnectionId connection) {
  SocketLink& closed = link(connection);
  closed.take_leave(resolver_, clock_);
  if (closed.descriptor().open()) half_closed_.add(std::move(closed.descriptor()));
  links_.erase(connection);
}

// Whoever else has the socket, a child of a fork: it is disconnected, by a reset. A unix socket
// knows no such thing.
void SocketTransport::reset(ConnectionId connection) {
  const Descriptor& ended = link(connection).descriptor();
  constexpr sockaddr kNobody{.sa_family = AF_UNSPEC, .sa_data = {}};
  if (ended.open() && connect(ended.number(), &kNobody, sizeof(kNobody)) != 0) {
    shutdown(ended.number(), SHUT_RDWR);
  }
  links_.erase(connection);
}

void SocketTransport::forget_place(const Endpoint& endpoint) {
  resolver_.forget(endpoint.host, endpoint.port);
}

void SocketTransport::forget_all() {
  watch_.start_over();
  half_closed_.forget();
  poll_set_.forget();
  links_.clear();
  resolver_.forget_all();
  if (waker_ != nullptr) waker_->start_over();
}

Woken SocketTransport::wait(std::span<Interest> interests, Instant deadline) {
  if (!half_closed_.empty()) half_closed_.look(clock_.now());
  for (;;) {
    const Instant wake = gather(interests, deadline);
    const int ready = poll_until(wake);
    const int error = errno;
    // A signal handler may have forked: look-ups and dials are the parent's then.
    if (watch_.forked()) return Woken::interrupted;
    if (ready < 0) {
      if (error == EINTR) return Woken::interrupted;
      if (!interests.empty()) return fail_polling(interests, error);
      if (nanosleep(&kBlindPause, nullptr) != 0) return Woken::interrupted;
    }
    if (report(interests)) return Woken::ready;
    if (waker_ != nullptr && waker_->take_call()) return Woken::called;
    if (deadline <= Instant() || clock_.now() >= deadline) return Woken::deadline;
  }
}

std::optional<Watch> SocketTransport::watch(std::span<const Interest> interests) {
  const Instant until = gather(interests, Instant::never());
  const int descriptor = poll_set_.match(polled_);
  if (descriptor < 0) return std::nullopt;
  return Watch{descriptor, until};
}

int SocketTransport::poll_until(Instant wake) {
  // With a deadline that has passed, the clock need not be asked.
  Instant now = wake == Instant() ? Instant() : clock_.now();
  // Nothing but the waker is in the set where no server owes an answer.
  const Instant awake_until = polled_.size() > 1 ? std::min(wake, awake_until_) : Instant();
  for (; now < awake_until; now = clock_.now()) {
    constexpr timespec kNone{};
    const int ready = ppoll(polled_.data(), polled_.size(), &kNone, nullptr);
    if (ready != 0) return ready;
    // The server may want this very processor.
    sched_yield();
  }
  const auto span = span_until(wake, now);
  std::optional<Alarm> alarm;
  if (span && wake - now >= kAlarmedSleep) {
    polled_.push_back({alarm.emplace(wake - now).descriptor(), POLLIN, 0});
  }
  return ppoll(polled_.data(), polled_.size(), span ? &*span : nullptr, nullptr);
}

Instant SocketTransport::gather(std::span<const Interest> interests, Instant deadline) {
  polled_.clear();
  for (const Interest& interest : interests) {
    polled_.push_back(link(interest.connection).polled(interest.wants));
  }
  if (waker_ != nullptr) polled_.push_back({waker_->descriptor(), POLLIN, 0});
  Instant wake = deadline;
  for (const Interest& interest : interests) {
    const std::optional<Instant> look_at = link(interest.connection).watch(polled_, wake, clock_);
    if (!look_at) return Instant();
    wake = *look_at;
  }
  return wake;
}

bool SocketTransport::report(std::span<Interest> interests) {
  bool any = false;
  for (std::size_t i = 0; i < interests.size(); ++i) {
    Interest& interest = interests[i];
    SocketLink& found = link(interest.connection);
    const short events = polled_[i].revents;
    const bool opening = found.connecting();
    found.advance(events, resolver_, clock_);
    const LinkState state = found.status().state;
    const bool new_here = opening && state == LinkState::connected;
    interest.readable = (!opening && (events & ~POLLOUT) != 0) || state == LinkState::failed;
    interest.writable = (!opening && (events & POLLOUT) != 0) || new_here;
    any = any || interest.readable || interest.writable;
  }
  return any;
}

Woken SocketTransport::fail_polling(std::span<Interest> interests, int error) {
  const std::string reason =
      "waiting for the server failed: " + std::generic_category().message(error);
  for (Interest& interest : interests) {
    link(interest.connection).fail(reason);
    interest.readable = true;
    interest.writable = false;
  }
  return Woken::ready;
}

}  // namespace redlock
