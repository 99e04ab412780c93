// One connection over TCP or a unix socket, from the look-up of its server's name to its end.
//
// While it is connecting, either a look-up or a dial is under way, or there is the socket, on which
// TLS begins. Nothing here waits. One thread.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/os/clock.hpp"
#include "redlock/os/descriptor.hpp"
#include "redlock/os/dial.hpp"
#include "redlock/os/resolver.hpp"
#include "redlock/os/tls_link.hpp"
#include "redlock/os/transport.hpp"

struct pollfd;

namespace redlock {

class SocketLink {
 public:
  // Begins to connect.
  SocketLink(const Endpoint& endpoint, Instant answer_by, Resolver& resolver,
             TlsContexts& tls_contexts, Instant now);

  [[nodiscard]] const LinkStatus& status() const { return status_; }
  [[nodiscard]] bool connecting() const { return status_.state == LinkState::connecting; }
  [[nodiscard]] bool through_tls() const { return tls_ != nullptr; }
  [[nodiscard]] bool by_name() const { return !host_.empty(); }
  [[nodiscard]] Wants wants(bool has_output) const;
  [[nodiscard]] IoResult send(std::string_view bytes);
  [[nodiscard]] IoResult receive(std::span<char> into);

  // What its socket is polled for, when its user waits for `wants`; no descriptor where it has none
  // yet.
  [[nodiscard]] pollfd polled(const Wants& wants) const;
  // Adds what is polled of a look-up or a dial. Gives when to look at them at the latest: at
  // `wake`, or before. Nothing where there is something to do at once.
  [[nodiscard]] std::optional<Instant> watch(std::vector<pollfd>& polled, Instant wake,
                                             Clock& clock) const;
  // Moves on what is under way. `events` is what polling says of the socket.
  void advance(short events, Resolver& resolver, Clock& clock);
  // Nothing can be learnt of it any more: it ends with the reason, instead of being asked for ever.
  void fail(const std::string& reason);
  // What is left to be said of it, and on it, as far as there is memory for that.
  void take_leave(Resolver& resolver, Clock& clock) noexcept;
  // Not open where there is none.
  [[nodiscard]] Descriptor& descriptor() { return descriptor_; }

 private:
  [[nodiscard]] bool shaking() const { return tls_ && descriptor_.open() && connecting(); }
  void begin_dial(Resolution found, Resolver& resolver, Instant now);
  void go_on(Resolver& resolver, Instant now);
  void take_connection(Resolver& resolver, Instant now);
  void shake();
  // Connections that are over without their server: the names' addresses are told from them.
  void note_dial(Resolver& resolver, Instant now) const;

  LinkStatus status_;
  Descriptor descriptor_;
  std::string host_;
  std::uint16_t port_ = 0;
  Instant answer_by_;
  std::shared_ptr<Resolver::Job> job_;
  std::optional<Dial> dial_;
  std::unique_ptr<TlsLink> tls_;  // null: plain
  std::string broken_;  // why it can be used no more, though its socket says nothing of it
};

}  // namespace redlock
