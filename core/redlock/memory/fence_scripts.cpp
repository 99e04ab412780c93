// The scripts of fences.
#include "redlock/memory/script_bodies.hpp"

namespace redlock::memory {

namespace {

constexpr std::size_t kFenceDigitsMax = 16;

std::string fence_of(std::string_view key) { return std::string(key) + ":redlock:fence"; }

std::string last_fence(ScriptCall& call, std::string_view key) {
  const Value held = call.require({"GET", key});
  if (held.is_nil()) return "0";
  std::string_view rest = held.text;
  if (take_digits(rest).empty() || !rest.empty() || held.text.size() > kFenceDigitsMax) {
    throw ScriptError("FENCE the key of the fence holds something else");
  }
  return held.text;
}

}  // namespace

void run_set_with_fence(ScriptCall& call, std::string& out) {
  const std::string fence = fence_of(call.key());
  const std::string last = last_fence(call, fence);
  const Value set =
      call.require({"SET", call.key(), call.argument(0), "NX", "PX", call.argument(1)});
  if (set.is_nil()) return append_nil(out);
  if (number_of(call.argument(2)) <= number_of(last)) return append_bulk(out, last);
  call.require({"SET", fence, call.argument(2), "PX", call.argument(3)});
  append_status(out, set.text);
}

void run_raise_fence(ScriptCall& call, std::string& out) {
  if (!call.require({"GET", call.key()}).is(call.argument(0))) return append_integer(out, 0);
  const std::string fence = fence_of(call.key());
  const std::string last = last_fence(call, fence);
  if (number_of(call.argument(1)) <= number_of(last)) return append_bulk(out, last);
  call.require({"SET", fence, call.argument(1), "PX", call.argument(2)});
  append_integer(out, 1);
}

}  // namespace redlock::memory
