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
#include "redlock/wire/known_scripts.hpp"
#include "redlock/wire/request_queue.hpp"
#include "redlock/wire/translate.hpp"

namespace redlock {

// So much is made ready for one send.
inline constexpr std::size_t kLookAheadBytes = 16 * 1024;
// So many removals, and no more, are all said last by their script's text.
inline constexpr std::size_t kRemovalsByTextMax = 64;

struct Arrival {
  Origin origin;
  Reply reply;
  // There is no reply yet: the command is asked once more, on a connection that is made by then.
  std::optional<Instant> connected_by = {};
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
  [[nodiscard]] bool is_misled() const { return misled_ > 0 && requests_.written() == misled_; }
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
  // What is unanswered.
  [[nodiscard]] const RequestQueue& requests() const { return requests_; }
  [[nodiscard]] bool idle() const { return requests_.empty() && rest().empty() && !greeting(); }

  // One more removal behind everything else, whatever room there is, with nobody waiting for the
  // answer; also on a session that has failed while its connection still carries bytes.
  void submit_last(SharedCommand removal, Instant repeat_until = Instant::never());
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

 private:
  // May what is next become bytes? A removal may behind an unanswered name, too: it is said again.
  [[nodiscard]] bool may_write_next() const;
  [[nodiscard]] bool may_write_removals() const;
  void write(AwaitedRequest& request);
  // Has something been written for which replicas must be waited for, and no WAIT behind it?
  [[nodiscard]] bool owes_wait() const;
  void write_wait();
  // Must its answer be held back until that of a WAIT?
  [[nodiscard]] bool is_held_back(const AwaitedRequest& request) const;
  void drop_overdue(Instant now, std::vector<Arrival>& arrivals);
  void drop_objected(std::vector<Arrival>& arrivals);
  void on_reply(const RespValue& value, std::vector<Arrival>& arrivals);
  // What `shortage` says is the answer to a vote that was granted, where it says anything.
  void on_own_reply(const RespValue& value, const std::optional<Reply>& shortage,
                    std::vector<Arrival>& arrivals);
  void on_command_reply(const AwaitedRequest& request, const RespValue& value,
                        const std::optional<Reply>& shortage, std::vector<Arrival>& arrivals);
  // WAIT's answer.
  void on_wait_reply(const RespValue& value, std::vector<Arrival>& arrivals);
  void repeat_as_text(const AwaitedRequest& request, std::vector<Arrival>& arrivals);
  // Does a replica refuse it for the first time, or say nothing true of a removal, because it has
  // refused what that removes?
  [[nodiscard]] bool is_misled_by(const AwaitedRequest& request, const RespValue& value) const;

  RequestEncoder& encoder_;
  RequestQueue requests_;
  std::size_t misled_ = 0;     // so many of them were refused by a replica, from the front
  std::size_t held_back_ = 0;  // so many behind those have an answer that waits for replicas
  std::int64_t replicas_;
  std::string wait_;  // the request; empty where none are demanded
  bool may_begin_anew_ = false;
  bool carried_out_any_ = false;  // on this connection
  KnownScripts scripts_;
  std::deque<Refused> refused_;
  Errors errors_{};
  bool served_ = false;
};

}  // namespace redlock
