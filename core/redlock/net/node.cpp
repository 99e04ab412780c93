// Commands and removals, and what becomes of them when connections end.
#include "redlock/net/node.hpp"

#include <algorithm>
#include <utility>

#include "redlock/net/connection_upkeep.hpp"

namespace redlock {

template class Connection<Session>;

Node::Node(std::unique_ptr<Locator> locator, Duration timeout, Transport& transport,
           Entropy& entropy, RequestEncoder& encoder)
    : Connection(std::move(locator), timeout, transport, entropy),
      encoder_(encoder),
      aside_(transport, encoder) {}

void Node::open(Instant now) {
  carried_.begin_connection();
  refused_.set_server_well(false);
  outdated_ = false;
  Connection::open(now, encoder_);
  // Before what is acquired there. Of a server in trouble nothing is asked only to find out.
  if (trouble().fault == Fault::none) repeat_refused(now);
  send_carried(now);
}

bool Node::hand_over(const Origin& origin, const SharedCommand& command, Instant answer_by,
                     Instant repeat_until) {
  if (!conversation().submit(origin, command, answer_by, repeat_until)) return false;
  if (counters() != nullptr) counters()->note_request();
  return true;
}

void Node::heard(Instant now) {
  // What was answered lately may have lain there since before.
  if (conversation().idle()) outdated_ = false;
  count_errors(now);
  refused_.owe_all(conversation().refused(), now);
  if (conversation().broken()) return;
  judge(now);
  aside_.close_answered(
      [&](const Refused& removal) { refused_.owe(removal.removal, removal.until, now); });
  waited_in_vain_ = false;
  send_carried(now);
  if (conversation().collect_served()) refused_.set_server_well(true);
  if (refused_.server_is_well()) repeat_refused(now);
}

void Node::judge(Instant now) {
  if (!endpoint().guard.any() || establishing() || judged_ == connection()) return;
  run_id_ = conversation().run_id();
  objected_ = conversation().objection() != nullptr;
  if (const Node* const first = first_of_same(now); first != nullptr && !objected_) {
    conversation().object(same_server_as(first->endpoint().display(), run_id_));
    objected_ = true;
  }
  judged_ = connection();
  voted_at_ = now;
  if (!objected_) return;
  again_at_ = now + conversation().objection()->again_after;
  if (counters() != nullptr) counters()->note_errors(conversation().objection()->fault, 1, now);
}

bool Node::counts_for_its_server(Instant now) const {
  if (has_conversation() && judged_ == connection()) return true;
  return now < voted_at_ + endpoint().guard.longest_ttl;
}

const Node* Node::first_of_same(Instant now) const {
  if (!siblings_ || run_id_.empty()) return nullptr;
  for (const auto& known : *siblings_) {
    const std::shared_ptr<const Node> other = known.lock();
    if (!other || other.get() == this || other->objected_ || other->run_id_ != run_id_) continue;
    // The table of nodes holds it, as it holds this one.
    if (other->counts_for_its_server(now)) return other.get();
  }
  return nullptr;
}

void Node::count_errors(Instant now) {
  if (counters() == nullptr) return;
  Session::Errors& errors = conversation().errors();
  constexpr Session::Errors kNone{};
  if (errors == kNone) return;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] == 0) continue;
    counters()->note_errors(static_cast<Fault>(i), std::exchange(errors[i], 0), now);
  }
}

// The rest as they are answered: who asks now is to have room.
void Node::send_carried(Instant now) {
  while (!carried_.empty() && conversation().requests().size() < kCarriedAtOnceMax &&
         hand_over(Origin{}, carried_.front(), now + kCarriedAnswerTime)) {
    carried_.pop_front();
  }
}

// A server that carries out anything may be over its trouble.
void Node::repeat_refused(Instant now) {
  refused_.drop_expired(now);
  while (refused_.due(now) && hand_over(Origin{}, refused_.front().removal,
                                        now + kCarriedAnswerTime, refused_.front().until)) {
    refused_.pop_front();
  }
}

void Node::submit(const Origin& origin, const SharedCommand& command, Instant answer_by,
                  Instant now, std::vector<Arrival>& arrivals, Instant connect_by) {
  wanted_at_ = now;
  if (judged_ == connection()) voted_at_ = now;
  // A server that is looked at again is so on another connection.
  if (objects_to(*command) && now >= again_at_ && conversation().idle()) shut_down(arrivals);
  const SharedCommand asked = carried_.in_place_of_carried(command);
  if (may_open(now)) open(now);
  if (objects_to(*command)) {
    arrivals.push_back({origin, conversation().objection()->reply()});
    return;
  }
  answer_by = this->answer_by(answer_by, connect_by);
  // Another release does the same, and is told so.
  if (!is_removal(*command)) repeat_before(*command, now);
  if (has_conversation() && hand_over(origin, asked, answer_by)) return;
  if (is_removal(*command)) {
    submit_cleanup(std::make_shared<const Command>(*undo_of(*command)), answer_by);
  }
  const bool full = has_conversation();
  arrivals.push_back(
      {origin, full ? Reply::unknown(Fault::bound, "too many unanswered requests") : absence()});
}

void Node::repeat_before(const Command& command, Instant now) {
  // The lock was given up: an extend must not be counted that its removal then undoes.
  const bool given_up = refused_.has(lock_name(command));
  if (given_up) refused_.make_due();
  // Or an acquisition would find the old key. Nothing else has to wait for them.
  const bool due = given_up || (refused_.server_is_well() && is_acquisition(command));
  if (due && has_conversation()) repeat_refused(now);
}

Reply Node::absence() const {
  // A connection that the server closed while it was unused is no trouble, and may be closing yet.
  const Fault fault = trouble().fault == Fault::none ? Fault::closed : trouble().fault;
  return Reply::not_sent(fault, trouble().reason);
}

void Node::submit_cleanup(const SharedCommand& command, Instant answer_by) {
  aside_.undo(command);
  if (closing()) {
    conversation().submit_last(command);
  } else if (!has_conversation() || !hand_over(Origin{}, command, answer_by)) {
    carried_.carry({command});
  }
}

void Node::let_go(std::span<const OperationId> waiting, std::vector<Refused> unanswered,
                  Instant now) {
  std::vector<OpenJoin> joins;
  // Behind a part of a request nothing can be said.
  if (stream_usable() && !conversation().has_output())
    joins = conversation().requests().open_joins();
  std::erase_if(joins, [&](const OpenJoin& join) {
    return std::ranges::find(waiting, join.operation) == waiting.end();
  });
  if (joins.empty()) return close(now);
  aside_.add(std::move(joins), std::move(unanswered), [&] { return set_aside(now); });
}

void Node::complete_closing(Instant now, std::span<const OperationId> waiting) {
  if (!closing()) return;
  Session& session = conversation();
  const std::vector<Refused> unanswered = session.requests().unsettled();
  // The server reads nothing of it before it has waited: by then it would come behind what goes on
  // the next connection.
  const bool unread = session.removal_stands_behind_wait();
  bool handed_over = false;
  if (!unread && stream_usable() && session.has_last_words()) {
    session.repeat_removals();
    say_last_words();
    handed_over = !session.has_output() && all_left();
  }
  // Before the connection is let go: without the memory for them it stays, and the next turn
  // tries again.
  for (const Refused& removal : unanswered) retain_unanswered(removal, handed_over, now);
  for (const Refused& refused : session.refused()) carried_.carry({refused.removal});
  unread ? reset(now) : let_go(waiting, unanswered, now);
}

// That the transport took its bytes says neither that they arrived nor that the server did not
// refuse them. So it is sent again: once, or what a server that stands still has to read would grow
// with each connection.
void Node::retain_unanswered(const Refused& unanswered, bool handed_over, Instant now) {
  const SharedCommand& removal = unanswered.removal;
  if (!handed_over) return carried_.carry({removal});
  // For no longer than it had: nobody may ever want the old password again.
  if (conversation().greeting_refused()) {
    return refused_.owe(removal, unanswered.until, now);
  }
  // By us, in good order; behind a name that is unanswered it may not have been read.
  if (conversation().fault() == Fault::closed && conversation().admitted()) return;
  if (!carried_.was_sent_again(removal)) carried_.carry({removal, true});
}

void Node::shut_down(std::vector<Arrival>& arrivals) {
  if (!has_conversation()) return;
  hang_up(arrivals);
  // There may be no next connection to carry them to.
  for (; stream_usable() && !carried_.empty(); carried_.pop_front()) {
    conversation().submit_last(carried_.front());
  }
  // These are retained too: they may be refused once more.
  for (const Refused& refused : refused_.all()) {
    if (stream_usable()) conversation().submit_last(refused.removal, refused.until);
  }
  complete_closing(Instant());
  skip_backoff();
}

void Node::replace(std::vector<Arrival>& arrivals) {
  // The newest had no room there.
  std::deque<CarriedRemoval> owed = carried_.behind(conversation().requests().unsettled());
  shut_down(arrivals);
  carried_.replace_by(std::move(owed));
}

void Node::withdraw(OperationId operation) noexcept {
  if (has_conversation()) conversation().withdraw(operation);
  aside_.withdraw(operation);
}

void Node::hurry_removals(bool last_chance, Instant now) {
  if (last_chance) {
    waited_in_vain_ = false;
    refused_.make_due();
  }
  refused_.drop_expired(now);
  const bool any_due = !carried_.empty() || refused_.due(now);
  if (last_chance && any_due) skip_backoff();
  if (any_due && may_open(now)) open(now);
  if (!has_conversation()) return;
  for (; !carried_.empty(); carried_.pop_front()) conversation().submit_last(carried_.front());
  for (; refused_.due(now); refused_.pop_front()) {
    conversation().submit_last(refused_.front().removal, refused_.front().until);
  }
  conversation().repeat_removals();
}

bool Node::owes_removal() const {
  if (!has_conversation() || waited_in_vain_) return false;
  return conversation().owes_removal() ||
         (!all_left() && !conversation().requests().unsettled().empty());
}

bool Node::may_lose_removal() const {
  if (!has_conversation() || waited_in_vain_) return false;
  return unanswered_bytes() > kReadAtOnceBytes && !conversation().requests().unsettled().empty();
}

void Node::forget() {
  Connection::forget();
  aside_.forget();
  carried_.forget();
  refused_.forget();
  waited_in_vain_ = false;
  run_id_.clear();
  objected_ = false;
}

}  // namespace redlock
