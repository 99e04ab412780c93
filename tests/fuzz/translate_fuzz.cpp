// Replies of every kind to commands of every kind, and the bytes of commands with arbitrary names.
//
// Claims: an error is never a grant; only what the server's own words allow is a grant; a reason
// is short and printable; a command's bytes say exactly what was asked.
#include <string>

#include "commands.hpp"
#include "input.hpp"
#include "redlock/wire/translate.hpp"
#include "require.hpp"

namespace redlock::fuzz {

namespace {

RespValue value_from(Input& input) {
  RespValue value;
  value.kind = static_cast<RespKind>(input.choice(6));
  value.integer = input.choice(4) == 0 ? input.number<std::int64_t>() : input.choice() % 3;
  value.text = std::string(input.text(input.choice()));
  return value;
}

bool may_be_granted(const Command& command, const RespValue& value) {
  if (std::holds_alternative<SetIfAbsent>(command)) {
    return value.kind == RespKind::status && value.text == "OK";
  }
  if (std::holds_alternative<Enqueue>(command)) {
    return value.kind == RespKind::status && value.text == "GRANTED";
  }
  if (std::holds_alternative<StampAcquire>(command)) return value.kind == RespKind::bulk;
  // PTTL's word for no key.
  const bool no_key = value.text.starts_with("-2 ");
  if (std::holds_alternative<Inspect>(command)) return value.kind == RespKind::bulk && !no_key;
  const std::int64_t yes = std::holds_alternative<CheckEndless>(command) ? -1 : 1;
  return value.kind == RespKind::integer && value.integer == yes;
}

// Never "free" and never "released"; but a key of another type is certainly not ours.
void check_error(const Command& command, const RespValue& value,
                 const std::optional<Reply>& reply) {
  const bool other_type =
      value.text.find("WRONGTYPE") != std::string::npos && traits_of(command).needs_script &&
      !std::holds_alternative<StampAcquire>(command) && !std::holds_alternative<Inspect>(command);
  REQUIRE(reply && reply->answer == (other_type ? Answer::denied : Answer::unknown));
}

void check_reply(const Command& command, const RespValue& value) {
  const std::optional<Reply> reply = reply_to(command, value);
  const bool granted = reply && reply->answer == Answer::granted;
  REQUIRE(granted == may_be_granted(command, value));
  if (value.kind == RespKind::error) check_error(command, value, reply);
  if (!reply || reply->answer != Answer::unknown) return;
  REQUIRE(reply->fault == Fault::foreign || reply->fault == fault_of(value.text));
  REQUIRE(reply->reason().size() <= kReasonBytesMax);
  for (const char c : reply->reason()) REQUIRE(c >= ' ' && c <= '~');
}

std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

void check_bytes(Input& input) {
  const Resource resource{std::string(input.text(input.choice(64)))};
  const Token token{std::string(input.text(input.choice(64)))};
  const auto ttl_ms = static_cast<std::int64_t>(input.choice()) + 1;
  std::string out;
  append_request(out, SetIfAbsent{resource, token, Duration::ms(ttl_ms)}, ScriptForm::sha1);
  REQUIRE(out == "*6\r\n" + bulk("SET") + bulk(resource.view()) + bulk(token.view()) + bulk("NX") +
                     bulk("PX") + bulk(std::to_string(ttl_ms)));
  out.clear();
  append_request(out, ReleaseAndHandOver{resource, token}, ScriptForm::text);
  const std::string tail = bulk("1") + bulk(resource.view()) + bulk(token.view());
  REQUIRE(out.starts_with("*5\r\n" + bulk("EVAL")) && out.ends_with(tail));
}

}  // namespace

void translate(Input input) {
  const SharedCommand command = command_of(input.choice(), input.choice());
  check_reply(*command, value_from(input));
  if (const auto undo = undo_of(*command)) {
    REQUIRE(is_removal(*undo) && lock_name(*undo) == lock_name(*command));
  }
  check_bytes(input);
}

}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::translate(redlock::fuzz::Input(data, size));
  return 0;
}
