// What one node answered.
//
// Three answers and not two: a node that erred or stayed silent MAY have done what it
// was asked, so it is neither a grant nor a denial. Pure values.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace redlock {

enum class Answer {
  granted,
  denied,
  unknown,  // an error or silence: the command may have been carried out
};

// Why an answer is unknown.
enum class Fault {
  none,
  resolve,     // the host name has no address: nothing was sent
  refused,     // nobody listens there: nothing was sent
  connect,     // there is no way there: nothing was sent
  tls,         // the connection is not encrypted, or not with whom it should be
  timeout,     // nothing came in time
  closed,      // the connection broke
  protocol,    // what came is no answer to what was asked; the connection is done with
  auth,        // the server does not accept who we are: no password, or a wrong one
  acl,         // the server's ACL forbids the command or the key
  scripts,     // the server runs no scripts, so nothing could be given back; nothing was done
  readonly,    // a replica, which takes no writes
  loading,     // the server is not ready: it loads its data or has lost its master
  oom,         // the server has no memory left
  busy,        // the server runs somebody's endless script
  misconf,     // the server takes no writes because it cannot save them
  noreplicas,  // the server takes no writes because it has too few replicas
  cluster,     // the server is part of a cluster and the key is elsewhere
  maxclients,  // the server has too many clients
  rejected,    // the server said no in other words
  foreign,     // the key holds something that is no lock of this kind
  bound,       // one of our own bounds was reached; nothing was sent
  unanswered,  // the outcome was certain before an answer came
};

inline constexpr std::size_t kFaultCount = static_cast<std::size_t>(Fault::unanswered) + 1;

// The word for a program to compare with; the words never change.
[[nodiscard]] std::string_view to_string(Fault fault);

struct Reply {
  Answer answer = Answer::unknown;
  Fault fault = Fault::none;
  // The reason for people where the answer is unknown; what the command says of its answer (the
  // stored stamp of a StampTake, the QueuePosition of a Enqueue, what an Inspect saw); else empty.
  std::string text;
  // False where it is certain that the node was never sent the command, or did not begin with it.
  bool sent = true;

  static Reply granted(std::string text = {}) {
    return {Answer::granted, Fault::none, std::move(text), true};
  }
  static Reply denied(std::string text = {}) {
    return {Answer::denied, Fault::none, std::move(text), true};
  }
  static Reply unknown(Fault fault, std::string text) {
    const bool sent = fault != Fault::resolve && fault != Fault::refused &&
                      fault != Fault::connect && fault != Fault::bound && fault != Fault::scripts;
    return {Answer::unknown, fault, std::move(text), sent};
  }
  // Whatever the trouble was that kept the command here.
  static Reply not_sent(Fault fault, std::string text) {
    return {Answer::unknown, fault, std::move(text), false};
  }
};

// False only where it is certain that the command changed nothing: it was denied, or never
// reached the server.
[[nodiscard]] inline bool may_have_been_done(const Reply& reply) {
  if (reply.answer != Answer::unknown) return reply.answer == Answer::granted;
  return reply.sent;
}

}  // namespace redlock
