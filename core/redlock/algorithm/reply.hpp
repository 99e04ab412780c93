// What one node answered.
//
// Three answers and not two: a node that erred or stayed silent MAY have done what it
// was asked, so it is neither a grant nor a denial. Pure values.
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include "redlock/types.hpp"

namespace redlock {

enum class Answer {
  granted,
  denied,
  unknown,  // an error or silence: the command may have been carried out
};

inline constexpr std::size_t kFaultCount = static_cast<std::size_t>(Fault::unanswered) + 1;

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
