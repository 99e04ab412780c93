// The conversation in which commands are asked: they become bytes to send, and bytes received
// become replies, each for the operation that asked.
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
// A command becomes bytes at the last moment: what the socket did not take is taken back, so that
// between two sends at most the rest of one command, begun and unfinished, waits as bytes. What was
// not written yet can therefore be dropped: an acquisition or an extend whose time or operation is
// over is never sent. Removals are retained.
//
// A replica carries out nothing that writes, and says so. Behind one address that is a server whose
// place another one took over in a fail-over: what it refused stays awaited, nothing more is sent
// there, and all of it is asked once more on the next connection (is_misled(), begin_anew()).
//
// What a server gives must be given back by a script. So an acquisition goes as a script, too,
// until the server has carried that out, and again once it has refused any: a server that runs no
// scripts, for want of a right or of Lua, gives nothing away, and one that runs them again is
// noticed at once.
//
// Where a guard objects to the server, removals alone are sent there: they are harmless anywhere,
// and what was acquired before must not be left behind. All else is answered by the objection,
// what asks whether a lock is held too, for it would count a vote.
//
// Where replicas must have each vote, WAIT follows what was made ready for one send, once for all
// of it: it covers what was written on this connection before. Until its answer comes the others
// are held back, in their order. A vote that too few replicas have may have been done, and is
// unknown: whoever asked for it undoes it.
//
// Pure: no clock, no I/O. One thread; lives as long as its connection.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/wire/conversation.hpp"
#include "redlock/wire/encoder.hpp"
#include "redlock/wire/translate.hpp"

namespace redlock {

inline constexpr std::size_t kAwaitedMax = 1024;
// The rest is reserved for removals, so that what was acquired here can be given back here.
inline constexpr std::size_t kAwaitedBesidesRemovalsMax = kAwaitedMax / 2;
// Of keys and tokens that wait to be sent; what reaches the bound is still taken.
inline constexpr std::size_t kQueuedBytesMax = 4 * 1024 * 1024;
// So much is made ready for one send.
inline constexpr std::size_t kLookAheadBytes = 16 * 1024;
// So many removals, and no more, are all said last by their script's text.
inline constexpr std::size_t kRemovalsByTextMax = 64;

// Names one operation for good, among those of all pools; 0 is nobody, whose replies are dropped.
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
  // There is no reply yet: the command is asked once more, on a connection that is made by then.
  std::optional<Instant> connected_by = {};
};

// A removal that its server would not carry out for the time being, or may not have.
struct Refused {
  SharedCommand removal;
  Instant until;  // it is of use to nobody from then on
};

class Session final : public Conversation {
 public:
  using Event = Arrival;
  // Whoever asks first must not wait longer for one server than for the others.
  static constexpr NameManner kNewName = NameManner::follows;

  // Writes the handshake. The encoder must outlive the session; sessions may share it.
  Session(const Endpoint& endpoint, RequestEncoder& encoder);

  // False when a bound is reached or the session is broken: the command was not taken. Nor is it
  // when this throws; what on_bytes() throws is the end of the connection. Removals that are
  // repeated may be refused again until `repeat_until`.
  [[nodiscard]] bool submit(const Origin& origin, SharedCommand command, Instant answer_by,
                            Instant repeat_until = Instant::never());

  // What is to be sent next, made of what waits; valid until the next call.
  [[nodiscard]] std::string_view output();
  // Is there anything to be sent?
  [[nodiscard]] bool has_output() const;
  // The socket takes no more for now: commands of which nothing was sent are taken back.
  void take_back() noexcept;
  // Answers and drops what is not written though its time is over or a guard objects to the server;
  // removals stay.
  void drop_expired(Instant now, std::vector<Arrival>& arrivals);
  // The operation is decided or over: what it has not written is of no use any more; removals stay.
  void withdraw(OperationId operation) noexcept;

  // Begins anew, where the server closed the connection at a name that followed. Removals that went
  // behind that are said again.
  void greet(const Endpoint& endpoint, NameManner manner);
  // Takes what was received, in slices of any size, and adds what it answers to `arrivals`.
  void on_bytes(std::string_view bytes, std::vector<Arrival>& arrivals);
  // Removals that were answered by an error which passes, until they are let go of.
  [[nodiscard]] std::deque<Refused>& refused() { return refused_; }
  // How many commands were answered by an error, by fault, until whoever counts them says 0.
  using Errors = std::array<std::uint32_t, kFaultCount>;
  [[nodiscard]] Errors& errors() { return errors_; }
  // Has a command been carried out since this was asked last, and since a removal was refused?
  [[nodiscard]] bool collect_served() { return std::exchange(served_, false); }
  // May the next command that a replica refuses be asked once more on another connection, though it
  // has carried nothing out on this one?
  void allow_anew(bool allowed) noexcept { may_begin_anew_ = allowed; }
  // Is it time for the other connection? A replica has refused something, and all that was sent has
  // been answered.
  [[nodiscard]] bool is_misled() const { return misled_ > 0 && written_ == misled_; }
  // What is awaited is asked on a connection that is made by then, and may be answered until
  // `answer_time` behind that.
  void delay(Instant connected_by, Duration answer_time, std::vector<Arrival>& arrivals);
  // On the other connection: all that is awaited, and should not have been answered by now, is sent
  // there, as text, delayed so. Requires is_misled().
  void begin_anew(const Endpoint& endpoint, NameManner manner, Instant now, Instant connected_by,
                  Duration answer_time, std::vector<Arrival>& arrivals);
  // The connection has been made, and what was asked meanwhile is due by then.
  void begin_answers(Instant answer_by) noexcept;
  // The connection is done with. Answers every awaited request with `unknown`.
  void fail(Fault fault, const std::string& reason, std::vector<Arrival>& arrivals);

  // The moment by which the most impatient awaited request wants its answer.
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  // So many requests are unanswered.
  [[nodiscard]] std::size_t awaited() const { return awaited_.size(); }
  [[nodiscard]] bool idle() const { return awaited_.empty() && rest().empty() && !greeting(); }
  // The operations that wait for an answer here.
  [[nodiscard]] std::vector<OperationId> askers() const;

  // One more removal behind everything else, whatever room there is, with nobody waiting for the
  // answer; also on a session that has failed while its connection still carries bytes.
  void submit_last(SharedCommand removal, Instant repeat_until = Instant::never());
  // The operations with an unanswered acquisition here that no removal follows. Until such an
  // operation is decided the connection must stay: if it is lost, the removal belongs behind that;
  // if it is granted, there must be none, because a removal that travels on this connection could
  // arrive after an extend that travels on another one, and delete what was just counted.
  // Not those that enqueue: their verdict may be minutes away, and others
  // are asked meanwhile on the next connection. The node keeps this one for the removal (see
  // Node::set_aside).
  [[nodiscard]] std::vector<OperationId> open_acquisitions() const;
  // The unanswered joins that were sent here and that no removal follows: who waits, and what
  // undoes it.
  struct OpenJoin {
    OperationId operation = 0;
    SharedCommand undo;
  };
  [[nodiscard]] std::vector<OpenJoin> open_joins() const;
  // Queues once more, as text, the unanswered removals that may meet a NOSCRIPT which nobody will
  // be there to read. Of more than kRemovalsByTextMax only the first of each script, where the
  // session has not failed.
  void repeat_removals();
  // Is there a removal that has not been handed to the kernel in full?
  [[nodiscard]] bool owes_removal() const;
  // Does one stand behind a WAIT that is not over? Until then the server has not looked at it, and
  // does not once the connection is closed.
  [[nodiscard]] bool removal_stands_behind_wait() const;
  // May a failed session still say anything? Where nothing of ours was ever sent, or removals are
  // held back by the greeting, or the server is a replica, there is nothing to be said. Behind a
  // name that is unanswered it may be in vain.
  [[nodiscard]] bool has_last_words() const;
  // The removals that may not have been carried out, for another connection to send when this one
  // cannot.
  [[nodiscard]] std::vector<Refused> unsettled() const;

 private:
  struct Awaited {
    Origin origin;
    SharedCommand command;
    Instant answer_by;  // when the connection is given up
    Instant send_by;    // when it is dropped, unless it is written
    // Of a removal: when it is refused from then on, that is the end of it.
    Instant repeat_until = Instant::never();
    std::optional<ScriptForm> wanted_form;  // whatever the server knows
    bool withdrawn = false;
    bool asked_again = false;            // a replica has refused it once
    bool useless = false;                // never to be written
    ScriptForm form = ScriptForm::sha1;  // once written
    std::size_t bytes = 0;               // once written
    std::optional<RespValue> answer;     // has come, and is held back
    bool wait_follows = false;
  };
  using Queue = std::deque<Awaited>;

  // May what is next become bytes? A removal may behind an unanswered name, too: it is said again.
  [[nodiscard]] bool may_write_next() const;
  [[nodiscard]] bool may_write_removals() const;
  void write(Awaited& request);
  // Has something been written for which replicas must be waited for, and no WAIT behind it?
  [[nodiscard]] bool owes_wait() const;
  void write_wait();
  // Must its answer be held back until that of a WAIT?
  [[nodiscard]] bool is_held_back(const Awaited& request) const;
  [[nodiscard]] bool is_written(std::size_t position) const { return position < written_; }
  [[nodiscard]] Queue::iterator unwritten() {
    return awaited_.begin() + static_cast<std::ptrdiff_t>(written_);
  }
  [[nodiscard]] bool queue_is_full() const;
  // Drops unwritten requests that are no removals, and the cleanups that were to undo them.
  template <class IsUseless>
  void drop_unwritten(IsUseless is_useless) noexcept;
  void drop_overdue(Instant now, std::vector<Arrival>& arrivals);
  void drop_objected(std::vector<Arrival>& arrivals);
  void on_reply(const RespValue& value, std::vector<Arrival>& arrivals);
  // What `shortage` says is the answer to a vote that was granted, where it says anything.
  void on_own_reply(const RespValue& value, const std::optional<Reply>& shortage,
                    std::vector<Arrival>& arrivals);
  void on_command_reply(const Awaited& request, const RespValue& value,
                        const std::optional<Reply>& shortage, std::vector<Arrival>& arrivals);
  // WAIT's answer.
  void on_wait_reply(const RespValue& value, std::vector<Arrival>& arrivals);
  void repeat_as_text(const Awaited& request, std::vector<Arrival>& arrivals);
  // Does a replica refuse it for the first time, or say nothing true of a removal, because it has
  // refused what that removes?
  [[nodiscard]] bool is_misled_by(const Awaited& request, const RespValue& value) const;
  // By text until this server has shown that it knows the script: when the outcome is certain
  // before a NOSCRIPT arrives, nobody is there to react to it. A release also goes by SHA1 behind a
  // text that is unanswered: many at once would fill the connection with text.
  [[nodiscard]] ScriptForm form_for(const Awaited& request) const;
  // Is a removal of the same lock among the awaited?
  [[nodiscard]] bool removal_follows(const Command& command) const;
  // Where the unanswered removals are, the newest of each lock, in order.
  [[nodiscard]] std::vector<std::size_t> removals() const;

  RequestEncoder& encoder_;
  Queue awaited_;
  std::size_t written_ = 0;    // so many of the awaited, from the front
  std::size_t misled_ = 0;     // so many of those were refused by a replica, from the front
  std::size_t held_back_ = 0;  // so many behind those have an answer that waits for replicas
  std::int64_t replicas_;
  std::string wait_;  // the request; empty where none are demanded
  bool may_begin_anew_ = false;
  bool carried_out_any_ = false;  // on this connection
  // By Command::index(): the server has run this script for us, and has refused none since.
  std::bitset<std::variant_size_v<Command>> known_scripts_;
  // The same: it was sent here as text, and nothing has been said against it.
  std::bitset<std::variant_size_v<Command>> offered_scripts_;
  std::deque<Refused> refused_;
  Errors errors_{};
  bool served_ = false;
};

}  // namespace redlock
