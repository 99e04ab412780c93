// Connection upkeep of one server.
#include "redlock/runtime/node.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace redlock {

namespace {
constexpr std::size_t kReceiveBytes = 16 * 1024;
// Per turn; a server that floods us waits for the next one.
constexpr int kReceivesMax = 8;
// Servers read 16 KiB at a time, and carry all of it out before they reply.
constexpr std::size_t kReadAtOnceBytes = 16 * 1024;
}  // namespace

Node::Node(Endpoint endpoint, Duration timeout, Transport& transport, Entropy& entropy,
           RequestEncoder& encoder)
    : endpoint_(std::move(endpoint)),
      timeout_(timeout),
      transport_(transport),
      entropy_(entropy),
      encoder_(encoder) {}

void Node::open(Instant now, Instant answer_by) {
  session_.emplace(endpoint_, encoder_);
  try {
    connection_ = transport_.open(endpoint_, answer_by);
  } catch (...) {
    session_.reset();
    throw;
  }
  state_ = State::connecting;
  last_used_ = now;
  ready_by_ = now + timeout_;
  send_carried(now);
}

void Node::send_carried(Instant now) {
  while (!carried_.empty() &&
         session_->submit(Origin{}, carried_.front(), now + kCarriedAnswerTime)) {
    carried_.pop_front();
  }
}

void Node::note_refused(Instant now) {
  for (auto& refused = session_->refused(); !refused.empty(); refused.pop_front()) {
    const Instant until = std::min(refused.front().until, now + kOwedFor);
    repeat_at_ = now + kRepeatPause;
    if (now >= until) continue;
    if (refused_.size() == kCarriedMax) refused_.pop_front();
    refused_.push_back({refused.front().removal, until});
  }
}

// A server that carries out anything may be over its trouble.
void Node::repeat_refused(Instant now) {
  std::erase_if(refused_, [now](const Refused& refused) { return now >= refused.until; });
  while (!refused_.empty() && now >= repeat_at_ &&
         session_->submit(Origin{}, refused_.front().removal, now + kCarriedAnswerTime,
                          refused_.front().until)) {
    refused_.pop_front();
  }
}

void Node::submit(const Origin& origin, const SharedCommand& command, Instant answer_by,
                  Instant now, std::vector<Arrival>& arrivals) {
  if (state_ == State::idle && now >= retry_at_) open(now, answer_by);
  // The lock was given up: an extend must not be counted that its removal then undoes. Another
  // release does the same, and is told so.
  const bool given_up = std::ranges::any_of(refused_, [&](const Refused& refused) {
    return !is_removal(*command) && lock_name(*refused.removal) == lock_name(*command);
  });
  if (given_up) repeat_at_ = Instant();
  if (given_up && has_session()) repeat_refused(now);
  if (has_session() && session_->submit(origin, command, answer_by)) return;
  if (is_removal(*command)) {
    submit_cleanup(std::make_shared<const Command>(*undo_of(*command)), answer_by);
  }
  const bool full = has_session();
  arrivals.push_back(
      {origin, full ? Reply::unknown(Fault::bound, "too many unanswered requests") : absence()});
}

Reply Node::absence() const {
  // A connection that the server closed while it was unused is no trouble, and may be closing yet.
  const Fault fault = trouble_.fault == Fault::none ? Fault::closed : trouble_.fault;
  return Reply::not_sent(fault, trouble_.reason);
}

void Node::submit_cleanup(const SharedCommand& command, Instant answer_by) {
  if (state_ == State::closing) {
    session_->submit_last(command);
  } else if (!has_session() || !session_->submit(Origin{}, command, answer_by)) {
    carry(command);
  }
}

void Node::carry(const SharedCommand& removal) {
  if (carried_.size() == kCarriedMax) carried_.pop_front();
  carried_.push_back(removal);
}

bool Node::wants_write() const {
  return state_ == State::connecting || (session_ && session_->has_output());
}

template <class Act>
void Node::or_close(std::vector<Arrival>& arrivals, Act act) noexcept {
  try {
    act();
  } catch (const std::bad_alloc&) {
    give_up(arrivals);
  }
}

void Node::give_up(std::vector<Arrival>& arrivals) noexcept {
  if (!has_session()) return;
  try {
    begin_closing(Fault::closed, "out of memory", state_ == State::ready, arrivals);
  } catch (const std::bad_alloc&) {
    // It is closing all the same; whom nobody could tell is told by its own deadline.
  }
}

void Node::flush(Instant now, std::vector<Arrival>& arrivals) {
  or_close(arrivals, [&] { send_output(now, arrivals); });
}

void Node::send_output(Instant now, std::vector<Arrival>& arrivals) {
  if (state_ != State::ready) return;
  session_->drop_expired(now, arrivals);
  while (session_->has_output()) {
    const IoResult result = transport_.send(connection_, session_->output());
    if (result.state == IoState::progress) {
      session_->mark_sent(result.bytes);
      last_used_ = now;
      continue;
    }
    session_->take_back();
    if (result.state == IoState::ended) hear_out(result.reason, now, arrivals);
    return;
  }
}

// What the server said before it hung up still counts, and tells more than a broken pipe.
void Node::hear_out(const std::string& reason, Instant now, std::vector<Arrival>& arrivals) {
  receive(now, arrivals);
  if (state_ == State::ready) begin_closing(Fault::closed, reason, false, arrivals);
}

void Node::take_ready(bool readable, bool writable, Instant now, std::vector<Arrival>& arrivals) {
  or_close(arrivals, [&] {
    if (state_ == State::connecting && (readable || writable)) take_status(now, arrivals);
    if (state_ == State::ready && readable) receive(now, arrivals);
    send_output(now, arrivals);
  });
}

void Node::take_status(Instant now, std::vector<Arrival>& arrivals) {
  const LinkStatus status = transport_.status(connection_);
  if (status.state == LinkState::failed) {
    begin_closing(status.fault, status.reason, false, arrivals);
  } else if (status.state == LinkState::connected) {
    state_ = State::ready;
    // It may have stood for long, unlooked at; the handshake goes out only now.
    ready_by_ = std::max(ready_by_, now + timeout_);
  }
}

void Node::receive(Instant now, std::vector<Arrival>& arrivals) {
  std::array<char, kReceiveBytes> buffer;
  for (int i = 0; i < kReceivesMax && state_ == State::ready; ++i) {
    const IoResult result = transport_.receive(connection_, buffer);
    if (result.state == IoState::blocked) return;
    if (result.state == IoState::ended) {
      return begin_closing(Fault::closed, result.reason, false, arrivals);
    }
    session_->take_bytes(std::string_view(buffer.data(), result.bytes), arrivals);
    note_refused(now);
    if (session_->broken()) {
      return begin_closing(session_->fault(), session_->reason(), true, arrivals);
    }
    failure_count_ = 0;
    trouble_ = {};
    waited_in_vain_ = false;
    send_carried(now);
    if (session_->take_served()) repeat_refused(now);
    if (result.bytes < buffer.size()) return;
  }
}

std::optional<Instant> Node::next_deadline() const {
  if (!has_session()) return std::nullopt;
  const std::optional<Instant> deadline = session_->next_deadline();
  if (state_ == State::ready && !session_->greeting()) return deadline;
  return std::min(ready_by_, deadline.value_or(ready_by_));
}

bool Node::overdue(Instant now) const {
  const std::optional<Instant> deadline = next_deadline();
  return deadline && now >= *deadline;
}

void Node::take_time(Instant now, std::vector<Arrival>& arrivals) {
  if (!overdue(now)) return;
  or_close(arrivals, [&] {
    if (state_ == State::ready) {
      return begin_closing(Fault::timeout, "no answer", true, arrivals);
    }
    const LinkStatus status = transport_.status(connection_);
    begin_closing(Fault::timeout, status.reason.empty() ? "connecting" : status.reason, false,
                  arrivals);
  });
}

void Node::begin_closing(Fault fault, const std::string& reason, bool stream_usable,
                         std::vector<Arrival>& arrivals) {
  const bool unused = state_ == State::ready && session_->idle() && fault == Fault::closed;
  state_ = State::closing;
  stream_usable_ = stream_usable;
  session_->fail(fault, reason, arrivals);
  // A server may close an idle connection; that is no reason to stay away from it.
  if (unused) return;
  ++failure_count_;
  trouble_ = {fault, reason};
}

void Node::complete_closing(Instant now) {
  if (state_ != State::closing) return;
  std::vector<SharedCommand> left_over = session_->unsettled();
  if (stream_usable_ && session_->has_last_words()) {
    session_->repeat_removals();
    while (session_->has_output()) {
      const IoResult result = transport_.send(connection_, session_->output());
      if (result.state != IoState::progress) break;
      session_->mark_sent(result.bytes);
    }
    if (!session_->has_output()) left_over.clear();
  }
  const bool read_at_once = session_->unanswered_bytes() <= kReadAtOnceBytes;
  // Before the connection is let go: without the memory for them it stays, and the next turn
  // tries again.
  for (const SharedCommand& removal : left_over) carry(removal);
  for (const Refused& refused : session_->refused()) carry(refused.removal);
  read_at_once ? transport_.close(connection_) : transport_.close_behind(connection_);
  connection_ = 0;
  session_.reset();
  state_ = State::idle;
  if (failure_count_ > 0) retry_at_ = now + draw_backoff();
}

Duration Node::draw_backoff() {
  const std::uint32_t doublings = std::min<std::uint32_t>(failure_count_ - 1, 10);
  const Duration ceiling = std::min(kBackoffFirst * (std::int64_t{1} << doublings), kBackoffMax);
  const auto half_ms = static_cast<std::uint64_t>(ceiling.count_ms() / 2);
  try {
    return Duration::ms(static_cast<std::int64_t>(random_between(entropy_, half_ms, 2 * half_ms)));
  } catch (const std::exception&) {
    // Chance only spreads the clients; nothing depends on it.
    return ceiling;
  }
}

void Node::shut_down(std::vector<Arrival>& arrivals) {
  if (!has_session()) return;
  const bool usable = state_ == State::ready;
  state_ = State::closing;
  stream_usable_ = usable;
  session_->fail(Fault::closed, "closed by us", arrivals);
  // There may be no next connection to carry them to.
  for (; usable && !carried_.empty(); carried_.pop_front()) {
    session_->submit_last(carried_.front());
  }
  // These are kept too: they may be refused once more.
  for (const Refused& refused : refused_) {
    if (usable) session_->submit_last(refused.removal, refused.until);
  }
  complete_closing(Instant());
  retry_at_ = Instant();
}

void Node::replace(std::vector<Arrival>& arrivals) {
  const std::vector<SharedCommand> doubtful = session_->unsettled();
  std::deque<SharedCommand> owed(doubtful.begin(), doubtful.end());
  // The newest, which had no room there.
  owed.insert(owed.end(), carried_.begin(), carried_.end());
  while (owed.size() > kCarriedMax) owed.pop_front();
  shut_down(arrivals);
  carried_ = std::move(owed);
}

void Node::withdraw(OperationId operation) noexcept {
  if (has_session()) session_->withdraw(operation);
}

void Node::hurry_removals(bool last_chance, Instant now) {
  if (last_chance) {
    waited_in_vain_ = false;
    repeat_at_ = Instant();
  }
  std::erase_if(refused_, [now](const Refused& refused) { return now >= refused.until; });
  const bool any_due = !carried_.empty() || (!refused_.empty() && now >= repeat_at_);
  if (state_ == State::idle && any_due && (last_chance || now >= retry_at_)) {
    open(now, now + kCarriedAnswerTime);
  }
  if (!has_session()) return;
  for (; !carried_.empty(); carried_.pop_front()) session_->submit_last(carried_.front());
  for (; !refused_.empty() && now >= repeat_at_; refused_.pop_front()) {
    session_->submit_last(refused_.front().removal, refused_.front().until);
  }
  session_->repeat_removals();
}

bool Node::owes_removal() const {
  return has_session() && !waited_in_vain_ && session_->owes_removal();
}

void Node::forget() {
  session_.reset();
  connection_ = 0;
  state_ = State::idle;
  carried_.clear();
  refused_.clear();
  repeat_at_ = Instant();
  trouble_ = {};
  failure_count_ = 0;
  retry_at_ = Instant();
  waited_in_vain_ = false;
}

}  // namespace redlock
