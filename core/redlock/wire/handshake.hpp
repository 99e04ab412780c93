// What a connection says before anything else: AUTH, CLIENT SETNAME, SELECT, as its endpoint wants.
//
// It travels with the first command in one write. Only behind a SELECT are commands held back until
// it is confirmed: a lock taken in another application's database would be worse than a round trip.
// Invariants: its answers come first, and in order. Pure. One thread; lives as long as its
// connection.
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

class Handshake {
 public:
  // Appends its requests to `out`, and leaves no other copy of the password.
  Handshake(const Endpoint& endpoint, WipedBuffer& out);

  // Is everything answered?
  [[nodiscard]] bool done() const { return answered_ == steps_.size(); }
  // May commands be written? False while a SELECT is unconfirmed.
  [[nodiscard]] bool admits() const { return admits_; }

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
  bool admits_ = true;
};

}  // namespace redlock
