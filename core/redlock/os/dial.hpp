// Connecting to one server by its addresses, none of which may cost the others their chance.
//
// Each address gets a share of the time; when that is over, or the address refuses, the next one is
// tried too, and the first that answers wins. A unix socket whose server has no room for another
// connection at the moment is asked again after a pause.
// Invariants: nothing blocks; descriptors that did not win are closed with the dial. One thread.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/os/address.hpp"
#include "redlock/os/descriptor.hpp"

struct pollfd;

namespace redlock {

// The most that a silent address delays the next one, however patient the caller is.
inline constexpr Duration kAddressShareMax = Duration::ms(250);
// Between two attempts on a unix socket that has no room for another connection.
inline constexpr Duration kBusyPause = Duration::ms(2);

class Dial {
 public:
  // At least one address. Begins at once.
  Dial(std::vector<SocketAddress> addresses, Instant now, Instant answer_by);

  // Looks at what is under way, and begins what is due.
  void advance(Instant now);
  [[nodiscard]] bool done() const { return winner_.has_value() || failed_; }
  // Once it is done: the connection, or nothing and why.
  [[nodiscard]] Descriptor take_connection() { return std::move(connection_); }
  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // Appends what to poll, and says when there is something to do though nothing came.
  void watch(std::vector<pollfd>& polled) const;
  [[nodiscard]] Instant wake_at() const;

  // The addresses are not to be trusted: all failed, or one was silent for all of its share.
  [[nodiscard]] bool doubtful(Instant now) const;
  // Where the next dial had better begin; nothing where there is no choice.
  [[nodiscard]] std::optional<SocketAddress> next_first() const;

 private:
  struct Attempt {
    std::size_t index;
    Descriptor socket;
  };
  void begin_next(Instant now);
  void lose(int error);

  std::vector<SocketAddress> addresses_;
  Instant answer_by_;
  std::vector<Attempt> attempts_;
  std::size_t begun_count_ = 0;
  // When the next address is due.
  Instant next_at_;
  std::optional<std::size_t> winner_;
  bool failed_ = false;
  Descriptor connection_;
  Fault fault_ = Fault::connect;
  std::string reason_ = "connecting";
};

}  // namespace redlock
