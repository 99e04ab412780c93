// What a connection does, for the files that say which conversation it carries.
#pragma once
#include "redlock/net/connection.hpp"

namespace redlock {

// What is added where a server hangs up that has never said anything.
inline constexpr const char* kWordless = " without a word: it may expect TLS";

template <IsConversation C>
template <class... MadeOf>
void Connection<C>::open(Instant now, MadeOf&... made_of) {
  const Endpoint& address = locator_->address();
  conversation_.emplace(address, made_of...);
  ready_by_ = now + connect_timeout();
  try {
    const NameManner manner = acquaintance_.manner(now, C::kNewName);
    if (manner != NameManner::travels && !address.client_name.empty()) {
      conversation_->greet(address, manner);
    }
    connection_ = transport_.open(address, ready_by_);
  } catch (...) {
    conversation_.reset();
    throw;
  }
  state_ = State::connecting;
  last_used_ = now;
}

template <IsConversation C>
template <class Act>
void Connection<C>::or_close(Instant now, Events& events, Act act) noexcept {
  try {
    act();
  } catch (const std::bad_alloc&) {
    give_up(now, events);
  }
}

template <IsConversation C>
void Connection<C>::give_up(Instant now, Events& events) noexcept {
  if (!has_conversation()) return;
  try {
    begin_closing(Fault::closed, "out of memory", state_ == State::ready, now, events);
  } catch (const std::bad_alloc&) {
    // It is closing all the same; whom nobody could tell is told by its own deadline.
  }
}

template <IsConversation C>
void Connection<C>::flush(Instant now, Events& events) noexcept {
  or_close(now, events, [&] { send_output(now, events); });
}

template <IsConversation C>
bool Connection<C>::introduce(Instant now, Events& events) noexcept {
  if (state_ != State::ready || !conversation_->owes_name() || !conversation_->idle()) return false;
  or_close(now, events, [&] {
    conversation_->say_late_name();
    send_output(now, events);
  });
  return true;
}

template <IsConversation C>
void Connection<C>::send_output(Instant now, Events& events) {
  if (state_ != State::ready) return;
  conversation_->drop_expired(now, events);
  while (conversation_->has_output()) {
    const IoResult result = transport_.send(connection_, conversation_->output());
    if (result.state == IoState::progress) {
      note_sent(now);
      conversation_->mark_sent(result.bytes);
      last_used_ = now;
      continue;
    }
    conversation_->take_back();
    if (result.state == IoState::ended) hear_out(result, now, events);
    return;
  }
}

// What the server said before it hung up still counts, and tells more than a broken pipe.
template <IsConversation C>
void Connection<C>::hear_out(const IoResult& end, Instant now, Events& events) {
  receive(now, events);
  if (state_ == State::ready) take_end(end, now, events);
}

template <IsConversation C>
void Connection<C>::take_end(const IoResult& end, Instant now, Events& events) {
  const bool hung_up = end.fault == Fault::closed && end.by_peer;
  if (hung_up && conversation_->waits_for_name()) return connect_without_name(now, events);
  const std::string reason = end.reason + (hung_up && may_expect_tls() ? kWordless : "");
  begin_closing(end.fault, reason, false, now, events);
}

// Servers that expect TLS do not say so.
template <IsConversation C>
bool Connection<C>::may_expect_tls() const {
  const Endpoint& server = locator_->identity();
  return !server.tls && server.unix_path.empty() && !acquaintance_.has_answered() &&
         conversation_->unanswered_bytes() > 0;
}

template <IsConversation C>
void Connection<C>::connect_without_name(Instant now, Events& events) {
  const Endpoint& address = locator_->address();
  // A name that follows may have been unanswered for long before anybody looked.
  if (!establishing()) ready_by_ = now + connect_timeout();
  conversation_->greet(address, NameManner::left_out);
  if constexpr (CanBeginAnew<C>) conversation_->delay(ready_by_, timeout_, events);
  exchange_link(transport_.open(address, ready_by_), now);
  acquaintance_.note_closed_at_name(now);
}

template <IsConversation C>
void Connection<C>::exchange_link(ConnectionId again, Instant now) {
  const ConnectionId before = std::exchange(connection_, again);
  state_ = State::connecting;
  last_used_ = now;
  asked_at_ = Instant();
  transport_.close(before);
}

template <IsConversation C>
void Connection<C>::connect_anew(Instant now, Events& events) {
  if constexpr (CanBeginAnew<C>) {
    if (conversation_->broken() || !conversation_->is_misled()) return;
    locator_->note_lost(Fault::readonly);
    const Endpoint& address = locator_->address();
    transport_.forget_place(address);
    ready_by_ = now + connect_timeout();
    const NameManner manner = acquaintance_.manner(now, C::kNewName);
    conversation_->begin_anew(address, manner, now, ready_by_, timeout_, events);
    exchange_link(transport_.open(address, ready_by_), now);
  }
}

template <IsConversation C>
void Connection<C>::on_ready(bool readable, bool writable, Instant now, Events& events) noexcept {
  or_close(now, events, [&] {
    if (state_ == State::connecting && (readable || writable)) take_status(now, events);
    if (state_ == State::ready && readable) receive(now, events);
    send_output(now, events);
  });
}

template <IsConversation C>
void Connection<C>::take_status(Instant now, Events& events) {
  const LinkStatus status = transport_.status(connection_);
  if (status.state == LinkState::failed) {
    if (status.fault == Fault::closed) ++turned_away_;
    begin_closing(status.fault, status.reason, false, now, events);
  } else if (status.state == LinkState::connected) {
    state_ = State::ready;
    turned_away_ = 0;
    connected_at_ = now;
    if (counters_) counters_->note_connect();
    go_on(now);
  }
}

template <IsConversation C>
void Connection<C>::go_on(Instant now) {
  if (!establishing()) return conversation_->begin_answers(now + timeout_);
  // What brought it on may have lain there for long, unlooked at.
  if (conversation_->has_output()) ready_by_ = std::max(ready_by_, now + timeout_);
}

template <IsConversation C>
void Connection<C>::receive(Instant now, Events& events) {
  std::array<char, kReceiveBytes> buffer;
  for (int i = 0; i < kReceivesMax && state_ == State::ready; ++i) {
    const IoResult result = transport_.receive(connection_, buffer);
    if (result.state == IoState::blocked) return;
    if (result.state == IoState::ended) {
      return take_end(result, now, events);
    }
    note_heard(now);
    const bool greets = establishing();
    if constexpr (CanBeginAnew<C>) conversation_->allow_anew(now >= connected_at_ + kAnewPause);
    conversation_->on_bytes(std::string_view(buffer.data(), result.bytes), events);
    acquaintance_.note_answer(conversation_->named());
    if (!conversation_->broken()) {
      failure_count_ = 0;
      trouble_ = {};
      if (greets) go_on(now);
    }
    heard(now);
    connect_anew(now, events);
    if (state_ != State::ready) return;
    if (conversation_->broken()) {
      return begin_closing(conversation_->fault(), conversation_->reason(), true, now, events);
    }
    if (result.bytes < buffer.size()) return;
  }
}

template <IsConversation C>
std::optional<Instant> Connection<C>::next_deadline() const {
  if (!has_conversation()) return std::nullopt;
  return establishing() ? ready_by_ : conversation_->next_deadline();
}

template <IsConversation C>
bool Connection<C>::on_time(Instant now, Events& events) noexcept {
  if (!overdue(now)) return false;
  or_close(now, events, [&] {
    const std::string reason = establishing() ? connecting_reason() : "no answer";
    begin_closing(Fault::timeout, reason, state_ == State::ready, now, events);
  });
  return true;
}

template <IsConversation C>
std::string Connection<C>::connecting_reason() const {
  std::string reason = "no answer to the handshake";
  if (state_ == State::connecting) reason = transport_.status(connection_).reason;
  if (reason.empty()) reason = "connecting";
  return timed_reason(reason, connect_timeout(), kConnectTimeoutName);
}

template <IsConversation C>
void Connection<C>::begin_closing(Fault fault, const std::string& reason, bool stream_usable,
                                  Instant now, Events& events) {
  const bool unused = state_ == State::ready && conversation_->idle() && fault == Fault::closed;
  state_ = State::closing;
  stream_usable_ = stream_usable;
  locator_->note_lost(fault);
  if (!conversation_->heard_any()) acquaintance_.note_unanswered(fault);
  if (fault != Fault::closed) turned_away_ = 0;
  conversation_->fail(fault, reason, events);
  // A server may close an idle connection; that is no reason to stay away from it.
  if (unused) return;
  ++failure_count_;
  if (counters_) counters_->note_trouble(fault, now);
  trouble_ = {fault, reason};
}

// The time of one answer is taken at a time, from a moment when none was awaited: its order is not
// in doubt then.
template <IsConversation C>
void Connection<C>::note_sent(Instant now) {
  if (!counters_ || conversation_->unanswered_bytes() > 0) return;
  asked_at_ = seen_at_ = now;
}

template <IsConversation C>
void Connection<C>::note_heard(Instant now) {
  if (!counters_ || asked_at_ == Instant()) return;
  counters_->note_round_trip(now - asked_at_);
  asked_at_ = Instant();
}

template <IsConversation C>
void Connection<C>::hang_up(Events& events) {
  stream_usable_ = state_ == State::ready;
  state_ = State::closing;
  conversation_->fail(Fault::closed, "closed by us", events);
}

template <IsConversation C>
void Connection<C>::say_last_words() {
  while (conversation_->has_output()) {
    const IoResult result = transport_.send(connection_, conversation_->output());
    if (result.state != IoState::progress) return;
    conversation_->mark_sent(result.bytes);
  }
}

template <IsConversation C>
void Connection<C>::close(Instant now) {
  close_link(transport_, {connection_, conversation_->unanswered_bytes()});
  (void)set_aside(now);
}

template <IsConversation C>
void Connection<C>::reset(Instant now) {
  transport_.reset(connection_);
  (void)set_aside(now);
}

template <IsConversation C>
SetAside Connection<C>::set_aside(Instant now) {
  const SetAside left{connection_, conversation_->unanswered_bytes()};
  connection_ = 0;
  conversation_.reset();
  state_ = State::idle;
  asked_at_ = Instant();
  if (failure_count_ > 0) retry_at_ = now + draw_backoff(failure_count_, entropy_);
  return left;
}

template <IsConversation C>
void Connection<C>::forget() {
  conversation_.reset();
  connection_ = 0;
  state_ = State::idle;
  asked_at_ = Instant();
  turned_away_ = 0;
  if (counters_) counters_->notice_fork();
  trouble_ = {};
  failure_count_ = 0;
  retry_at_ = Instant();
}

}  // namespace redlock
