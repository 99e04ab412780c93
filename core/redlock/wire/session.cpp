// The conversation's state machine.
#include "redlock/wire/session.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace redlock {

Session::Session(const Endpoint& endpoint, RequestEncoder& encoder)
    : encoder_(encoder), secrets_(endpoint) {
  write_handshake(endpoint);
}

void Session::write_handshake(const Endpoint& endpoint) {
  const auto expect = [this](Step step) {
    Awaited request;
    request.step = step;
    request.answer_by = Instant::never();
    request.written = true;
    awaited_.push_back(std::move(request));
  };
  if (!endpoint.password.empty()) {
    std::vector<std::string_view> arguments{"AUTH"};
    if (!endpoint.user.empty()) arguments.emplace_back(endpoint.user);
    arguments.emplace_back(endpoint.password);
    append_command(output_, arguments);
    expect(Step::auth);
  }
  if (endpoint.database != 0) {
    const std::string number = std::to_string(endpoint.database);
    append_command(output_, std::array<std::string_view, 2>{"SELECT", number});
    expect(Step::select);
    admitted_ = false;
  }
  if (!endpoint.client_name.empty()) {
    append_command(output_,
                   std::array<std::string_view, 3>{"CLIENT", "SETNAME", endpoint.client_name});
    expect(Step::set_name);
  }
}

bool Session::submit(const Origin& origin, SharedCommand command, Instant answer_by) {
  const std::size_t room = is_removal(*command) ? kAwaitedMax : kAwaitedBesidesRemovalsMax;
  if (broken_ || awaited_.size() >= room || output().size() >= kOutputBytesMax) return false;
  Awaited request;
  request.origin = origin;
  request.command = std::move(command);
  request.answer_by = answer_by;
  request.form = form_for(origin, *request.command);
  if (admitted_) write(request);
  awaited_.push_back(std::move(request));
  return true;
}

ScriptForm Session::form_for(const Origin& origin, const Command& command) const {
  // Undoing is rare, and must not depend on what the server remembers.
  if (origin.operation == 0 || !known_scripts_.test(command.index())) return ScriptForm::text;
  return ScriptForm::sha1;
}

void Session::write(Awaited& request) {
  output_ += encoder_.encode(request.command, request.form);
  request.written = true;
}

std::string_view Session::output() const {
  return std::string_view(output_).substr(output_offset_);
}

void Session::mark_sent(std::size_t size) {
  sent_any_ = sent_any_ || size > 0;
  unanswered_bytes_ += size;
  output_offset_ += size;
  if (output_offset_ < output_.size()) return;
  output_.clear();
  output_offset_ = 0;
}

void Session::take_bytes(std::string_view bytes, std::vector<Arrival>& arrivals) {
  if (broken_) return;
  reader_.feed(bytes);
  while (!broken_) {
    std::optional<RespValue> value = reader_.next();
    if (!value) break;
    take_reply(*value, arrivals);
  }
  if (!broken_ && !reader_.error().empty()) {
    fail(Fault::protocol, "no valid reply: " + secrets_.shown(reader_.error()), arrivals);
  }
}

void Session::take_reply(const RespValue& value, std::vector<Arrival>& arrivals) {
  if (awaited_.empty() || !awaited_.front().written) {
    const bool is_error = value.kind == RespKind::error;
    const Fault fault = is_error ? fault_of(value.text) : Fault::rejected;
    return fail(fault == Fault::rejected ? Fault::protocol : fault,
                "a reply that nobody asked for" +
                    (is_error ? ": " + secrets_.shown(value.text) : std::string()),
                arrivals);
  }
  Awaited request = std::move(awaited_.front());
  awaited_.pop_front();
  if (awaited_.empty()) unanswered_bytes_ = 0;
  if (request.step != Step::command) return take_handshake_reply(request, value, arrivals);
  take_command_reply(std::move(request), value, arrivals);
}

void Session::take_handshake_reply(const Awaited& request, const RespValue& value,
                                   std::vector<Arrival>& arrivals) {
  const bool confirmed = value.kind == RespKind::status && value.text == "OK";
  // A name is a courtesy; an ACL may forbid it.
  const bool tolerated = request.step == Step::set_name && value.kind == RespKind::error;
  if (!confirmed && !tolerated) {
    if (value.kind != RespKind::error) {
      return fail(Fault::protocol, "no valid reply to the handshake", arrivals);
    }
    const bool auth = request.step == Step::auth;
    const Fault fault = fault_of(value.text);
    return fail(auth && fault == Fault::rejected ? Fault::auth : fault,
                (auth ? "AUTH" : "SELECT") + (" was refused: " + secrets_.shown(value.text)),
                arrivals);
  }
  if (request.step == Step::select) admit_commands();
}

void Session::admit_commands() {
  admitted_ = true;
  for (Awaited& waiting : awaited_) {
    if (!waiting.written) write(waiting);
  }
}

bool Session::removal_follows(const Command& command) const {
  return !is_removal(command) && std::ranges::any_of(awaited_, [&](const Awaited& later) {
    return later.command && is_removal(*later.command) &&
           lock_name(*later.command) == lock_name(command);
  });
}

void Session::take_command_reply(Awaited request, const RespValue& value,
                                 std::vector<Arrival>& arrivals) {
  if (request.form == ScriptForm::sha1 && is_script(*request.command) && is_unknown_script(value)) {
    known_scripts_.reset(request.command->index());
    if (removal_follows(*request.command)) {
      // Repeated, it would stand behind its own removal and outlive it.
      arrivals.push_back(Arrival{request.origin, Reply::denied()});
      return;
    }
    request.form = ScriptForm::text;
    // The operation keeps its own deadline. It may have ended long ago, and an answer that was
    // due then must not cost this living connection.
    request.answer_by = Instant::never();
    write(request);
    awaited_.push_back(std::move(request));
    return;
  }
  std::optional<Reply> reply = reply_to(*request.command, value, secrets_);
  if (!reply) {
    // Put it back: it is answered, with all the others, by the failure.
    awaited_.push_front(std::move(request));
    return fail(Fault::protocol, "a reply that does not fit what was asked", arrivals);
  }
  if (reply->answer != Answer::unknown) known_scripts_.set(request.command->index());
  if (request.origin.operation != 0) {
    arrivals.push_back(Arrival{request.origin, std::move(*reply)});
  }
}

void Session::fail(Fault fault, const std::string& reason, std::vector<Arrival>& arrivals) {
  if (broken_) return;
  broken_ = true;
  fault_ = fault;
  reason_ = reason;
  for (const Awaited& request : awaited_) {
    if (request.step != Step::command || request.origin.operation == 0) continue;
    arrivals.push_back(Arrival{request.origin, Reply::unknown(fault, reason)});
  }
}

std::optional<Instant> Session::next_deadline() const {
  if (broken_ || awaited_.empty()) return std::nullopt;
  Instant earliest = Instant::never();
  for (const Awaited& request : awaited_) earliest = std::min(earliest, request.answer_by);
  return earliest;
}

std::vector<OperationId> Session::open_takes() const {
  std::vector<OperationId> takers;
  std::set<LockName> removed;
  for (auto request = awaited_.rbegin(); request != awaited_.rend(); ++request) {
    if (request->step != Step::command || !undo_of(*request->command)) continue;
    const LockName name = lock_name(*request->command);
    if (is_removal(*request->command)) {
      removed.insert(name);
    } else if (!removed.contains(name)) {
      takers.push_back(request->origin.operation);
    }
  }
  return takers;
}

std::vector<const Session::Awaited*> Session::removals() const {
  std::vector<const Awaited*> found;
  std::set<LockName> seen;
  for (auto request = awaited_.rbegin(); request != awaited_.rend(); ++request) {
    if (request->step != Step::command || !is_removal(*request->command)) continue;
    if (seen.insert(lock_name(*request->command)).second) found.push_back(&*request);
  }
  std::ranges::reverse(found);
  return found;
}

void Session::submit_last(SharedCommand removal) {
  Awaited request;
  request.command = std::move(removal);
  request.form = ScriptForm::text;
  if (admitted_ && sent_any_) write(request);
  awaited_.push_back(std::move(request));
}

void Session::repeat_removals() {
  // Without the SELECT no command of ours was ever written here.
  if (!admitted_) return;
  for (const Awaited* request : removals()) {
    if (request->written && request->form == ScriptForm::text) continue;
    append_request(output_, *undo_of(*request->command), ScriptForm::text);
  }
}

std::vector<SharedCommand> Session::unsettled() const {
  std::vector<SharedCommand> commands;
  for (const Awaited* request : removals()) {
    commands.push_back(std::make_shared<const Command>(*undo_of(*request->command)));
  }
  return commands;
}

}  // namespace redlock
