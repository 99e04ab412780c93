// What one node answered.
//
// Three answers and not two: a node that erred or stayed silent MAY have done what it
// was asked, so it is neither a grant nor a denial. Pure values.
#pragma once
#include <string>
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
  resolve,   // the host name has no address: nothing was sent
  connect,   // refused or unreachable: nothing was sent
  timeout,   // nothing came in time
  closed,    // the connection broke
  protocol,  // what came is no answer to what was asked; the connection is done with
  rejected,  // the server said no: OOM, READONLY, LOADING, NOAUTH, WRONGPASS…
  foreign,   // the key holds something that is no lock of this kind
  bound,     // one of our own bounds was reached; nothing was sent
};

struct Reply {
  Answer answer = Answer::unknown;
  Fault fault = Fault::none;
  // The reason for people where the answer is unknown; the stored stamp where a
  // StampTake was granted; else empty.
  std::string text;

  static Reply granted(std::string text = {}) {
    return {Answer::granted, Fault::none, std::move(text)};
  }
  static Reply denied() { return {Answer::denied, Fault::none, {}}; }
  static Reply unknown(Fault fault, std::string text) {
    return {Answer::unknown, fault, std::move(text)};
  }
};

// False only where it is certain that the command changed nothing: it was denied, or never
// reached the server.
[[nodiscard]] inline bool may_have_been_done(const Reply& reply) {
  if (reply.answer != Answer::unknown) return reply.answer == Answer::granted;
  return reply.fault != Fault::resolve && reply.fault != Fault::connect &&
         reply.fault != Fault::bound;
}

}  // namespace redlock
