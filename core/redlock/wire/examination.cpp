// Asking one question, and taking its answer.
#include "redlock/wire/examination.hpp"

#include "redlock/algorithm/invariant.hpp"
#include "redlock/wire/server_errors.hpp"

namespace redlock {

void Examination::ask(std::span<const std::string_view> question, Instant answer_by) {
  if (broken()) return;
  REDLOCK_INVARIANT(!awaits());
  append_command(question_, question);
  answer_by_ = answer_by;
}

std::string_view Examination::output() {
  if (owes_question()) {
    say(question_);
    question_.clear();
  }
  return rest();
}

void Examination::on_bytes(std::string_view bytes, std::vector<Event>& answers) {
  if (broken()) return;
  hear(bytes);
  std::optional<Ending> ending;
  while (!broken() && !ending) {
    std::optional<RespValue> value = next_reply(ending);
    if (!value) break;
    const bool is_error = value->kind == RespKind::error;
    const Fault fault = is_error ? fault_of(value->text) : Fault::none;
    if (is_error) value->text = secrets().shown(value->text);
    // Said to the connection, whatever was asked on it.
    if (fault == Fault::maxclients || (is_error && value->text.starts_with("DENIED "))) {
      ending = {fault, "the connection was refused: " + value->text};
    } else if (!awaits()) {
      ending = {Fault::protocol, "a reply without a request"};
    } else {
      answer_by_.reset();
      answers.push_back(std::move(*value));
    }
  }
  if (ending) fail(ending->fault, ending->reason, answers);
  if (!awaits()) note_all_answered();
}

void Examination::fail(Fault fault, const std::string& reason, std::vector<Event>& /*answers*/) {
  if (!broken()) mark_broken(fault, reason);
}

}  // namespace redlock
