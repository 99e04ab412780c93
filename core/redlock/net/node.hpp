// What is asked of one server, over connections that come and go.
//
// A connection that is given up stays `closing` until the operations with unanswered commands are
// decided, at the latest when their own time is over: what they then say to undo still goes out on
// this very connection, behind the unanswered command. Only then is it closed. Where that was a
// join the wait may go on for long, on the next connection: until it is over, or the server has
// answered on both, the old one is set aside (SetAsideJoins). Removals that could not be sent are
// carried over (CarriedRemovals), those that were refused are repeated (RefusedRemovals).
//
// A connection whose server waits for replicas, and reads nothing, is reset with the removals that
// stand there: those go by the next one, and nothing of it can come behind them.
//
// All who use a node have time-outs of one magnitude (the pool sees to it): a connection is given
// up when its most impatient user has waited long enough, which must not be at the expense of
// others who are far more patient, or at the mercy of those.
//
// A server to which a guard objects stays connected, for removals. It is looked at again, on
// another connection, by whoever asks when that is due. Of several nodes that turn out to be one
// server the first to say so has the vote, for as long as a lock may last behind its last command.
//
// Invariants: a command that was submitted is answered at most once, and always unless memory ran
// out (then its own deadline ends it). One thread.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "redlock/net/carried_removals.hpp"
#include "redlock/net/connection.hpp"
#include "redlock/net/refused_removals.hpp"
#include "redlock/net/set_aside.hpp"
#include "redlock/wire/session.hpp"

namespace redlock {

// Removals that nobody waits for may take this long on a new connection.
inline constexpr Duration kCarriedAnswerTime = Duration::seconds(1);

class Node;
// The nodes of one list, of which no two may be one server.
using Siblings = std::shared_ptr<const std::vector<std::weak_ptr<const Node>>>;

class Node final : public Connection<Session> {
 public:
  // `timeout` is how long its users wait. The references must outlive the node.
  Node(std::unique_ptr<Locator> locator, Duration timeout, Transport& transport, Entropy& entropy,
       RequestEncoder& encoder);

  // Those it is compared with, itself among them.
  void compare_with(Siblings siblings) { siblings_ = std::move(siblings); }
  // By the latest connection on which a guard has asked. The votes that its server publishes count
  // for nothing where not: a server that began anew publishes on none of the channels from before.
  [[nodiscard]] bool may_vote() const { return !objected_; }

  // Sends the command on the connection, opening one when there is none. What cannot be taken is
  // answered at once, through `arrivals`. A connection that is being made is waited for until
  // `connect_by`, whatever the answer's time.
  void submit(const Origin& origin, const SharedCommand& command, Instant answer_by, Instant now,
              std::vector<Arrival>& arrivals, Instant connect_by = Instant::never());
  // Sends a removal without waiting for its answer; without a connection it is carried over.
  void submit_cleanup(const SharedCommand& command, Instant answer_by);
  // The second half of giving up: undo, close, back off. Does nothing unless closing. What
  // `waiting` still wait for is decided later: they may have to undo a join here.
  void complete_closing(Instant now, std::span<const OperationId> waiting = {});
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
  // Of more than it reads at once a server drops the rest where the connection is closed.
  [[nodiscard]] bool may_lose_removal() const;
  // Would the end of the connection lose one that was sent?
  [[nodiscard]] bool removal_stands_behind_wait() const {
    return has_conversation() && conversation().removal_stands_behind_wait();
  }
  void note_waited_in_vain() { waited_in_vain_ = true; }
  // What goes on this connection now may be lost, and nobody waits for the answer that would tell:
  // until all is answered it counts as too old, whatever was sent on it lately.
  void outdate() { outdated_ = true; }
  [[nodiscard]] bool outdated() const { return outdated_ && has_conversation(); }
  // Closes a connection in good order: removals still go out, and granted locks stay.
  void shut_down(std::vector<Arrival>& arrivals);
  // The same for one that was silent for so long that the network may have forgotten it, or whose
  // server reads nothing of it: what it may not have delivered goes on the next one too.
  void replace(std::vector<Arrival>& arrivals);
  // Lets go of everything that belongs to the parent process.
  void forget();

  // What is unanswered on the connection.
  [[nodiscard]] const RequestQueue& requests() const { return conversation().requests(); }
  // Removals for the next connection.
  [[nodiscard]] const std::deque<CarriedRemoval>& carried() const { return carried_.all(); }
  [[nodiscard]] bool has_carried() const { return !carried_.empty() || !refused_.empty(); }
  // Removals that its server has refused are due, and what is awaited may show it well.
  [[nodiscard]] bool may_repeat(Instant now) const {
    return refused_.due(now) && has_conversation() && !idle();
  }
  // When somebody asked something here last; that removals were tried again says nothing.
  [[nodiscard]] Instant wanted_at() const { return wanted_at_; }

 private:
  void heard(Instant now) override;
  // Once per connection, before anything but the greeting is sent there.
  void judge(Instant now);
  [[nodiscard]] const Node* first_of_same(Instant now) const;
  // May a vote of the process that it knows be counted, or live yet?
  [[nodiscard]] bool counts_for_its_server(Instant now) const;
  [[nodiscard]] bool objects_to(const Command& command) const {
    return objected_ && has_conversation() && !establishing() && !is_removal(command);
  }
  void open(Instant now);
  // To the conversation that there is. False: it has no room.
  [[nodiscard]] bool hand_over(const Origin& origin, const SharedCommand& command,
                               Instant answer_by, Instant repeat_until = Instant::never());
  void count_errors(Instant now);
  // Closes it, or retains it for those who wait.
  void let_go(std::span<const OperationId> waiting, std::vector<Refused> unanswered, Instant now);
  // What becomes of a removal that was not answered on the connection that is closing.
  void retain_unanswered(const Refused& unanswered, bool handed_over, Instant now);
  void send_carried(Instant now);
  void repeat_refused(Instant now);
  // What must not come behind the command, which is no removal.
  void repeat_before(const Command& command, Instant now);

  RequestEncoder& encoder_;
  SetAsideJoins aside_;
  CarriedRemovals carried_;
  RefusedRemovals refused_;
  Instant wanted_at_;
  bool waited_in_vain_ = false;
  bool outdated_ = false;
  Siblings siblings_;
  ConnectionId judged_ = 0;
  std::string run_id_;  // of the server on the latest connection
  Instant voted_at_;    // no vote was asked for behind that
  bool objected_ = false;
  Instant again_at_;  // where it was objected to, not sooner
};

using NodeList = std::vector<std::shared_ptr<Node>>;

}  // namespace redlock
