// What a connection says before anything else: AUTH, CLIENT SETNAME, INFO for a guard, SELECT, as
// its endpoint wants.
//
// It travels with the first command in one write. Behind a SELECT commands are held back until it
// is confirmed: a lock acquired in another application's database would be worse than a round trip.
// A guard holds them back until its question is answered, and may object for as long as the
// connection lasts. Behind a name they are where its server may be one that hangs up at it: what
// was not sent can be sent on the next connection. So that no first command has to wait, such a
// name may follow the first answers. Invariants: its answers come in order, and before any other
// but that to such a name. Pure. One thread; lives as long as its connection.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "redlock/algorithm/reply.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/config/secret.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/objection.hpp"
#include "redlock/wire/server_errors.hpp"

namespace redlock {

// How a server is told the client's name. There are proxies that close the connection at it.
enum class NameManner {
  travels,     // with everything else
  waited_for,  // nothing but the greeting is sent before it is answered
  follows,     // alone, once everything else has been answered; acquisitions and questions wait
               // meanwhile
  left_out,
};

class Handshake {
 public:
  // Appends its requests to `out`, and leaves no other copy of the password.
  Handshake(const Endpoint& endpoint, WipedBuffer& out, NameManner manner = NameManner::travels);

  // Is everything answered that was said?
  [[nodiscard]] bool done() const { return answered_ == steps_.size(); }
  // Is what is said before anything else?
  [[nodiscard]] bool greeted() const { return answered_ >= greeting_; }
  // Is there a name that follows, and has not been said?
  [[nodiscard]] bool owes_name() const { return !late_name_.empty(); }
  // Says it. Requires that everything that was said has been answered.
  void say_late_name(WipedBuffer& out);
  // May commands be written? False while a SELECT is unconfirmed, a name that is waited for or a
  // guard's question. Where there is an objection, removals alone may.
  [[nodiscard]] bool admits() const { return selected_ && !waits_for_name_ && !waits_for_guard_; }
  // Is the database the right one, for all that is known?
  [[nodiscard]] bool selected() const { return selected_; }
  // Is the name unanswered that is waited for?
  [[nodiscard]] bool waits_for_name() const { return waits_for_name_; }
  // Has the server answered it?
  [[nodiscard]] bool named() const { return named_; }

  // Why the server has no vote; nothing where it has, or is not guarded.
  [[nodiscard]] const std::optional<Objection>& objection() const { return objection_; }
  // From elsewhere.
  void object(Objection objection) { objection_ = std::move(objection); }
  // What it said to the guard.
  [[nodiscard]] const ServerFacts& facts() const { return facts_; }

  struct Refusal {
    Fault fault = Fault::none;
    std::string reason;
  };
  // The next answer. Not done before. A refusal is the end of the connection.
  [[nodiscard]] std::optional<Refusal> on_reply(const RespValue& value, const Secrets& secrets);

 private:
  // Of the answer to the guard's question.
  [[nodiscard]] std::optional<Refusal> judge(const RespValue& value, const Secrets& secrets);

  enum class Step { auth, set_name, guard, select };

  std::vector<Step> steps_;  // in the order of their answers
  std::size_t answered_ = 0;
  std::size_t greeting_ = 0;  // so many of them, from the front, come before anything else
  std::string late_name_;     // as a request, until it is said
  bool selected_ = true;
  bool waits_for_name_ = false;
  bool waits_for_guard_ = false;
  bool named_ = false;
  GuardDemands guard_;
  ServerFacts facts_;
  std::optional<Objection> objection_;
};

}  // namespace redlock
