// The quorum lock's scripts.
#include <cmath>

#include "redlock/memory/line_service.hpp"
#include "redlock/memory/readers.hpp"
#include "redlock/memory/script_bodies.hpp"

namespace redlock::memory {

namespace {

std::string waiters_of(std::string_view key) { return std::string(key) + ":redlock:waiters"; }
std::string readers_of(std::string_view key) { return std::string(key) + ":redlock:readers"; }
double now_ms(const Value& clock) {
  return number_of(clock.elements[0].text) * 1000 +
         std::floor(number_of(clock.elements[1].text) / 1000);
}
std::string line_of(std::string_view key) { return std::string(key) + ":redlock:line"; }

}  // namespace

void forget_given(ScriptCall& call, std::string_view waiters, std::string_view token) {
  const Value given = call.ask({"HGET", waiters, ""});
  if (given.kind != Value::Kind::text) return;
  std::string_view rest = given.text;
  if (take_digits(rest).empty() || !rest.starts_with(' ')) return;
  if (rest.substr(1) == token) call.ask({"HDEL", waiters, ""});
}

void run_set_if_absent(ScriptCall& call, std::string& out) {
  const Value set =
      call.require({"SET", call.key(), call.argument(0), "NX", "PX", call.argument(1)});
  set.is_nil() ? append_nil(out) : append_status(out, set.text);
}

void run_extend_if_equal(ScriptCall& call, std::string& out) {
  const std::string_view token = call.argument(0);
  const Value held = call.require({"GET", call.key()});
  const std::string waiters = waiters_of(call.key());
  forget_given(call, waiters, token);
  if (held.is_nil()) return append_integer(out, 0);
  if (!held.is(token)) {
    Readers readers(call);
    const std::optional<double> ends = readers.until(token, held);
    if (!ends) return append_integer(out, 0);
    call.ask({"HDEL", waiters, let_in_field(token)});
    const double until_ms = readers.now_ms() + number_of(call.argument(1));
    if (*ends >= until_ms) return append_integer(out, 1);
    call.require({"ZADD", readers.name(), whole_text(until_ms), token});
    const Value kept = call.require({"PTTL", readers.name()});
    if (static_cast<double>(kept.integer) < number_of(call.argument(1))) {
      call.require({"PEXPIRE", readers.name(), call.argument(1)});
    }
  }
  const Value left = call.require({"PTTL", call.key()});
  if (static_cast<double>(left.integer) < number_of(call.argument(1))) {
    call.require({"PEXPIRE", call.key(), call.argument(1)});
  }
  append_integer(out, 1);
}

void run_swap_if_equal(ScriptCall& call, std::string& out) {
  const std::string_view token = call.argument(0);
  const std::string waiters = waiters_of(call.key());
  const Value held = call.require({"GET", call.key()});
  if (held.is_nil()) return append_integer(out, 0);
  if (held.is(token)) {
    call.require({"SET", call.key(), call.argument(1), "PX", call.argument(2)});
  } else {
    Readers readers(call);
    if (!held.is(kSharedMark) || !readers.until(token, held)) return append_integer(out, 0);
    readers.enter(call.argument(1), call.argument(2), true);
    readers.go_out(token, true);
  }
  const Value known = call.ask({"HLEN", waiters});
  if (known.is_integer() && known.integer == 0) return append_integer(out, 1);
  forget_given(call, waiters, token);
  call.ask({"HDEL", waiters, token, let_in_field(token)});
  call.ask({"ZREM", line_of(call.key()), token});
  append_integer(out, 1);
}

void run_check_equal(ScriptCall& call, std::string& out) {
  const Value held = call.require({"GET", call.key()});
  if (held.is(call.argument(0))) return append_integer(out, 1);
  if (held.is_nil()) return append_integer(out, 0);
  append_integer(out, Readers(call).until(call.argument(0), held) ? 1 : 0);
}

void run_inspect(ScriptCall& call, std::string& out) {
  const Value held = call.require({"GET", call.key()});
  const std::string line = line_of(call.key());
  const Value counted = call.ask({"ZCARD", line});
  const Value clock = call.ask({"TIME"});
  const std::int64_t waiting = counted.is_integer() ? counted.integer : -1;
  const bool tells_time = clock.elements.size() == 2;
  Value first;
  if (waiting > 0 && tells_time) first = call.ask({"ZRANGE", line, "0", "15", "WITHSCORES"});
  std::string said = std::to_string(call.require({"PTTL", call.key()}).integer) + ' ' +
                     std::to_string(waiting) + ' ' + std::to_string(first.elements.size() / 2) +
                     ' ';
  for (std::size_t i = 0; i + 1 < first.elements.size(); i += 2) {
    const std::string& who = first.elements[i].text;
    const double waited = now_ms(clock) - real_in(first.elements[i + 1].text);
    said += whole_text(waited) + ' ' + std::to_string(who.size()) + ':' + who;
  }
  said += held.text;
  if (held.is(kSharedMark) && tells_time) {
    const std::string since = '(' + whole_text(now_ms(clock));
    const Value readers = call.ask({"ZCOUNT", readers_of(call.key()), since, "+inf"});
    if (readers.is_integer()) said += ' ' + std::to_string(readers.integer);
  }
  append_bulk(out, said);
}

}  // namespace redlock::memory
