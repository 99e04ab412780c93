// The scripts of fences, and the one that takes several locks.
#include "redlock/memory/fences.hpp"
#include "redlock/memory/readers.hpp"
#include "redlock/memory/script_bodies.hpp"

namespace redlock::memory {

namespace {

constexpr std::size_t kFenceDigitsMax = 16;

std::string fence_of(std::string_view key) { return std::string(key) + ":redlock:fence"; }

}  // namespace

std::string last_fence(ScriptCall& call) {
  std::string last = "0";
  for (const std::string_view key : call.keys()) {
    const Value held = call.require({"GET", fence_of(key)});
    const std::string here = held.is_nil() ? "0" : held.text;
    std::string_view rest = here;
    if (take_digits(rest).empty() || !rest.empty() || here.size() > kFenceDigitsMax) {
      throw ScriptError("FENCE the key of the fence holds something else");
    }
    if (number_of(here) > number_of(last)) last = here;
  }
  return last;
}

bool record_fence(ScriptCall& call, std::string_view last, std::string_view proposal,
                  std::string_view ttl) {
  if (number_of(proposal) <= number_of(last)) return false;
  for (const std::string_view key : call.keys()) {
    const auto left = static_cast<double>(call.require({"PTTL", fence_of(key)}).integer);
    const std::string longest = left > number_of(ttl) ? whole_text(left) : std::string(ttl);
    call.require({"SET", fence_of(key), proposal, "PX", longest});
  }
  return true;
}

void run_set_all_if_absent(ScriptCall& call, std::string& out) {
  const std::string_view token = call.argument(0);
  for (std::size_t i = 0; i < call.keys().size(); ++i) {
    const std::string_view key = call.keys()[i];
    if (call.require({"PTTL", key}).integer != -2 && !call.ask({"GET", key}).is(token)) {
      return append_status(out, "BUSY " + std::to_string(i + 1));
    }
  }
  const bool proposes = !call.argument_or_none(2).empty();
  const std::string last = proposes ? last_fence(call) : std::string();
  const bool recorded = !proposes || record_fence(call, last, call.argument(2), call.argument(3));
  for (const std::string_view& key : call.keys()) {
    const Value set = call.require({"SET", key, token, "NX", "PX", call.argument(1)});
    if (!set.is_nil()) continue;
    ScriptCall one = call.about(key);
    std::string said;
    run_extend_if_equal(one, said);
  }
  recorded ? append_status(out, "OK") : append_bulk(out, last);
}

void run_raise_fence(ScriptCall& call, std::string& out) {
  Readers readers(call);
  for (const std::string_view key : call.keys()) {
    const Value held = call.require({"GET", key});
    if (held.is(call.argument(0))) continue;
    if (call.keys().size() > 1 || !readers.until(call.argument(0), held)) {
      return append_status(out, "LOST");
    }
  }
  const std::string last = last_fence(call);
  if (!record_fence(call, last, call.argument(1), call.argument(2))) return append_bulk(out, last);
  append_status(out, "RAISED " + std::string(call.argument(1)));
}

}  // namespace redlock::memory
