// The timestamp lock's scripts.
#include <cmath>
#include <optional>

#include "redlock/memory/script_bodies.hpp"

namespace redlock::memory {

namespace {

double now_ms(ScriptCall& call) {
  const Value clock = call.require({"TIME"});
  return number_of(clock.elements[0].text) * 1000 +
         std::floor(number_of(clock.elements[1].text) / 1000);
}

// Digits, maybe a point, maybe more digits; nothing else.
std::optional<double> stamp_in(std::string_view held) {
  const std::string_view whole = take_digits(held);
  if (held.starts_with('.')) held.remove_prefix(1);
  (void)take_digits(held);
  if (whole.empty() || !held.empty()) return std::nullopt;
  return number_of(whole);
}

bool is_plain(std::string_view held) { return !take_digits(held).empty() && held.empty(); }

}  // namespace

void run_stamp_take(ScriptCall& call, std::string& out) {
  const Value held = call.ask({"GET", call.key()});
  if (held.is_error()) return append_error(out, held.text);
  const double clock_ms = now_ms(call);
  const double unit_ms = number_of(call.argument(2));
  if (!held.is_nil()) {
    const std::optional<double> stamp = stamp_in(held.text);
    if (!stamp) return append_error(out, "FOREIGN the value is no timestamp");
    const double now = std::floor(clock_ms / unit_ms);
    if (*stamp >= now * 100 && *stamp <= now * 10000) return append_error(out, "UNIT too fine");
    const bool coarse = call.argument(2) == "1" && *stamp <= now / 100 && *stamp >= now / 10000;
    if (coarse) return append_error(out, "UNIT too coarse");
    if (now <= *stamp) return append_integer(out, 0);
  }
  const double until = std::floor((clock_ms + number_of(call.argument(0))) / unit_ms);
  const std::string mine = whole_text(until) + '.' + std::string(call.argument(1));
  call.require({"SET", call.key(), mine, "PX", call.argument(0)});
  append_bulk(out, mine);
}

void run_stamp_undo(ScriptCall& call, std::string& out) {
  const Value held = call.require({"GET", call.key()});
  std::string_view rest = held.text;
  const bool ours = !take_digits(rest).empty() && rest.starts_with('.') &&
                    is_plain(rest.substr(1)) && rest.substr(1) == call.argument(0);
  if (!ours) return append_integer(out, 0);
  append_integer(out, call.require({"DEL", call.key()}).integer);
}

void run_stamp_release(ScriptCall& call, std::string& out) {
  const Value held = call.require({"GET", call.key()});
  if (held.is_nil()) return append_integer(out, 0);
  const double clock_ms = now_ms(call);
  const bool in_seconds = call.argument(2) != "1";
  const auto left_ms = [&](std::string_view value) {
    const std::string_view digits = take_digits(value);
    if (digits.empty()) throw ScriptError("ERR the value is no timestamp");
    const double stamp = number_of(digits) + (in_seconds ? 1 : 0);
    return stamp * number_of(call.argument(2)) - clock_ms;
  };
  const std::string_view stamp = call.argument(0);
  const bool plain = call.argument(3) == "1" && is_plain(held.text) && left_ms(stamp) > 0;
  if (!held.is(stamp) && !plain) return append_integer(out, 0);
  const double margin = real_in(call.argument(1));
  if (left_ms(held.text) > margin) {
    return append_integer(out, call.require({"DEL", call.key()}).integer);
  }
  append_integer(out, 0);
}

void run_stamp_check(ScriptCall& call, std::string& out) {
  const Value held = call.require({"GET", call.key()});
  const bool ours = held.is(call.argument(0)) ||
                    (!held.is_nil() && call.argument(1) == "1" && is_plain(held.text));
  append_integer(out, ours ? 1 : 0);
}

}  // namespace redlock::memory
