// What one node answered.
//
// Three answers and not two: a node that erred or stayed silent MAY have done what it
// was asked, so it is neither a grant nor a denial. Pure values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/types.hpp"

namespace redlock {

enum class Answer : std::uint8_t {
  granted,
  denied,
  unknown,  // an error or silence: the command may have been carried out
};

inline constexpr std::size_t kFaultCount = static_cast<std::size_t>(Fault::unanswered) + 1;

// Where a waiter stands in a node's line, in the reply to an Enqueue that was not granted.
struct QueuePosition {
  // How long the key that stands there has to live, 0 where none does; nothing: without end, or it
  // is no lock.
  std::optional<Duration> left;
  // From 0, which is served next.
  std::int64_t index = 0;
  // The server's clock, in ms since 1970.
  std::int64_t server_ms = 0;

  bool operator==(const QueuePosition&) const = default;
};

// Of several resources the first that is another's, in the reply to what takes them; of a
// promotion, that others share it.
struct BusyResource {
  std::size_t place = 0;  // from 0, in their order

  bool operator==(const BusyResource&) const = default;
};

// What stands under a lock's key, in the reply to an Inspect; see holding.hpp.
struct LockState;
// Which slots of a resource with permits are free, in the reply to a TakeSlot or StandForPermit;
// see permit.hpp.
struct PermitView;

// What a reply says beside its answer: nothing; the reason, for people, of an answer that is
// unknown; what the key holds now, of a StampAcquire; the four above; what became of a fence. No
// larger than the text alone, because each call has several replies.
using ReplyPayload = std::variant<std::monostate, std::string, Token, QueuePosition,
                                  std::shared_ptr<const LockState>, FenceVote, BusyResource,
                                  std::shared_ptr<const PermitView>>;

struct Reply {
  Fault fault = Fault::none;
  Answer answer = Answer::unknown;
  // False where it is certain that the node was never sent the command, or did not begin with it.
  bool sent = true;
  // The server said itself that its trouble is soon over, though others with this fault last.
  bool passes = false;
  ReplyPayload payload = {};

  static Reply granted(ReplyPayload payload = {}) {
    return {Fault::none, Answer::granted, true, false, std::move(payload)};
  }
  static Reply denied(ReplyPayload payload = {}) {
    return {Fault::none, Answer::denied, true, false, std::move(payload)};
  }
  static Reply unknown(Fault fault, std::string reason) {
    const bool sent = fault != Fault::resolve && fault != Fault::refused &&
                      fault != Fault::connect && fault != Fault::bound && fault != Fault::scripts;
    return {fault, Answer::unknown, sent, false, std::move(reason)};
  }
  // Whatever the trouble was that held the command up here.
  static Reply not_sent(Fault fault, std::string reason) {
    return {fault, Answer::unknown, false, false, std::move(reason)};
  }

  bool operator==(const Reply&) const = default;

  // Null where the reply has none.
  template <class Said>
  [[nodiscard]] const Said* said() const {
    return std::get_if<Said>(&payload);
  }
  // Why the answer is unknown; empty where it is not.
  [[nodiscard]] const std::string& reason() const;
};

// False only where it is certain that the command changed nothing: it was denied, or never
// reached the server.
[[nodiscard]] inline bool may_have_been_done(const Reply& reply) {
  if (reply.answer != Answer::unknown) return reply.answer == Answer::granted;
  return reply.sent;
}

}  // namespace redlock
