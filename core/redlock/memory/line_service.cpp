// Serving a line, in the order of the script.
#include "redlock/memory/line_service.hpp"

namespace redlock::memory {

namespace {

constexpr double kHeardOfSeconds = 15;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool said_none(const Value& heard) { return heard.is_integer() && heard.integer == 0; }

// Digits behind a blank.
std::string_view take_number(std::string_view& text) {
  if (!text.starts_with(' ')) return {};
  text.remove_prefix(1);
  return take_digits(text);
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string let_in_field(std::string_view who) { return '>' + std::string(who); }

std::optional<Kept> parse_kept(std::string_view told) {
  std::size_t end = 0;
  while (end < told.size() && !is_blank(told[end])) ++end;
  Kept kept;
  kept.channel = told.substr(0, end);
  told.remove_prefix(end);
  kept.echo = take_number(told);
  kept.ttl = take_number(told);
  kept.heard = take_number(told);
  const bool blank = take(told, ' ');
  const bool reads = take(told, 'r');
  kept.reads = blank && reads;
  (void)take(told, ' ');
  kept.skipped = take(told, '-');
  const bool whole = !kept.channel.empty() && !kept.echo.empty() && !kept.ttl.empty() &&
                     !kept.heard.empty() && told.empty();
  return whole ? std::optional(kept) : std::nullopt;
}

LineService::LineService(ScriptCall& call)
    : key(call.key()),
      me(call.argument(0)),
      line(std::string(key) + ":redlock:line"),
      waiters(std::string(key) + ":redlock:waiters"),
      readers(call),
      call_(call) {}

bool LineService::newer() {
  const Value version = call_.ask({"HGET", waiters, "!"});
  return version.kind == Value::Kind::text && version.text != "1" && version.text != "2";
}

std::string LineService::at(std::int64_t place) {
  const std::string number = std::to_string(place);
  const Value found = call_.ask({"ZRANGE", line, number, number});
  return found.elements.empty() ? std::string() : found.elements.front().text;
}

std::optional<Waiter> LineService::entry(std::string_view who, bool* refused) {
  const Value told = call_.ask({"HGET", waiters, who});
  if (told.is_error() && refused != nullptr) *refused = true;
  if (told.kind != Value::Kind::text) return std::nullopt;
  const std::optional<Kept> kept = parse_kept(told.text);
  if (!kept) return std::nullopt;
  const double silent_s = number_of(clock_.elements.at(0).text) - number_of(kept->heard);
  if (silent_s >= kHeardOfSeconds) return std::nullopt;
  return Waiter{std::string(kept->channel), std::string(kept->echo), std::string(kept->ttl),
                kept->skipped, kept->reads};
}

Value LineService::leave(std::string_view who, std::optional<std::string_view> forgotten) {
  call_.ask({"HDEL", waiters, who, forgotten.value_or(who)});
  return call_.ask({"ZREM", line, who});
}

void LineService::keep(std::string_view name, std::string_view ms) {
  const Value left = call_.ask({"PTTL", name});
  const bool long_enough = left.is_integer() && static_cast<double>(left.integer) >= number_of(ms);
  if (!long_enough) call_.ask({"PEXPIRE", name, ms});
}

Value LineService::tell(std::string_view channel, const std::string& words) {
  Value heard = call_.ask({"PUBLISH", channel, words});
  if (heard.is_error() || said_none(heard)) return heard;
  if (!strangers) strangers = call_.ask({"PUBLISH", std::string(channel) + '?', ""});
  if (strangers->is_error()) return *strangers;
  if (heard.integer <= strangers->integer) heard.integer = 0;
  return heard;
}

void LineService::tell_next(std::string who, std::int64_t place, const std::string& left,
                            std::string_view but) {
  while (!who.empty() && turns_ > 0) {
    --turns_;
    if (who == but) {
      ++place;
    } else {
      bool refused = false;
      const std::optional<Waiter> next = entry(who, &refused);
      if (refused) return;
      const std::string words = std::string("next ").append(left).append(" ").append(who);
      if (next && (who == me || !said_none(tell(next->channel, words)))) return;
      if (leave(who).integer != 1) return;
    }
    who = at(place);
  }
}

bool LineService::give() {
  std::int64_t place = 0;
  while (turns_ > 0) {
    --turns_;
    const Value first =
        call_.ask({"ZRANGE", line, std::to_string(place), std::to_string(place + 1)});
    if (first.elements.empty()) return open || place == 0;
    const std::string who = first.elements[0].text;
    const std::string second = first.elements.size() > 1 ? first.elements[1].text : std::string();
    bool refused = false;
    const std::optional<Waiter> waiter = entry(who, &refused);
    if (refused) return true;
    if (waiter && waiter->skipped) {
      ++place;
      continue;
    }
    if (waiter) {
      const Turn turn = offer(who, second, place, *waiter);
      if (turn == Turn::entered) continue;
      if (turn != Turn::unreachable) return turn == Turn::served;
    }
    const Value left = waiter ? leave(who, "") : leave(who);
    if (left.integer != 1) return true;
    place = 0;
  }
  return false;
}

LineService::Turn LineService::offer(const std::string& who, const std::string& second,
                                     std::int64_t place, const Waiter& waiter) {
  if (open && !waiter.reads) {
    const Value left = call_.ask({"PTTL", key});
    if (!left.is_integer() || who == me) return Turn::served;
    const std::string words = "next " + std::to_string(left.integer) + ' ' + who;
    return said_none(tell(waiter.channel, words)) ? Turn::unreachable : Turn::served;
  }
  if (stays_free && !open) {
    if (said_none(tell(waiter.channel, "next -2 " + who))) return Turn::unreachable;
    tell_next(second, place + 1, "100");
    return Turn::served;
  }
  return waiter.reads ? admit(who, waiter) : hand(who, second, place, waiter);
}

LineService::Turn LineService::admit(const std::string& who, const Waiter& waiter) {
  if (open && readers.until(who, {Value::Kind::text, 0, std::string(kSharedMark)})) {
    leave(who);
    return Turn::entered;
  }
  try {
    readers.enter(who, waiter.ttl, open);
  } catch (const ScriptError&) {
    return Turn::served;
  }
  Value heard = call_.ask({"HSET", waiters, let_in_field(who), waiter.echo});
  if (!heard.is_error()) {
    heard = who == me ? Value{Value::Kind::integer, 1, {}}
                      : tell(waiter.channel, "granted " + waiter.echo + ' ' + who);
  }
  if (said_none(heard) || heard.is_error()) {
    try {
      open = readers.go_out(who, true);
    } catch (const ScriptError&) {
      // He ends by himself.
    }
    call_.ask({"HDEL", waiters, let_in_field(who)});
    return heard.is_error() ? Turn::served : Turn::unreachable;
  }
  open = true;
  leave(who);
  keep(waiters, waiter.ttl);
  return Turn::entered;
}

LineService::Turn LineService::hand(const std::string& who, const std::string& second,
                                    std::int64_t place, const Waiter& waiter) {
  if (call_.ask({"SET", key, who, "PX", waiter.ttl}).is_error()) return Turn::refused;
  if (place == 0) {
    tell_next(second, 1, waiter.ttl);
  } else {
    tell_next(at(0), 0, waiter.ttl, who);
  }
  Value heard = call_.ask({"HSET", waiters, "", waiter.echo + ' ' + who});
  if (!heard.is_error()) {
    heard = who == me ? Value{Value::Kind::integer, 1, {}}
                      : tell(waiter.channel, "granted " + waiter.echo + ' ' + who);
  }
  if (said_none(heard) || heard.is_error()) call_.ask({"DEL", key});
  if (heard.is_error()) {
    call_.ask({"HDEL", waiters, ""});
    return Turn::served;
  }
  if (said_none(heard)) return Turn::unreachable;
  leave(who);
  keep(waiters, waiter.ttl);
  return Turn::served;
}

void LineService::serve(bool free) {
  if (clock_.elements.empty() || newer() || (free && give())) return;
  const Value left = call_.ask({"PTTL", key});
  if (!left.is_integer()) return;
  tell_next(at(0), 0, std::to_string(left.integer), yields ? me : std::string_view());
}

void LineService::offer(std::string_view slot) {
  if (clock_.elements.empty() || newer()) return;
  while (turns_ > 0) {
    --turns_;
    const Value first = call_.ask({"ZRANGE", line, "0", "1"});
    if (first.elements.empty()) return;
    const std::string who = first.elements[0].text;
    const std::string second = first.elements.size() > 1 ? first.elements[1].text : std::string();
    bool refused = false;
    const std::optional<Waiter> waiter = entry(who, &refused);
    if (refused) return;
    Value heard{Value::Kind::integer, 0, {}};
    if (waiter) {
      heard = tell(waiter->channel, std::string("slot ").append(slot).append(" ").append(who));
    }
    if (heard.is_error() || leave(who).integer != 1) return;
    if (!said_none(heard)) return tell_next(second, 0, "100");
  }
}

}  // namespace redlock::memory
