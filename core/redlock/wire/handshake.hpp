// What a connection says before anything else: AUTH, CLIENT SETNAME, SELECT, as its endpoint wants.
//
// It travels with the first command in one write. Behind a SELECT commands are held back until it
// is confirmed: a lock taken in another application's database would be worse than a round trip.
// Behind a name they are where its server may be one that hangs up at it: what was not sent can be
// sent on the next connection. Invariants: its answers come first, and in order. Pure. One thread;
// lives as long as its connection.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "redlock/algorithm/reply.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/endpoint.hpp"
#include "redlock/wire/secret.hpp"
#include "redlock/wire/server_words.hpp"

namespace redlock {

// How a server is told the client's name. There are proxies that close the connection at it.
enum class NameManner {
  travels,     // with everything else
  waited_for,  // nothing but the greeting is sent before it is answered
  left_out,
};

class Handshake {
 public:
  // Appends its requests to `out`, and leaves no other copy of the password.
  Handshake(const Endpoint& endpoint, WipedBuffer& out, NameManner manner = NameManner::travels);

  // Is everything answered?
  [[nodiscard]] bool done() const { return answered_ == steps_.size(); }
  // May commands be written? False while a SELECT is unconfirmed, or a name that is waited for.
  [[nodiscard]] bool admits() const { return selected_ && !waits_for_name_; }
  // Is the name unanswered that is waited for?
  [[nodiscard]] bool waits_for_name() const { return waits_for_name_; }
  // Has the server answered it?
  [[nodiscard]] bool named() const { return named_; }

  struct Refusal {
    Fault fault = Fault::none;
    std::string reason;
  };
  // The next answer. Not done before. A refusal is the end of the connection.
  [[nodiscard]] std::optional<Refusal> take_reply(const RespValue& value, const Secrets& secrets);

 private:
  enum class Step { auth, set_name, select };

  std::vector<Step> steps_;  // in the order of their answers
  std::size_t answered_ = 0;
  bool selected_ = true;
  bool waits_for_name_ = false;
  bool named_ = false;
};

}  // namespace redlock
