// Leaving a line and handing the lock on; joining it.
#include "redlock/memory/line_service.hpp"
#include "redlock/memory/script_bodies.hpp"

namespace redlock::memory {

namespace {

constexpr std::string_view kHeartbeatMs = "15000";
constexpr int kNeighboursMax = 16;

// Of whom it is kept behind which join the lock was given to him.
struct Given {
  std::string echo, holder;
};
std::optional<Given> given_in(std::string_view text) {
  const std::string_view echo = take_digits(text);
  if (echo.empty() || !text.starts_with(' ')) return std::nullopt;
  return Given{std::string(echo), std::string(text.substr(1))};
}

// Is it this one?
bool is_named(const Value& given, std::string_view who) {
  const std::optional<Given> found = given_in(given.text);
  return given.kind == Value::Kind::text && found && found->holder == who;
}

// What a removal found under the key, and what it left there.
struct Removal {
  bool mine = false;  // the token was under the key
  bool had = false;   // it was there, or is a reader's
  bool free = false;  // nothing is left
  bool open = false;  // readers are
};

// Nobody waits for the lock, and it has no readers.
bool stands_alone(ScriptCall& call, const LineService& line) {
  const Value neighbours = call.ask({"EXISTS", line.readers.name(), line.waiters});
  return neighbours.is_integer() && neighbours.integer == 0;
}

Removal remove(ScriptCall& call, LineService& line, const Value& held) {
  Removal removal;
  bool shared = held.is(kSharedMark);
  removal.mine = removal.had = held.is(line.me);
  bool there = !held.is_nil();
  if (removal.had && line.readers.score(line.me) == 0.0) {
    shared = there = line.readers.go_out(line.me, shared);
  } else if (removal.had) {
    call.require({"DEL", line.key});
    shared = there = false;
  } else if (line.readers.until(line.me, held)) {
    removal.had = true;
    if (shared) {
      shared = there = line.readers.go_out(line.me, true);
    } else {
      call.require({"ZREM", line.readers.name(), line.me});
    }
  }
  removal.free = !there;
  removal.open = shared;
  return removal;
}

void hand_over(ScriptCall& call, LineService& line, const Removal& removal, std::string& out) {
  const std::string first = removal.free ? std::string() : line.at(0);
  const bool named = is_named(call.ask({"HGET", line.waiters, ""}), line.me);
  const Value left = removal.mine || named ? line.leave(line.me, "") : line.leave(line.me);
  call.ask({"HDEL", line.waiters, let_in_field(line.me)});
  if (left.is_error() && call.ask({"ZRANK", line.line, line.me}).is_integer()) {
    return append_error(out, left.text);
  }
  line.stays_free = call.argument_or_none(1) == "0";
  line.open = removal.open;
  if (removal.free || (removal.open && (first == line.me || removal.mine))) {
    line.serve(true);
  } else if (first == line.me) {
    line.serve(false);
  }
  append_integer(out, removal.had ? 1 : 0);
}

// Where anything is refused that a hand-over needs: the error.
std::string refusal_of(ScriptCall& call, LineService& line, std::string_view channel) {
  const auto judged = [](const Value& said) {
    if (!said.is_error()) return std::string();
    return said.text.find("WRONGTYPE") == std::string::npos
               ? said.text
               : std::string("ERR a key of the line holds something else");
  };
  if (auto error = judged(call.ask({"ZRANGE", line.line, "0", "0"})); !error.empty()) return error;
  if (auto error = judged(call.ask({"HLEN", line.waiters})); !error.empty()) return error;
  line.strangers = call.ask({"PUBLISH", std::string(channel) + '?', ""});
  return judged(*line.strangers);
}

std::string known(ScriptCall& call, const LineService& line, std::string_view who) {
  return call.require({"HGET", line.waiters, who}).text;
}

void append_standing(ScriptCall& call, const LineService& line, std::int64_t place,
                     std::string& out) {
  const auto us = static_cast<std::int64_t>(number_of(line.clock().elements.at(1).text));
  std::string ms = std::to_string(us / 1000);
  ms.insert(0, 3 - ms.size(), '0');
  append_bulk(out, std::to_string(call.require({"PTTL", line.key}).integer) + ' ' +
                       std::to_string(place) + ' ' + line.clock().elements[0].text + ms);
}

void forget_others(ScriptCall& call, const LineService& line) {
  const std::string given = known(call, line, "");
  const Value left = call.require({"PTTL", line.waiters});
  call.require({"DEL", line.waiters});
  if (given.empty()) return;
  call.require({"HSET", line.waiters, "", given});
  call.require({"PEXPIRE", line.waiters, std::to_string(left.integer)});
}

// What a join finds.
struct Found {
  Value held;
  bool reads = false;                // he wants to share it
  bool was_in = false;               // as a reader
  std::optional<std::string> given;  // the field that names him as one who was given it
};

// True: nothing is left under the key. Readers may be, which the line knows then.
bool stand_in_line(ScriptCall& call, LineService& line, const Found& found) {
  const std::string_view ttl = call.argument(1), ticket = call.argument(2);
  const std::string_view channel = call.argument(3), echo = call.argument(4);
  call.require({"ZADD", line.line, ticket, line.me});
  call.require({"PEXPIRE", line.line, kHeartbeatMs});
  call.require({"ZREM", line.line, "?"});
  call.require({"HDEL", line.waiters, "?"});
  const bool shared = found.held.is(kSharedMark);
  if (!shared && call.require({"ZCARD", line.line}).integer == 1) forget_others(call, line);
  std::string entry;
  for (const std::string_view word : {channel, echo, ttl}) (entry += word) += ' ';
  entry += line.clock().elements.at(0).text;
  if (found.reads) entry += " r";
  if (line.yields) entry += " -";
  call.require({"HSET", line.waiters, line.me, entry});
  if (found.reads) call.require({"HSET", line.waiters, "!", "2"});
  line.keep(line.waiters, kHeartbeatMs);
  if (found.given) call.require({"HDEL", line.waiters, *found.given});
  line.open = shared;
  if (found.held.is(line.me)) {
    call.require({"DEL", line.key});
    return true;
  }
  if (found.was_in) line.open = line.readers.go_out(line.me, shared);
  return found.held.is_nil() || (found.was_in && !line.open);
}

// Whoever vanished without a word.
void look_at_neighbours(ScriptCall& call, LineService& line) {
  const Value rank = call.require({"ZRANK", line.line, line.me});
  if (!rank.is_integer()) throw ScriptError("ERR the line has lost who joined it");
  for (const int step : {1, -1}) {
    std::int64_t place = rank.integer + step;
    for (int i = 0; i < kNeighboursMax && place >= 0; ++i) {
      const std::string who = line.at(place);
      if (who.empty() || line.entry(who) || line.leave(who).integer != 1) break;
      if (step < 0) --place;
    }
  }
}

}  // namespace

void run_pass(ScriptCall& call, std::string& out) {
  LineService line(call);
  const Value held = call.ask({"GET", line.key});
  if (held.is(line.me) && stands_alone(call, line)) {
    call.require({"DEL", line.key});
    return append_integer(out, 1);
  }
  const Removal removal = remove(call, line, held);
  const Value count = call.ask({"HLEN", line.waiters});
  if (held.is_error()) {
    call.ask({"HDEL", line.waiters, line.me});
    call.ask({"ZREM", line.line, line.me});
    return append_error(out, held.text);
  }
  if (count.is_error() || count.integer == 0) return append_integer(out, removal.had ? 1 : 0);
  line.begin();
  hand_over(call, line, removal, out);
}

void run_join(ScriptCall& call, std::string& out) {
  LineService line(call);
  line.begin();
  const std::string_view policy = call.argument(5);
  const Value held = call.ask({"GET", line.key});
  if (held.is_error() && held.text.find("WRONGTYPE") == std::string::npos) {
    return append_error(out, held.text);
  }
  if (const auto error = refusal_of(call, line, call.argument(3)); !error.empty()) {
    return append_error(out, error);
  }
  if (line.clock().is_error()) return append_error(out, line.clock().text);
  if (line.newer()) return append_error(out, "VERSION a newer version keeps this line");
  Found found{.held = held, .reads = call.argument_or_none(6) == "r", .given = {}};
  found.was_in = !held.is(line.me) && line.readers.until(line.me, held);
  const bool had = held.is(line.me) || found.was_in;
  const std::optional<Given> given = given_in(known(call, line, ""));
  std::string latest = given ? given->echo : std::string();
  if (given && given->holder == line.me) found.given = "";
  if (const std::string let_in = known(call, line, let_in_field(line.me)); !let_in.empty()) {
    latest = let_in;
    found.given = let_in_field(line.me);
  }
  if (!found.given) {
    if (had) return append_standing(call, line, 1, out);
    const std::string told = known(call, line, line.me);
    const auto kept = parse_kept(told);
    latest = kept ? std::string(kept->echo) : "0";
  }
  if (number_of(latest) > number_of(call.argument(4))) {
    return append_standing(call, line, 1, out);
  }
  line.yields = policy == "2" && (had || held.is_nil() || (found.reads && held.is(kSharedMark)));
  const bool free = stand_in_line(call, line, found);
  const bool may_enter = found.reads && line.open;
  if ((had && policy != "0") || ((free || may_enter) && policy == "1") ||
      (may_enter && policy == "3")) {
    line.serve(true);
    const Value holds = call.require({"GET", line.key});
    if (holds.is(line.me) || line.readers.until(line.me, holds)) {
      return append_status(out, "GRANTED");
    }
  }
  look_at_neighbours(call, line);
  append_standing(call, line, call.require({"ZRANK", line.line, line.me}).integer, out);
}

}  // namespace redlock::memory
