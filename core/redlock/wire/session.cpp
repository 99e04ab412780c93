// The conversation's state machine.
#include "redlock/wire/session.hpp"

#include <algorithm>
#include <array>
#include <bitset>

namespace redlock {

Session::Session(const Endpoint& endpoint, RequestEncoder& encoder)
    : Conversation(endpoint), encoder_(encoder), replicas_(endpoint.guard.replicas) {
  if (replicas_ == 0) return;
  append_command(wait_, std::array<std::string_view, 3>{"WAIT", std::to_string(replicas_),
                                                        in_ms(endpoint.guard.replica_wait)});
}

bool Session::submit(const Origin& origin, SharedCommand command, Instant answer_by,
                     Instant repeat_until) {
  if (broken() || !requests_.has_room_for(*command)) return false;
  AwaitedRequest request;
  request.origin = origin;
  request.command = std::move(command);
  request.answer_by = answer_by;
  request.send_by = answer_by;
  request.repeat_until = repeat_until;
  requests_.add(std::move(request));
  return true;
}

void Session::write(AwaitedRequest& request) {
  const bool undoes = request.origin.operation == 0;
  // Undoing is rare, and must not depend on what the server remembers.
  request.form =
      request.wanted_form.value_or(undoes ? ScriptForm::text : scripts_.form_for(*request.command));
  const std::string_view bytes = encoder_.encode(request.command, request.form);
  say(bytes);
  request.bytes = bytes.size();
  request.answer.reset();
  request.wait_follows = false;
  if (request.form == ScriptForm::text) scripts_.note_offered(*request.command);
  requests_.note_written();
}

bool Session::may_write_next() const {
  if (misled_ > 0 || requests_.all_written()) return false;
  if (is_removal(*requests_[requests_.written()].command)) return may_write_removals();
  return admitted() && objection() == nullptr;
}

bool Session::may_write_removals() const { return admitted() || (!greeting() && selected()); }

bool Session::has_output() const { return !rest().empty() || may_write_next() || owes_wait(); }

std::string_view Session::output() {
  while (may_write_next() && rest().size() < kLookAheadBytes) write(requests_[requests_.written()]);
  if (owes_wait()) write_wait();
  return rest();
}

void Session::take_back() noexcept {
  while (requests_.written() > misled_ + held_back_) {
    const AwaitedRequest& last = requests_.last_written();
    if (last.bytes > rest().size()) return;
    unsay(last.bytes);
    if (last.form == ScriptForm::text) scripts_.note_no_offer(*last.command);
    requests_.note_taken_back();
  }
}

void Session::drop_expired(Instant now, std::vector<Arrival>& arrivals) {
  if (requests_.all_written()) return;
  if (!broken() && !greeting() && objection() != nullptr) drop_objected(arrivals);
  // Nothing of it can be sent now, and that it is overdue is what ends a connection that stays so.
  if (misled_ > 0 || (!greeting() && !admitted())) return;
  drop_overdue(now, arrivals);
}

void Session::drop_overdue(Instant now, std::vector<Arrival>& arrivals) {
  bool any = false;
  for (auto request = requests_.unwritten(); request != requests_.end(); ++request) {
    if (now < request->send_by || is_removal(*request->command)) continue;
    arrivals.push_back({request->origin, Reply::not_sent(Fault::timeout, "not sent in time")});
    request->useless = any = true;
  }
  if (!any) return;
  requests_.drop_unwritten([](const AwaitedRequest& request) { return request.useless; });
}

void Session::drop_objected(std::vector<Arrival>& arrivals) {
  for (auto request = requests_.unwritten(); request != requests_.end(); ++request) {
    const bool told = request->origin.operation == 0 || is_removal(*request->command);
    if (!told) arrivals.push_back({request->origin, objection()->reply()});
  }
  requests_.drop_unwritten([](const AwaitedRequest&) { return true; });
}

void Session::withdraw(OperationId operation) noexcept {
  for (AwaitedRequest& request : requests_) {
    if (request.origin.operation == operation) request.withdrawn = true;
  }
  requests_.drop_unwritten([](const AwaitedRequest& request) { return request.withdrawn; });
}

void Session::greet(const Endpoint& endpoint, NameManner manner) {
  // By then an old client may have acquired the lock.
  for (std::size_t i = 0; i < requests_.written(); ++i) {
    requests_[i].command = std::make_shared<const Command>(*undo_of(*requests_[i].command));
    requests_[i].wanted_form = ScriptForm::text;
  }
  Conversation::greet(endpoint, manner);
  requests_.begin_anew();
  misled_ = held_back_ = 0;
}

void Session::on_bytes(std::string_view bytes, std::vector<Arrival>& arrivals) {
  if (broken()) return;
  hear(bytes);
  std::optional<Ending> ending;
  while (!broken() && !ending) {
    const std::optional<RespValue> value = next_reply(ending);
    if (!value) break;
    on_reply(*value, arrivals);
  }
  if (ending) fail(ending->fault, ending->reason, arrivals);
  if (!broken() && requests_.written() == 0 && !greeting()) note_all_answered();
}

void Session::delay(Instant connected_by, Duration answer_time, std::vector<Arrival>& arrivals) {
  const Instant answer_by = connected_by + answer_time;
  for (AwaitedRequest& request : requests_) {
    request.answer_by = std::max(request.answer_by, answer_by);
    request.send_by = std::max(request.send_by, answer_by);
    // Whoever is told too much only waits in vain.
    const bool wanted = request.origin.operation != 0 && !request.withdrawn;
    if (wanted) arrivals.push_back({request.origin, Reply(), connected_by});
  }
}

void Session::begin_anew(const Endpoint& endpoint, NameManner manner, Instant now,
                         Instant connected_by, Duration answer_time,
                         std::vector<Arrival>& arrivals) {
  Conversation::greet(endpoint, manner);
  requests_.begin_anew();
  misled_ = held_back_ = 0;
  carried_out_any_ = false;
  scripts_ = {};
  requests_.drop_unwritten([](const AwaitedRequest& request) { return request.withdrawn; });
  // Nobody may have looked for long: what was to be answered by now is not asked once more.
  drop_overdue(now, arrivals);
  delay(connected_by, answer_time, arrivals);
}

void Session::fail(Fault fault, const std::string& reason, std::vector<Arrival>& arrivals) {
  if (broken()) return;
  // Made ready and not sent is not sent, and is no last word.
  take_back();
  mark_broken(fault, reason);
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const AwaitedRequest& request = requests_[i];
    const bool told = request.origin.operation == 0 || request.useless;
    if (told) continue;
    arrivals.push_back({request.origin, requests_.is_written(i) ? Reply::unknown(fault, reason)
                                                                : Reply::not_sent(fault, reason)});
  }
  requests_.drop_unwritten([](const AwaitedRequest&) { return true; });
}

void Session::begin_answers(Instant answer_by) noexcept {
  for (AwaitedRequest& request : requests_) {
    const bool wanted = request.origin.operation != 0;
    request.answer_by = wanted ? answer_by : std::max(request.answer_by, answer_by);
  }
}

std::optional<Instant> Session::next_deadline() const {
  return broken() ? std::nullopt : requests_.earliest_deadline();
}

void Session::submit_last(SharedCommand removal, Instant repeat_until) {
  AwaitedRequest request;
  request.repeat_until = repeat_until;
  request.command = std::move(removal);
  request.answer_by = Instant::never();
  requests_.add(std::move(request));
}

void Session::repeat_removals() {
  // Where memory ran out as it failed they may still be here.
  if (broken()) requests_.drop_unwritten([](const AwaitedRequest&) { return true; });
  const std::vector<std::size_t> positions = requests_.removals();
  // A crowd of texts takes long by a slow network. Behind the first of each script the server knows
  // it, or has refused the text, which is heard on a connection that lives.
  const bool crowd = !broken() && positions.size() > kRemovalsByTextMax;
  std::bitset<std::variant_size_v<Command>> said;
  const auto choose_form = [&](AwaitedRequest& request) {
    const std::size_t script = request.command->index();
    const bool known = crowd && said.test(script) && request.wanted_form != ScriptForm::text;
    request.wanted_form = known ? ScriptForm::sha1 : ScriptForm::text;
    said.set(script);
  };
  for (const std::size_t position : positions) {
    if (!requests_.is_written(position)) {
      AwaitedRequest& request = requests_[position];
      // What is said last is said late: by now an old client may have acquired the lock.
      if (broken()) request.command = std::make_shared<const Command>(*undo_of(*request.command));
      choose_form(request);
    } else if (requests_[position].form == ScriptForm::sha1) {
      submit_last(std::make_shared<const Command>(*undo_of(*requests_[position].command)));
      choose_form(requests_[requests_.size() - 1]);
    }
  }
}

bool Session::owes_removal() const {
  std::size_t unsent = rest().size();
  for (std::size_t i = requests_.size(); i-- > 0;) {
    const AwaitedRequest& request = requests_[i];
    if (requests_.is_written(i) && unsent == 0) return false;
    if (is_removal(*request.command)) return true;
    if (requests_.is_written(i)) unsent -= std::min(unsent, request.bytes);
  }
  return false;
}

bool Session::removal_stands_behind_wait() const {
  bool waits = false;
  for (std::size_t i = misled_; i < requests_.size(); ++i) {
    if (waits && is_removal(*requests_[i].command)) return true;
    waits = waits || (requests_.is_written(i) && requests_[i].wait_follows);
  }
  return false;
}

bool Session::has_last_words() const {
  return sent_any() && selected() && may_write_removals() && misled_ == 0 &&
         !requests_.removals().empty();
}

}  // namespace redlock
