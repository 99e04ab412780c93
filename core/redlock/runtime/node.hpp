// One server's life: connecting, talking, broken, backing off, and connecting again by itself.
//
//   idle ──submit──▶ connecting ──▶ ready ──trouble, time-out──▶ closing ──▶ idle (backing off)
//
// `closing` lasts until the operations with unanswered commands are decided, at the latest when
// their own time is over: what they then say to undo still goes out on this very connection,
// behind the unanswered command. Only then is it closed. What could not be sent is carried over: it
// goes as soon as this connection has room for it, or first on the next one. What the server would
// not carry out for the time being (it loads its data, runs somebody's script, …) is repeated as
// soon as it carries out anything else.
//
// All who use a node have time-outs of one magnitude (the pool sees to it): a connection is given
// up when its most impatient user has waited long enough, which must not be at the expense of
// others who are far more patient, or at the mercy of those.
//
// Invariants: a command that was submitted is answered at most once, and always unless memory ran
// out (then its own deadline ends it); a connection that timed out or
// answered nonsense is never used again. One thread.
#pragma once
#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/runtime/transport.hpp"
#include "redlock/wire/session.hpp"

namespace redlock {

inline constexpr std::size_t kCarriedMax = 256;
inline constexpr Duration kBackoffFirst = Duration::ms(10);
inline constexpr Duration kBackoffMax = Duration::ms(200);
// Removals that nobody waits for may take this long on a new connection.
inline constexpr Duration kCarriedAnswerTime = Duration::seconds(1);
// A server that does not want them, or that nobody uses any more, is owed removals for so long.
inline constexpr Duration kOwedFor = Duration::seconds(60);
// Between two rounds of removals that it refuses.
inline constexpr Duration kRepeatPause = Duration::ms(200);

// What a node was last in trouble with; over as soon as it answers anything.
struct NodeTrouble {
  Fault fault = Fault::none;
  std::string reason;
};

class Node {
 public:
  // `timeout` is how long its users wait. All three references must outlive the node.
  Node(Endpoint endpoint, Duration timeout, Transport& transport, Entropy& entropy,
       RequestEncoder& encoder);
  // There is a user who waits as long as that.
  void allow(Duration timeout) { timeout_ = std::max(timeout_, timeout); }

  // Sends the command on the connection, opening one when there is none. What cannot be taken is
  // answered at once, through `arrivals`.
  void submit(const Origin& origin, const SharedCommand& command, Instant answer_by, Instant now,
              std::vector<Arrival>& arrivals);
  // Sends a removal without waiting for its answer; without a connection it is carried over.
  void submit_cleanup(const SharedCommand& command, Instant answer_by);
  // Hands to the transport what is to be sent.
  void flush(Instant now, std::vector<Arrival>& arrivals);
  void take_ready(bool readable, bool writable, Instant now, std::vector<Arrival>& arrivals);
  // Gives the connection up when an answer is overdue.
  void take_time(Instant now, std::vector<Arrival>& arrivals);
  // The second half of giving up: undo, close, back off. Does nothing unless closing.
  void complete_closing(Instant now);
  // The operation is decided or over: what it wanted and was not sent never will be.
  void withdraw(OperationId operation) noexcept;
  // The answer for what is not sent because there is no connection.
  [[nodiscard]] Reply absence() const;
  // Puts on its way whatever removal is not: nobody may come back to this node. Unless it is the
  // last chance, a server that is being backed off from is left alone.
  void hurry_removals(bool last_chance, Instant now);
  // Is a removal not sent yet that is worth waiting for? A server that was waited for in vain is
  // not waited for again until it answers something.
  [[nodiscard]] bool owes_removal() const;
  void note_waited_in_vain() { waited_in_vain_ = true; }
  // Closes a connection in good order: removals still go out, and granted locks stay.
  void shut_down(std::vector<Arrival>& arrivals);
  // The same for one that was silent for so long that the network may have forgotten it: what it
  // may not have delivered goes on the next one too.
  void replace(std::vector<Arrival>& arrivals);
  // Lets go of everything that belongs to the parent process.
  void forget();

  [[nodiscard]] bool connected_or_free(Instant now) const {
    return has_session() || now >= retry_at_;
  }
  // The next submit may connect whatever the backoff says.
  void skip_backoff() { retry_at_ = Instant(); }

  [[nodiscard]] bool has_session() const {
    return state_ == State::connecting || state_ == State::ready;
  }
  [[nodiscard]] bool closing() const { return state_ == State::closing; }
  // Of a closing connection: who must be decided before it is closed.
  [[nodiscard]] std::vector<OperationId> open_takes() const { return session_->open_takes(); }
  // Nothing is awaited, nothing is to be sent and nothing is being opened: there is nothing to look
  // at. A connection that comes about while nobody wants it any more is no time-out.
  [[nodiscard]] bool idle() const {
    return !session_ || (state_ != State::connecting && session_->idle());
  }
  [[nodiscard]] bool wants_write() const;
  [[nodiscard]] ConnectionId connection() const { return connection_; }
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  // An answer is overdue: the connection is to be given up.
  [[nodiscard]] bool overdue(Instant now) const;
  [[nodiscard]] std::vector<OperationId> askers() const { return session_->askers(); }
  // When something was sent last. That something was read says little: it may have lain there.
  [[nodiscard]] Instant last_used() const { return last_used_; }
  [[nodiscard]] const NodeTrouble& trouble() const { return trouble_; }
  // It was overdue when it was asked last, and has said nothing since.
  [[nodiscard]] bool in_doubt() const { return trouble_.fault == Fault::timeout; }
  // How long its most patient user waits.
  [[nodiscard]] Duration timeout() const { return timeout_; }
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] bool has_carried() const { return !carried_.empty() || !refused_.empty(); }

 private:
  enum class State { idle, connecting, ready, closing };

  void open(Instant now, Instant answer_by);
  // Where memory runs out in the middle of a conversation its order is in doubt, and that costs
  // the connection.
  template <class Act>
  void or_close(std::vector<Arrival>& arrivals, Act act) noexcept;
  void give_up(std::vector<Arrival>& arrivals) noexcept;
  void take_status(Instant now, std::vector<Arrival>& arrivals);
  void send_output(Instant now, std::vector<Arrival>& arrivals);
  // Gives the connection up because it can no longer be sent on.
  void hear_out(const std::string& reason, Instant now, std::vector<Arrival>& arrivals);
  void receive(Instant now, std::vector<Arrival>& arrivals);
  void begin_closing(Fault fault, const std::string& reason, bool stream_usable,
                     std::vector<Arrival>& arrivals);
  void carry(const SharedCommand& removal);
  void send_carried(Instant now);
  void note_refused(Instant now);
  void repeat_refused(Instant now);
  [[nodiscard]] Duration draw_backoff();

  Endpoint endpoint_;
  Duration timeout_;
  Transport& transport_;
  Entropy& entropy_;
  RequestEncoder& encoder_;
  State state_ = State::idle;
  ConnectionId connection_ = 0;
  std::optional<Session> session_;
  bool stream_usable_ = false;
  std::deque<SharedCommand> carried_;
  std::deque<Refused> refused_;
  Instant repeat_at_;
  NodeTrouble trouble_;
  std::uint32_t failure_count_ = 0;
  Instant retry_at_;
  Instant last_used_;
  // Of the connection and its handshake.
  Instant ready_by_;
  bool waited_in_vain_ = false;
};

}  // namespace redlock
