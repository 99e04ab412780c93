// The conversation's state machine.
#include "redlock/wire/session.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace redlock {

Session::Session(const Endpoint& endpoint, RequestEncoder& encoder)
    : Conversation(endpoint), encoder_(encoder), replicas_(endpoint.guard.replicas) {
  if (replicas_ == 0) return;
  append_command(wait_, std::array<std::string_view, 3>{"WAIT", std::to_string(replicas_),
                                                        in_ms(endpoint.guard.replica_wait)});
}

bool Session::submit(const Origin& origin, SharedCommand command, Instant answer_by,
                     Instant repeat_until) {
  const std::size_t room = is_removal(*command) ? kAwaitedMax : kAwaitedBesidesRemovalsMax;
  if (broken() || awaited_.size() >= room || queue_is_full()) return false;
  Awaited request;
  request.origin = origin;
  request.command = std::move(command);
  request.answer_by = answer_by;
  request.send_by = answer_by;
  request.repeat_until = repeat_until;
  awaited_.push_back(std::move(request));
  return true;
}

// Counted only where there are so many that it could matter.
bool Session::queue_is_full() const {
  constexpr std::size_t kFewest = kQueuedBytesMax / (kResourceBytesMax + kTokenBytesMax);
  if (awaited_.size() - written_ < kFewest) return false;
  std::size_t bytes = 0;
  for (std::size_t i = written_; i < awaited_.size(); ++i) {
    const LockName name = lock_name(*awaited_[i].command);
    for (const Resource& key : name.keys) bytes += key.view().size();
    bytes += name.proof.size();
  }
  return bytes >= kQueuedBytesMax;
}

ScriptForm Session::form_for(const Awaited& request) const {
  if (request.wanted_form) return *request.wanted_form;
  // Undoing is rare, and must not depend on what the server remembers.
  if (request.origin.operation == 0) return ScriptForm::text;
  const std::size_t script = request.command->index();
  const bool offered = is_removal(*request.command) && offered_scripts_.test(script);
  return known_scripts_.test(script) || offered ? ScriptForm::sha1 : ScriptForm::text;
}

void Session::write(Awaited& request) {
  request.form = form_for(request);
  const std::string_view bytes = encoder_.encode(request.command, request.form);
  say(bytes);
  request.bytes = bytes.size();
  request.answer.reset();
  request.wait_follows = false;
  if (request.form == ScriptForm::text) offered_scripts_.set(request.command->index());
  ++written_;
}

bool Session::may_write_next() const {
  if (misled_ > 0 || written_ == awaited_.size()) return false;
  if (is_removal(*awaited_[written_].command)) return may_write_removals();
  return admitted() && objection() == nullptr;
}

bool Session::may_write_removals() const { return admitted() || (!greeting() && selected()); }

bool Session::has_output() const { return !rest().empty() || may_write_next() || owes_wait(); }

std::string_view Session::output() {
  while (may_write_next() && rest().size() < kLookAheadBytes) write(awaited_[written_]);
  if (owes_wait()) write_wait();
  return rest();
}

void Session::take_back() noexcept {
  while (written_ > misled_ + held_back_) {
    const Awaited& last = awaited_[written_ - 1];
    if (last.bytes > rest().size()) return;
    unsay(last.bytes);
    if (last.form == ScriptForm::text) offered_scripts_.reset(last.command->index());
    --written_;
  }
}

// Marks first and drops then, for which no memory is needed: half done, it would leave holes.
template <class IsUseless>
void Session::drop_unwritten(IsUseless is_useless) noexcept {
  bool any_acquisition = false;
  for (auto request = unwritten(); request != awaited_.end(); ++request) {
    if (is_removal(*request->command) || !is_useless(*request)) continue;
    request->useless = true;
    any_acquisition = any_acquisition || is_acquisition(*request->command);
  }
  for (auto request = unwritten(); any_acquisition && request != awaited_.end(); ++request) {
    if (request->origin.operation != 0 || !is_removal(*request->command)) continue;
    request->useless = std::any_of(unwritten(), awaited_.end(), [&](const Awaited& acquisition) {
      return acquisition.useless && is_acquisition(*acquisition.command) &&
             !traits_of(*acquisition.command).enqueues &&
             lock_name(*acquisition.command) == lock_name(*request->command);
    });
  }
  const auto useless = [](const Awaited& request) { return request.useless; };
  awaited_.erase(std::remove_if(unwritten(), awaited_.end(), useless), awaited_.end());
}

void Session::drop_expired(Instant now, std::vector<Arrival>& arrivals) {
  if (!broken() && !greeting() && objection() != nullptr) drop_objected(arrivals);
  // Nothing of it can be sent now, and that it is overdue is what ends a connection that stays so.
  if (misled_ > 0 || (!greeting() && !admitted())) return;
  drop_overdue(now, arrivals);
}

void Session::drop_overdue(Instant now, std::vector<Arrival>& arrivals) {
  bool any = false;
  for (auto request = unwritten(); request != awaited_.end(); ++request) {
    if (now < request->send_by || is_removal(*request->command)) continue;
    arrivals.push_back({request->origin, Reply::not_sent(Fault::timeout, "not sent in time")});
    request->useless = any = true;
  }
  if (!any) return;
  drop_unwritten([](const Awaited& request) { return request.useless; });
}

void Session::drop_objected(std::vector<Arrival>& arrivals) {
  for (auto request = unwritten(); request != awaited_.end(); ++request) {
    const bool told = request->origin.operation == 0 || is_removal(*request->command);
    if (!told) arrivals.push_back({request->origin, objection()->reply()});
  }
  drop_unwritten([](const Awaited&) { return true; });
}

void Session::withdraw(OperationId operation) noexcept {
  for (Awaited& request : awaited_) {
    if (request.origin.operation == operation) request.withdrawn = true;
  }
  if (written_ == awaited_.size()) return;
  drop_unwritten([](const Awaited& request) { return request.withdrawn; });
}

void Session::greet(const Endpoint& endpoint, NameManner manner) {
  // By then an old client may have acquired the lock.
  for (std::size_t i = 0; i < written_; ++i) {
    awaited_[i].command = std::make_shared<const Command>(*undo_of(*awaited_[i].command));
    awaited_[i].wanted_form = ScriptForm::text;
  }
  Conversation::greet(endpoint, manner);
  written_ = misled_ = held_back_ = 0;
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
  if (!broken() && awaited_.empty() && !greeting()) note_all_answered();
}

void Session::delay(Instant connected_by, Duration answer_time, std::vector<Arrival>& arrivals) {
  const Instant answer_by = connected_by + answer_time;
  for (Awaited& request : awaited_) {
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
  written_ = misled_ = held_back_ = 0;
  carried_out_any_ = false;
  known_scripts_.reset();
  offered_scripts_.reset();
  drop_unwritten([](const Awaited& request) { return request.withdrawn; });
  // Nobody may have looked for long: what was to be answered by now is not asked once more.
  drop_overdue(now, arrivals);
  delay(connected_by, answer_time, arrivals);
}

bool Session::removal_follows(const Command& command) const {
  return !is_removal(command) && std::ranges::any_of(awaited_, [&](const Awaited& later) {
    return is_removal(*later.command) && lock_name(*later.command) == lock_name(command);
  });
}

void Session::fail(Fault fault, const std::string& reason, std::vector<Arrival>& arrivals) {
  if (broken()) return;
  // Made ready and not sent is not sent, and is no last word.
  take_back();
  mark_broken(fault, reason);
  for (std::size_t i = 0; i < awaited_.size(); ++i) {
    const Awaited& request = awaited_[i];
    const bool told = request.origin.operation == 0 || request.useless;
    if (told) continue;
    arrivals.push_back({request.origin, is_written(i) ? Reply::unknown(fault, reason)
                                                      : Reply::not_sent(fault, reason)});
  }
  drop_unwritten([](const Awaited&) { return true; });
}

void Session::begin_answers(Instant answer_by) noexcept {
  for (Awaited& request : awaited_) {
    const bool wanted = request.origin.operation != 0;
    request.answer_by = wanted ? answer_by : std::max(request.answer_by, answer_by);
  }
}

std::optional<Instant> Session::next_deadline() const {
  if (broken() || awaited_.empty()) return std::nullopt;
  Instant earliest = Instant::never();
  for (const Awaited& request : awaited_) earliest = std::min(earliest, request.answer_by);
  return earliest;
}

std::vector<OperationId> Session::open_acquisitions() const {
  std::vector<OperationId> takers;
  std::set<LockName> removed;
  for (auto request = awaited_.rbegin(); request != awaited_.rend(); ++request) {
    if (!undo_of(*request->command)) continue;
    const LockName name = lock_name(*request->command);
    if (is_removal(*request->command)) {
      removed.insert(name);
    } else if (!removed.contains(name) && !traits_of(*request->command).enqueues) {
      takers.push_back(request->origin.operation);
    }
  }
  return takers;
}

std::vector<Session::OpenJoin> Session::open_joins() const {
  std::vector<OpenJoin> joins;
  for (std::size_t i = 0; i < written_; ++i) {
    const Awaited& request = awaited_[i];
    if (!traits_of(*request.command).enqueues || removal_follows(*request.command)) continue;
    joins.push_back(
        {request.origin.operation, std::make_shared<const Command>(*undo_of(*request.command))});
  }
  return joins;
}

std::vector<OperationId> Session::askers() const {
  std::vector<OperationId> ids;
  for (const Awaited& request : awaited_) {
    if (request.origin.operation != 0) ids.push_back(request.origin.operation);
  }
  return ids;
}

std::vector<std::size_t> Session::removals() const {
  std::vector<std::size_t> found;
  std::set<LockName> seen;
  for (std::size_t i = awaited_.size(); i-- > 0;) {
    const Awaited& request = awaited_[i];
    if (!is_removal(*request.command)) continue;
    if (seen.insert(lock_name(*request.command)).second) found.push_back(i);
  }
  std::ranges::reverse(found);
  return found;
}

void Session::submit_last(SharedCommand removal, Instant repeat_until) {
  Awaited request;
  request.repeat_until = repeat_until;
  request.command = std::move(removal);
  request.answer_by = Instant::never();
  awaited_.push_back(std::move(request));
}

void Session::repeat_removals() {
  // Where memory ran out as it failed they may still be here.
  if (broken()) drop_unwritten([](const Awaited&) { return true; });
  const std::vector<std::size_t> positions = removals();
  // A crowd of texts takes long by a slow network. Behind the first of each script the server knows
  // it, or has refused the text, which is heard on a connection that lives.
  const bool crowd = !broken() && positions.size() > kRemovalsByTextMax;
  std::bitset<std::variant_size_v<Command>> said;
  const auto choose_form = [&](Awaited& request) {
    const std::size_t script = request.command->index();
    const bool known = crowd && said.test(script) && request.wanted_form != ScriptForm::text;
    request.wanted_form = known ? ScriptForm::sha1 : ScriptForm::text;
    said.set(script);
  };
  for (const std::size_t position : positions) {
    if (!is_written(position)) {
      Awaited& request = awaited_[position];
      // What is said last is said late: by now an old client may have acquired the lock.
      if (broken()) request.command = std::make_shared<const Command>(*undo_of(*request.command));
      choose_form(request);
    } else if (awaited_[position].form == ScriptForm::sha1) {
      submit_last(std::make_shared<const Command>(*undo_of(*awaited_[position].command)));
      choose_form(awaited_.back());
    }
  }
}

bool Session::owes_removal() const {
  std::size_t unsent = rest().size();
  for (std::size_t i = awaited_.size(); i-- > 0;) {
    const Awaited& request = awaited_[i];
    if (is_written(i) && unsent == 0) return false;
    if (is_removal(*request.command)) return true;
    if (is_written(i)) unsent -= std::min(unsent, request.bytes);
  }
  return false;
}

bool Session::removal_stands_behind_wait() const {
  bool waits = false;
  for (std::size_t i = misled_; i < awaited_.size(); ++i) {
    if (waits && is_removal(*awaited_[i].command)) return true;
    waits = waits || (is_written(i) && awaited_[i].wait_follows);
  }
  return false;
}

bool Session::has_last_words() const {
  return sent_any() && selected() && may_write_removals() && misled_ == 0 && !removals().empty();
}

std::vector<Refused> Session::unsettled() const {
  std::vector<Refused> unsettled;
  for (const std::size_t position : removals()) {
    const Awaited& request = awaited_[position];
    unsettled.push_back(
        {std::make_shared<const Command>(*undo_of(*request.command)), request.repeat_until});
  }
  return unsettled;
}

}  // namespace redlock
