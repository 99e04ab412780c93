// Looking up, dialling, shaking hands; reading and writing.
#include "redlock/os/socket_link.hpp"

#include <poll.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "redlock/os/socket_io.hpp"

namespace redlock {

namespace {

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

}  // namespace

SocketLink::SocketLink(const Endpoint& endpoint, Instant answer_by, Resolver& resolver,
                       TlsContexts& tls_contexts, Instant now)
    : answer_by_(answer_by) {
  if (endpoint.tls) tls_ = std::make_unique<TlsLink>(tls_contexts, endpoint);
  if (tls_ && !tls_->trouble().empty()) {
    status_ = {LinkState::failed, Fault::tls, tls_->trouble()};
  } else if (!endpoint.unix_path.empty()) {
    begin_dial({{unix_address(endpoint.unix_path)}, {}}, resolver, now);
  } else {
    host_ = endpoint.host;
    port_ = endpoint.port;
    Resolver::Answer answer = resolver.resolve(endpoint.host, endpoint.port, now);
    job_ = std::move(answer.job);
    status_.reason = "resolving the host name";
    if (!job_) begin_dial(std::move(answer.known), resolver, now);
  }
}

// The look-up stays until there is something in its place.
void SocketLink::begin_dial(Resolution found, Resolver& resolver, Instant now) {
  if (found.addresses.empty()) {
    status_ = {LinkState::failed, Fault::resolve, std::move(found.failure)};
  } else {
    dial_.emplace(std::move(found.addresses), now, answer_by_);
  }
  job_.reset();
  go_on(resolver, now);
}

void SocketLink::go_on(Resolver& resolver, Instant now) {
  if (shaking()) return shake();
  if (job_) {
    std::optional<Resolution> found = resolver.drive(*job_, now);
    if (!found) return;
    return begin_dial(std::move(*found), resolver, now);
  }
  if (!dial_) return;
  dial_->advance(now);
  status_.reason = dial_->reason();
  if (dial_->done()) take_connection(resolver, now);
}

void SocketLink::take_connection(Resolver& resolver, Instant now) {
  note_dial(resolver, now);
  LinkStatus failed{LinkState::failed, dial_->fault(), dial_->reason()};
  // From here on nothing is thrown: a connection is not taken twice.
  descriptor_ = dial_->take_connection();
  status_ =
      descriptor_.open() ? LinkStatus{LinkState::connected, Fault::none, {}} : std::move(failed);
  dial_.reset();
  if (tls_ && status_.state == LinkState::connected) shake();
}

void SocketLink::shake() {
  tls_->shake(descriptor_.number());
  status_ = tls_->status();
}

void SocketLink::note_dial(Resolver& resolver, Instant now) const {
  const bool doubtful = dial_->doubtful(now);
  if (host_.empty() || !(doubtful || dial_->done())) return;
  if (doubtful) resolver.forget(host_, port_);
  if (const auto first = dial_->next_first()) resolver.prefer(host_, port_, *first);
}

Wants SocketLink::wants(bool has_output) const {
  const bool asks_tls = tls_ && descriptor_.open() && broken_.empty();
  return asks_tls ? tls_->wants(has_output) : Wants{true, has_output, false};
}

IoResult SocketLink::send(std::string_view bytes) {
  if (!broken_.empty()) return {IoState::ended, 0, broken_, Fault::closed, false};
  const int number = descriptor_.number();
  return tls_ ? tls_->send(number, bytes) : send_some(number, bytes);
}

IoResult SocketLink::receive(std::span<char> into) {
  if (!broken_.empty()) return {IoState::ended, 0, broken_, Fault::closed, false};
  const int number = descriptor_.number();
  return tls_ ? tls_->receive(number, into) : receive_some(number, into);
}

pollfd SocketLink::polled(const Wants& wants) const {
  // While it shakes hands its user's wishes are none of the socket's.
  const Wants own = shaking() ? tls_->wants(false) : wants;
  const int events = (own.read ? POLLIN : 0) | (own.write ? POLLOUT : 0);
  return {descriptor_.number(), static_cast<short>(events), 0};
}

std::optional<Instant> SocketLink::watch(std::vector<pollfd>& polled, Instant wake,
                                         Clock& clock) const {
  if (job_) {
    // Another connection may have driven it to its end.
    if (job_->look_up.done()) return std::nullopt;
    job_->look_up.watch(polled);
    const std::optional<Duration> patience = job_->look_up.patience();
    return patience && wake > Instant() ? std::min(wake, clock.now() + *patience) : wake;
  }
  if (dial_) {
    dial_->watch(polled);
    return std::min(wake, dial_->wake_at());
  }
  if (!descriptor_.open()) return std::nullopt;
  return wake;
}

void SocketLink::advance(short events, Resolver& resolver, Clock& clock) {
  const bool was_open = !connecting();
  if (job_ || dial_ || (!was_open && events != 0)) go_on(resolver, clock.now());
  if (was_open && tls_ && (events & POLLOUT) != 0) tls_->flush(descriptor_.number());
}

void SocketLink::fail(const std::string& reason) {
  if (connecting()) {
    status_ = {LinkState::failed, Fault::connect, reason};
    job_.reset();
    dial_.reset();
  }
  broken_ = reason;
}

void SocketLink::take_leave(Resolver& resolver, Clock& clock) noexcept {
  try {
    if (dial_) note_dial(resolver, clock.now());
    if (tls_ && descriptor_.open()) tls_->say_goodbye(descriptor_.number());
  } catch (const std::bad_alloc&) {
    // The server sees the end all the same; that an address led nowhere is found out once more.
  }
}

}  // namespace redlock
