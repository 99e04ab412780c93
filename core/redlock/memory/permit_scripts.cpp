// The scripts of permits, of which two are those of the line with more around them.
#include "redlock/memory/line_service.hpp"
#include "redlock/memory/script_bodies.hpp"

namespace redlock::memory {

namespace {

constexpr std::int64_t kNoEnd = -1;
constexpr std::int64_t kNoKey = -2;

struct Slots {
  std::string soonest, digits;
};

Slots look_at_slots(ScriptCall& call, std::string_view line, std::string_view permits) {
  std::int64_t soonest = kNoEnd;
  Slots slots;
  for (int slot = 0; slot < number_of(permits); ++slot) {
    const std::string key = std::string(line).append(":").append(std::to_string(slot));
    const std::int64_t left = call.require({"PTTL", key}).integer;
    slots.digits += left == kNoKey ? '1' : '0';
    if (soonest == kNoEnd || (left != kNoEnd && left < soonest)) soonest = left;
  }
  slots.soonest = std::to_string(soonest);
  return slots;
}

}  // namespace

void run_permit_take(ScriptCall& call, std::string& out) {
  const std::string_view key = call.key();
  const Value set = call.require({"SET", key, call.argument(0), "NX", "PX", call.argument(1)});
  if (!set.is_nil()) return append_status(out, set.text);
  const std::string_view line = key.substr(0, key.rfind(':'));
  const Slots slots = look_at_slots(call, line, call.argument(2));
  append_bulk(out, slots.soonest + ' ' + slots.digits);
}

void run_permit_join(ScriptCall& call, std::string& out) {
  std::string said;
  run_join(call, said);
  // What it is not a text of stays as it is.
  if (!said.starts_with('$')) {
    out += said;
    return;
  }
  const std::size_t begin = said.find("\r\n") + 2;
  const std::size_t blank = said.find(' ', begin);
  const Slots slots = look_at_slots(call, call.key(), call.argument(6));
  append_bulk(out,
              slots.soonest + said.substr(blank, said.size() - 2 - blank) + ' ' + slots.digits);
}

void run_permit_leave(ScriptCall& call, std::string& out) {
  LineService line(call);
  call.ask({"HDEL", line.waiters, line.me});
  const Value left = call.ask({"ZREM", line.line, line.me});
  if (left.is_error() && call.ask({"ZRANK", line.line, line.me}).is_integer()) {
    return append_error(out, left.text);
  }
  append_integer(out, 0);
}

void run_permit_pass(ScriptCall& call, std::string& out) {
  std::string said;
  run_pass(call, said);
  const std::string_view key = call.key();
  const std::size_t colon = key.rfind(':');
  const Value left = call.ask({"PTTL", key});
  const bool free = left.is_integer() && left.integer == kNoKey;
  if (!said.starts_with('-') && colon != std::string_view::npos && free) {
    const std::string_view name = key.substr(0, colon);
    ScriptCall of_line = call.about(name);
    LineService line(of_line);
    line.begin();
    line.offer(key.substr(colon + 1));
  }
  out += said;
}

}  // namespace redlock::memory
