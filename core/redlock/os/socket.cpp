// The system calls.
#include "redlock/os/socket.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>
#include <system_error>

#include "redlock/algorithm/invariant.hpp"
#include "redlock/os/alarm.hpp"
#include "redlock/os/socket_io.hpp"

namespace redlock {

namespace {

// Where polling itself fails and there is no connection that could be told.
constexpr timespec kBlindPause{0, 5'000'000};

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
  Link link;
  link.answer_by = answer_by;
  if (endpoint.tls) link.tls = std::make_unique<TlsLink>(tls_contexts_, endpoint);
  if (link.tls && !link.tls->trouble().empty()) {
    link.status = {LinkState::failed, Fault::tls, link.tls->trouble()};
  } else if (!endpoint.unix_path.empty()) {
    begin_dial(link, {{unix_address(endpoint.unix_path)}, {}}, now);
  } else {
    link.host = endpoint.host;
    link.port = endpoint.port;
    Resolver::Answer answer = resolver_.resolve(endpoint.host, endpoint.port, now);
    link.job = std::move(answer.job);
    link.status.reason = "resolving the host name";
    if (!link.job) begin_dial(link, std::move(answer.known), now);
  }
  links_.emplace(last_id_ + 1, std::move(link));
  return ++last_id_;
}

// The look-up stays until there is something in its place.
void SocketTransport::begin_dial(Link& link, Resolution found, Instant now) {
  if (found.addresses.empty()) {
    link.status = {LinkState::failed, Fault::resolve, std::move(found.failure)};
  } else {
    link.dial.emplace(std::move(found.addresses), now, link.answer_by);
  }
  link.job.reset();
  advance(link, now);
}

void SocketTransport::advance(Link& link, Instant now) {
  if (link.shaking()) return shake(link);
  if (link.job) {
    std::optional<Resolution> found = resolver_.drive(*link.job, now);
    if (!found) return;
    return begin_dial(link, std::move(*found), now);
  }
  if (!link.dial) return;
  link.dial->advance(now);
  link.status.reason = link.dial->reason();
  if (!link.dial->done()) return;
  note_dial(link, now);
  LinkStatus failed{LinkState::failed, link.dial->fault(), link.dial->reason()};
  // From here on nothing is thrown: a connection is not taken twice.
  link.descriptor = link.dial->take_connection();
  link.status = link.descriptor.open() ? LinkStatus{LinkState::connected, Fault::none, {}}
                                       : std::move(failed);
  link.dial.reset();
  if (link.tls && link.status.state == LinkState::connected) shake(link);
}

void SocketTransport::shake(Link& link) {
  link.tls->shake(link.descriptor.number());
  link.status = link.tls->status();
}

void SocketTransport::note_dial(const Link& link, Instant now) {
  const bool doubtful = link.dial->doubtful(now);
  if (link.host.empty() || !(doubtful || link.dial->done())) return;
  if (doubtful) resolver_.forget(link.host, link.port);
  if (const auto first = link.dial->next_first()) resolver_.prefer(link.host, link.port, *first);
}

SocketTransport::Link& SocketTransport::link(ConnectionId connection) {
  const auto found = links_.find(connection);
  REDLOCK_INVARIANT(found != links_.end());
  return found->second;
}

LinkStatus SocketTransport::status(ConnectionId connection) { return link(connection).status; }

Wants SocketTransport::wants(ConnectionId connection, bool has_output) {
  const Link& used = link(connection);
  const bool through_tls = used.tls && used.descriptor.open() && used.broken.empty();
  return through_tls ? used.tls->wants(has_output) : Transport::wants(connection, has_output);
}

// By TLS it reads a record, and may write before it reads the next one. And to a unix socket that
// is closed no server can write, not even once.
std::size_t SocketTransport::read_at_once(ConnectionId connection) {
  const Link& asked = link(connection);
  return asked.tls || asked.host.empty() ? 0 : kReadAtOnceBytes;
}

IoResult SocketTransport::note_moved(IoResult moved) {
  const bool any = moved.state == IoState::progress;
  if (any && waker_ != nullptr) awake_until_ = clock_.now() + kAwake;
  return moved;
}

IoResult SocketTransport::send(ConnectionId connection, std::string_view bytes) {
  const Link& used = link(connection);
  if (!used.broken.empty()) return {IoState::ended, 0, used.broken, Fault::closed, false};
  const int descriptor = used.descriptor.number();
  return note_moved(used.tls ? used.tls->send(descriptor, bytes) : send_some(descriptor, bytes));
}

IoResult SocketTransport::receive(ConnectionId connection, std::span<char> into) {
  Link& used = link(connection);
  if (!used.broken.empty()) return {IoState::ended, 0, used.broken, Fault::closed, false};
  const int descriptor = used.descriptor.number();
  if (used.tls) return note_moved(used.tls->receive(descriptor, into));
  return note_moved(receive_some(descriptor, into));
}

void SocketTransport::take_leave(const Link& closed) noexcept {
  try {
    if (closed.dial) note_dial(closed, clock_.now());
    if (closed.tls && closed.descriptor.open()) {
      closed.tls->say_goodbye(closed.descriptor.number());
    }
  } catch (const std::bad_alloc&) {
    // The server sees the end all the same; that an address led nowhere is found out once more.
  }
}

void SocketTransport::close(ConnectionId connection) {
  const Link& closed = link(connection);
  take_leave(closed);
  if (closed.descriptor.open()) {
    drain(closed.descriptor);
    shutdown(closed.descriptor.number(), SHUT_WR);
  }
  links_.erase(connection);
}

void SocketTransport::close_behind(ConnectionId connection) {
  Link& closed = link(connection);
  take_leave(closed);
  if (closed.descriptor.open()) half_closed_.add(std::move(closed.descriptor));
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
    const Link& watched = link(interest.connection);
    // While it shakes hands its user's wishes are none of the socket's.
    const Wants wants = watched.shaking() ? watched.tls->wants(false) : interest.wants;
    const int events = (wants.read ? POLLIN : 0) | (wants.write ? POLLOUT : 0);
    polled_.push_back({watched.descriptor.number(), static_cast<short>(events), 0});
  }
  if (waker_ != nullptr) polled_.push_back({waker_->descriptor(), POLLIN, 0});
  Instant wake = deadline;
  for (const Interest& interest : interests) {
    const Link& found = link(interest.connection);
    if (found.job) {
      // Another connection may have driven it to its end.
      if (found.job->look_up.done()) return Instant();
      found.job->look_up.watch(polled_);
      const std::optional<Duration> patience = found.job->look_up.patience();
      if (patience && wake > Instant()) wake = std::min(wake, clock_.now() + *patience);
    } else if (found.dial) {
      found.dial->watch(polled_);
      wake = std::min(wake, found.dial->wake_at());
    } else if (!found.descriptor.open()) {
      return Instant();
    }
  }
  return wake;
}

bool SocketTransport::report(std::span<Interest> interests) {
  bool any = false;
  for (std::size_t i = 0; i < interests.size(); ++i) {
    Interest& interest = interests[i];
    Link& found = link(interest.connection);
    const short events = polled_[i].revents;
    const bool opening = found.status.state == LinkState::connecting;
    if (found.job || found.dial || (opening && events != 0)) advance(found, clock_.now());
    const LinkState state = found.status.state;
    const bool new_here = opening && state == LinkState::connected;
    if (!opening && found.tls && (events & POLLOUT) != 0) {
      found.tls->flush(found.descriptor.number());
    }
    interest.readable = (!opening && (events & ~POLLOUT) != 0) || state == LinkState::failed;
    interest.writable = (!opening && (events & POLLOUT) != 0) || new_here;
    any = any || interest.readable || interest.writable;
  }
  return any;
}

// Nothing can be learnt of any connection: each ends with the reason, instead of being asked for
// ever.
Woken SocketTransport::fail_polling(std::span<Interest> interests, int error) {
  const std::string reason =
      "waiting for the server failed: " + std::generic_category().message(error);
  for (Interest& interest : interests) {
    Link& failed = link(interest.connection);
    if (failed.status.state == LinkState::connecting) {
      failed.status = {LinkState::failed, Fault::connect, reason};
      failed.job.reset();
      failed.dial.reset();
    }
    failed.broken = reason;
    interest.readable = true;
    interest.writable = false;
  }
  return Woken::ready;
}

}  // namespace redlock
