// Commands and removals, and what becomes of them when connections end.
#include "redlock/net/node.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "redlock/net/connection_upkeep.hpp"

namespace redlock {

template class Connection<Session>;

Node::Node(std::unique_ptr<Locator> locator, Duration timeout, Transport& transport,
           Entropy& entropy, RequestEncoder& encoder)
    : Connection(std::move(locator), timeout, transport, entropy), encoder_(encoder) {}

void Node::open(Instant now) {
  sent_again_.clear();
  well_ = false;
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
  note_refused(now);
  if (conversation().broken()) return;
  close_answered_aside(now);
  waited_in_vain_ = false;
  send_carried(now);
  well_ = conversation().collect_served() || well_;
  if (well_) repeat_refused(now);
}

void Node::count_errors(Instant now) {
  if (counters() == nullptr) return;
  Session::Errors& errors = conversation().errors();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] == 0) continue;
    counters()->note_errors(static_cast<Fault>(i), std::exchange(errors[i], 0), now);
  }
}

void Node::send_carried(Instant now) {
  while (!carried_.empty() &&
         hand_over(Origin{}, carried_.front().removal, now + kCarriedAnswerTime)) {
    pop_carried();
  }
}

void Node::note_refused(Instant now) {
  for (auto& refused = conversation().refused(); !refused.empty(); refused.pop_front()) {
    owe(refused.front().removal, std::min(refused.front().until, now + kOwedFor), now);
  }
}

// Until the server carries out anything.
void Node::owe(const SharedCommand& removal, Instant until, Instant now) {
  repeat_at_ = now + kRepeatPause;
  well_ = false;
  if (now >= until) return;
  // Whoever asks again and again for one release must not drive out all the others.
  std::erase_if(refused_, [&](const Refused& refused) {
    return lock_name(*refused.removal) == lock_name(*removal);
  });
  if (refused_.size() == kCarriedMax) refused_.pop_front();
  refused_.push_back({removal, until});
}

// A server that carries out anything may be over its trouble.
void Node::repeat_refused(Instant now) {
  std::erase_if(refused_, [now](const Refused& refused) { return now >= refused.until; });
  while (!refused_.empty() && now >= repeat_at_ &&
         hand_over(Origin{}, refused_.front().removal, now + kCarriedAnswerTime,
                   refused_.front().until)) {
    refused_.pop_front();
  }
}

void Node::submit(const Origin& origin, const SharedCommand& command, Instant answer_by,
                  Instant now, std::vector<Arrival>& arrivals, Instant connect_by) {
  wanted_at_ = now;
  const SharedCommand asked = in_place_of_carried(command);
  if (may_open(now)) open(now);
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
  const bool given_up = std::ranges::any_of(refused_, [&](const Refused& refused) {
    return lock_name(*refused.removal) == lock_name(command);
  });
  if (given_up) repeat_at_ = Instant();
  // Or an acquisition would find the old key. Nothing else has to wait for them.
  const bool due = given_up || (well_ && is_acquisition(command));
  if (due && has_conversation()) repeat_refused(now);
}

// Behind its own repetition it would find nothing, and be called unsuccessful. What was tried
// before is tried again in the form for that: meanwhile an old client may have acquired the lock.
SharedCommand Node::in_place_of_carried(const SharedCommand& command) {
  if (!is_removal(*command)) return command;
  const LockName lock = lock_name(*command);
  const auto same = [&](const CarriedRemoval& carried) {
    return lock_name(*carried.removal) == lock;
  };
  if (std::ranges::none_of(carried_, same)) return command;
  SharedCommand again = std::make_shared<const Command>(*undo_of(*command));
  std::erase_if(carried_, same);
  return again;
}

Reply Node::absence() const {
  // A connection that the server closed while it was unused is no trouble, and may be closing yet.
  const Fault fault = trouble().fault == Fault::none ? Fault::closed : trouble().fault;
  return Reply::not_sent(fault, trouble().reason);
}

void Node::submit_cleanup(const SharedCommand& command, Instant answer_by) {
  undo_aside(command);
  if (closing()) {
    conversation().submit_last(command);
  } else if (!has_conversation() || !hand_over(Origin{}, command, answer_by)) {
    carry({command});
  }
}

void Node::pop_carried() {
  if (carried_.front().again) sent_again_.push_back(carried_.front().removal);
  carried_.pop_front();
}

void Node::carry(CarriedRemoval removal) {
  if (carried_.size() == kCarriedMax) carried_.pop_front();
  carried_.push_back(std::move(removal));
}

// As text: nobody is there any more to read that the server does not know the script.
void Node::undo_aside(const SharedCommand& removal) {
  for (Aside& aside : aside_) {
    const auto is_undone = [&](const Session::OpenJoin& join) {
      return lock_name(*join.undo) == lock_name(*removal);
    };
    if (std::ranges::none_of(aside.joins, is_undone)) continue;
    say(aside.connection, encoder_.encode(removal, ScriptForm::text));
  }
}

void Node::let_go(std::span<const OperationId> waiting, std::vector<Refused> unanswered,
                  Instant now) {
  std::vector<Session::OpenJoin> joins;
  // Behind a part of a request nothing can be said.
  if (stream_usable() && !conversation().has_output()) joins = conversation().open_joins();
  std::erase_if(joins, [&](const Session::OpenJoin& join) {
    return std::ranges::find(waiting, join.operation) == waiting.end();
  });
  if (joins.empty()) return close(now);
  aside_.push_back({{}, std::move(joins), std::move(unanswered)});
  aside_.back().connection = set_aside(now);
  if (aside_.size() > kSetAsideMax && close(aside_.front().connection)) aside_.pop_front();
}

// What the server answered there it has carried out, and what undoes that may travel on the
// connection that there is now. Or it has refused it: so its removals are sent once more.
void Node::close_answered_aside(Instant now) {
  for (auto aside = aside_.begin(); aside != aside_.end();) {
    const bool answered = has_news(aside->connection);
    for (; answered && !aside->removals.empty(); aside->removals.pop_back()) {
      const Refused& removal = aside->removals.back();
      owe(removal.removal, std::min(removal.until, now + kOwedFor), now);
    }
    aside = answered && close(aside->connection) ? aside_.erase(aside) : std::next(aside);
  }
}

void Node::complete_closing(Instant now, std::span<const OperationId> waiting) {
  if (!closing()) return;
  Session& session = conversation();
  const std::vector<Refused> unanswered = session.unsettled();
  bool handed_over = false;
  if (stream_usable() && session.has_last_words()) {
    session.repeat_removals();
    say_last_words();
    handed_over = !session.has_output() && all_left();
  }
  // Before the connection is let go: without the memory for them it stays, and the next turn
  // tries again.
  for (const Refused& removal : unanswered) retain_unanswered(removal, handed_over, now);
  for (const Refused& refused : session.refused()) carry({refused.removal});
  let_go(waiting, unanswered, now);
}

// That the transport took its bytes says neither that they arrived nor that the server did not
// refuse them. So it is sent again: once, or what a server that stands still has to read would grow
// with each connection.
void Node::retain_unanswered(const Refused& unanswered, bool handed_over, Instant now) {
  const SharedCommand& removal = unanswered.removal;
  if (!handed_over) return carry({removal});
  // For no longer than it had: nobody may ever want the old password again.
  if (conversation().greeting_refused()) {
    return owe(removal, std::min(unanswered.until, now + kOwedFor), now);
  }
  // By us, in good order; behind a name that is unanswered it may not have been read.
  if (conversation().fault() == Fault::closed && conversation().admitted()) return;
  const bool sent_again = std::ranges::any_of(sent_again_, [&](const SharedCommand& again) {
    return lock_name(*again) == lock_name(*removal);
  });
  if (!sent_again) carry({removal, true});
}

void Node::shut_down(std::vector<Arrival>& arrivals) {
  if (!has_conversation()) return;
  hang_up(arrivals);
  // There may be no next connection to carry them to.
  for (; stream_usable() && !carried_.empty(); pop_carried()) {
    conversation().submit_last(carried_.front().removal);
  }
  // These are retained too: they may be refused once more.
  for (const Refused& refused : refused_) {
    if (stream_usable()) conversation().submit_last(refused.removal, refused.until);
  }
  complete_closing(Instant());
  skip_backoff();
}

void Node::replace(std::vector<Arrival>& arrivals) {
  std::deque<CarriedRemoval> owed;
  for (Refused& doubtful : conversation().unsettled()) {
    owed.push_back({std::move(doubtful.removal)});
  }
  // The newest, which had no room there.
  owed.insert(owed.end(), carried_.begin(), carried_.end());
  while (owed.size() > kCarriedMax) owed.pop_front();
  shut_down(arrivals);
  carried_ = std::move(owed);
}

void Node::withdraw(OperationId operation) noexcept {
  if (has_conversation()) conversation().withdraw(operation);
  // Where it is decided against the lock, its undo has been said there.
  std::erase_if(aside_, [&](Aside& aside) {
    std::erase_if(aside.joins,
                  [&](const Session::OpenJoin& join) { return join.operation == operation; });
    return aside.joins.empty() && close(aside.connection);
  });
}

void Node::hurry_removals(bool last_chance, Instant now) {
  if (last_chance) {
    waited_in_vain_ = false;
    repeat_at_ = Instant();
  }
  std::erase_if(refused_, [now](const Refused& refused) { return now >= refused.until; });
  const bool any_due = !carried_.empty() || (!refused_.empty() && now >= repeat_at_);
  if (last_chance && any_due) skip_backoff();
  if (any_due && may_open(now)) open(now);
  if (!has_conversation()) return;
  for (; !carried_.empty(); pop_carried()) conversation().submit_last(carried_.front().removal);
  for (; !refused_.empty() && now >= repeat_at_; refused_.pop_front()) {
    conversation().submit_last(refused_.front().removal, refused_.front().until);
  }
  conversation().repeat_removals();
}

bool Node::owes_removal() const {
  if (!has_conversation() || waited_in_vain_) return false;
  return conversation().owes_removal() || (!all_left() && !conversation().unsettled().empty());
}

void Node::forget() {
  Connection::forget();
  aside_.clear();
  carried_.clear();
  sent_again_.clear();
  refused_.clear();
  repeat_at_ = Instant();
  well_ = false;
  waited_in_vain_ = false;
}

}  // namespace redlock
