// The quorum lock's scripts.
#include <cmath>

#include "redlock/memory/script_bodies.hpp"

namespace redlock::memory {

namespace {

std::string waiters_of(std::string_view key) { return std::string(key) + ":redlock:waiters"; }
std::string line_of(std::string_view key) { return std::string(key) + ":redlock:line"; }

// Behind which join the lock was given to whom is forgotten, if it was to this one.
void forget_given(ScriptCall& call, std::string_view waiters, std::string_view token) {
  const Value given = call.ask({"HGET", waiters, ""});
  if (given.kind != Value::Kind::text) return;
  std::string_view rest = given.text;
  if (take_digits(rest).empty() || !rest.starts_with(' ')) return;
  if (rest.substr(1) == token) call.ask({"HDEL", waiters, ""});
}

}  // namespace

void run_set_if_absent(ScriptCall& call, std::string& out) {
  const Value set =
      call.require({"SET", call.key(), call.argument(0), "NX", "PX", call.argument(1)});
  set.is_nil() ? append_nil(out) : append_status(out, set.text);
}

void run_extend_if_equal(ScriptCall& call, std::string& out) {
  const std::string_view token = call.argument(0);
  const Value held = call.require({"GET", call.key()});
  forget_given(call, waiters_of(call.key()), token);
  if (!held.is(token)) return append_integer(out, 0);
  const Value left = call.require({"PTTL", call.key()});
  if (static_cast<double>(left.integer) < number_of(call.argument(1))) {
    call.require({"PEXPIRE", call.key(), call.argument(1)});
  }
  append_integer(out, 1);
}

void run_swap_if_equal(ScriptCall& call, std::string& out) {
  const std::string_view held = call.argument(0);
  const std::string waiters = waiters_of(call.key());
  if (!call.require({"GET", call.key()}).is(held)) return append_integer(out, 0);
  call.require({"SET", call.key(), call.argument(1), "PX", call.argument(2)});
  const Value known = call.ask({"HLEN", waiters});
  if (known.is_integer() && known.integer == 0) return append_integer(out, 1);
  forget_given(call, waiters, held);
  call.ask({"HDEL", waiters, held});
  call.ask({"ZREM", line_of(call.key()), held});
  append_integer(out, 1);
}

void run_check_equal(ScriptCall& call, std::string& out) {
  append_integer(out, call.require({"GET", call.key()}).is(call.argument(0)) ? 1 : 0);
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
    const double now_ms = number_of(clock.elements[0].text) * 1000 +
                          std::floor(number_of(clock.elements[1].text) / 1000);
    const double waited = now_ms - real_in(first.elements[i + 1].text);
    said += whole_text(waited) + ' ' + std::to_string(who.size()) + ':' + who;
  }
  append_bulk(out, said + held.text);
}

}  // namespace redlock::memory
