// One connection's conversation with its server, without the socket: commands become bytes to
// send, bytes received become replies, each for the operation that asked.
//
// Replies are told apart by nothing but their order, so the order is everything:
//
//   handshake ─▶ commands, each awaited in a FIFO ─▶ broken, for good
//
// Invariants: the n-th reply belongs to the n-th request. Whatever puts that in doubt (a reply
// nobody awaits, one that its request cannot have, bytes that are no RESP) breaks the session:
// it reads nothing more and every awaited request gets the answer `unknown`. A command that was
// handed out is answered exactly once, unless the session is dropped.
//
// The handshake (AUTH, SELECT, CLIENT SETNAME) travels with the first command in one write.
// Only behind a SELECT are commands held back until it is confirmed: a lock taken in another
// application's database would be worse than a round trip.
// Pure: no clock, no I/O. One thread; lives as long as its connection.
#pragma once
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/encoder.hpp"
#include "redlock/wire/endpoint.hpp"
#include "redlock/wire/translate.hpp"

namespace redlock {

inline constexpr std::size_t kAwaitedMax = 1024;
// The rest is kept for removals, so that what was taken here can be given back here.
inline constexpr std::size_t kAwaitedBesidesRemovalsMax = kAwaitedMax / 2;
inline constexpr std::size_t kOutputBytesMax = 4 * 1024 * 1024;

// Names one operation for good; 0 is nobody, whose replies are dropped.
using OperationId = std::uint64_t;

// Who asked.
struct Origin {
  OperationId operation = 0;
  NodeIndex node{0};
  AttemptNumber attempt = 0;
};

struct Arrival {
  Origin origin;
  Reply reply;
};

class Session {
 public:
  // Writes the handshake. The encoder must outlive the session; sessions may share it.
  Session(const Endpoint& endpoint, RequestEncoder& encoder);

  // False when a bound is reached or the session is broken: the command was not taken.
  [[nodiscard]] bool submit(const Origin& origin, SharedCommand command, Instant answer_by);

  // What is to be sent next; valid until the next call.
  [[nodiscard]] std::string_view output() const;
  // The first `size` bytes of output() have been sent.
  void mark_sent(std::size_t size);

  // Takes what was received, in slices of any size, and adds what it answers to `arrivals`.
  void take_bytes(std::string_view bytes, std::vector<Arrival>& arrivals);
  // The connection is done with. Answers every awaited request with `unknown`.
  void fail(Fault fault, const std::string& reason, std::vector<Arrival>& arrivals);

  // May commands be written? False while a SELECT is unconfirmed.
  [[nodiscard]] bool admitted() const { return admitted_; }
  [[nodiscard]] bool broken() const { return broken_; }
  // Why, once broken.
  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }

  // The moment by which the most impatient awaited request wants its answer.
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  [[nodiscard]] bool idle() const { return awaited_.empty() && output().empty(); }
  // At least as many bytes as have been sent and not been answered yet.
  [[nodiscard]] std::size_t unanswered_bytes() const { return unanswered_bytes_; }

  // On a session that failed while its connection still carries bytes: one more removal, sent
  // behind everything else, with nobody waiting for the answer.
  void submit_last(SharedCommand removal);
  // The operations with an unanswered take here that no removal follows. Until such an operation
  // is decided the connection must stay: if it is lost, the removal belongs behind the take; if it
  // is granted, there must be none, because a removal that travels on this connection could
  // arrive after an extend that travels on another one, and delete what was just counted.
  [[nodiscard]] std::vector<OperationId> open_takes() const;
  // Before the connection is given up: appends once more, as text, the unanswered removals that
  // may meet a NOSCRIPT which nobody will be there to read.
  void repeat_removals();
  // The removals that may not have been carried out, for another connection to send when this one
  // cannot.
  [[nodiscard]] std::vector<SharedCommand> unsettled() const;

 private:
  enum class Step { auth, select, set_name, command };
  struct Awaited {
    Step step = Step::command;
    Origin origin;
    SharedCommand command;  // null for the handshake
    Instant answer_by;
    ScriptForm form = ScriptForm::sha1;
    bool written = false;
  };

  void write_handshake(const Endpoint& endpoint);
  void write(Awaited& request);
  void take_reply(const RespValue& value, std::vector<Arrival>& arrivals);
  void take_handshake_reply(const Awaited& request, const RespValue& value,
                            std::vector<Arrival>& arrivals);
  void take_command_reply(Awaited request, const RespValue& value, std::vector<Arrival>& arrivals);
  void admit_commands();
  // By text until this server has shown that it knows the script: when the outcome is certain
  // before a NOSCRIPT arrives, nobody is there to react to it.
  [[nodiscard]] ScriptForm form_for(const Origin& origin, const Command& command) const;
  // Is a removal of the same lock among the awaited?
  [[nodiscard]] bool removal_follows(const Command& command) const;
  // The unanswered removals, the newest of each lock, in order.
  [[nodiscard]] std::vector<const Awaited*> removals() const;

  RequestEncoder& encoder_;
  Secrets secrets_;
  RespReader reader_;
  std::deque<Awaited> awaited_;
  std::string output_;
  std::size_t output_offset_ = 0;
  bool sent_any_ = false;
  // Sent since nothing was awaited last.
  std::size_t unanswered_bytes_ = 0;
  // By Command::index(): the server has run this script for us.
  std::bitset<std::variant_size_v<Command>> known_scripts_;
  bool admitted_ = true;
  bool broken_ = false;
  Fault fault_ = Fault::none;
  std::string reason_;
};

}  // namespace redlock
