// The scripts of shared locks.
#include <algorithm>

#include "redlock/memory/fences.hpp"
#include "redlock/memory/line_service.hpp"
#include "redlock/memory/script_bodies.hpp"

namespace redlock::memory {

namespace {

constexpr std::size_t kLookedAtMax = 16;

// Somebody in line wants it alone, or might behind those who are looked at.
bool is_wanted_alone(ScriptCall& call, LineService& line) {
  if (call.require({"ZCARD", line.line}).integer == 0) return false;
  line.begin();
  const Value first = call.require({"ZRANGE", line.line, "0", std::to_string(kLookedAtMax)});
  if (first.elements.size() > kLookedAtMax) return true;
  if (line.newer()) return true;
  return std::ranges::any_of(first.elements, [&](const Value& who) {
    const std::optional<Waiter> waiter = line.entry(who.text);
    return waiter && !waiter->skipped && !waiter->reads;
  });
}

}  // namespace

void run_share_if_free(ScriptCall& call, std::string& out) {
  LineService line(call);
  const Value held = call.ask({"GET", line.key});
  const bool in_already = held.is(line.me) || line.readers.until(line.me, held);
  const bool shared = held.is(kSharedMark);
  if (!in_already && ((!held.is_nil() && !shared) || is_wanted_alone(call, line))) {
    return append_status(out, "BUSY 1");
  }
  const bool proposes = !call.argument_or_none(2).empty();
  const std::string last = proposes ? last_fence(call) : std::string();
  const bool recorded = !proposes || record_fence(call, last, call.argument(2), call.argument(3));
  if (in_already) {
    std::string said;
    run_extend_if_equal(call, said);
  } else {
    line.readers.enter(line.me, call.argument(1), shared);
  }
  recorded ? append_status(out, "OK") : append_bulk(out, last);
}

void run_promote(ScriptCall& call, std::string& out) {
  const LineService names(call);
  Readers readers(call);
  const Value held = call.require({"GET", names.key});
  const double now = readers.now_ms();
  std::optional<double> ends;
  if (held.is(names.me)) {
    call.require({"DEL", readers.name()});
    const std::int64_t left = call.require({"PTTL", names.key}).integer;
    ends = now + static_cast<double>(std::max<std::int64_t>(left, 0));
  } else {
    ends = readers.until(names.me, held);
  }
  if (!ends) return append_status(out, "LOST");
  if (!held.is(names.me)) {
    readers.last_until(now);
    const bool alone = held.is(kSharedMark) && call.require({"ZCARD", readers.name()}).integer <= 1;
    if (!alone) return append_status(out, "BUSY 1");
  }
  const std::string_view fresh = call.argument(1);
  const std::string left = whole_text(std::max(*ends - now, number_of(call.argument(2))));
  call.require({"ZADD", readers.name(), whole_text(*ends), names.me, "0", fresh});
  call.require({"PEXPIRE", readers.name(), left});
  call.require({"SET", names.key, fresh, "PX", left});
  forget_given(call, names.waiters, names.me);
  call.ask({"HDEL", names.waiters, let_in_field(names.me)});
  append_status(out, "PROMOTED");
}

void run_demote(ScriptCall& call, std::string& out) {
  LineService line(call);
  const Value held = call.require({"GET", line.key});
  if (!held.is(line.me)) return append_integer(out, line.readers.until(line.me, held) ? 1 : 0);
  const std::int64_t left = call.require({"PTTL", line.key}).integer;
  if (left < 1) return append_integer(out, 0);
  const std::string& readers = line.readers.name();
  call.require({"DEL", readers});
  const std::string ends = whole_text(line.readers.now_ms() + static_cast<double>(left));
  call.require({"ZADD", readers, ends, line.me});
  call.require({"PEXPIRE", readers, std::to_string(left)});
  call.require({"SET", line.key, kSharedMark, "PX", std::to_string(left)});
  const Value known = call.ask({"HLEN", line.waiters});
  if (known.is_error() || known.integer == 0) return append_integer(out, 1);
  line.begin();
  forget_given(call, line.waiters, line.me);
  line.open = true;
  line.serve(true);
  append_integer(out, 1);
}

}  // namespace redlock::memory
