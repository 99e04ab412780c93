// The scripts for several locks that are held together, each made of the one for one.
#include "redlock/memory/script_bodies.hpp"

namespace redlock::memory {

namespace {

// What a script for one lock answers, for each of them: 1 when it is 1 for all, else 0. An error is
// told once all have been seen to.
void run_for_each(ScriptCall& call, void (*run)(ScriptCall&, std::string&), std::string& out) {
  bool all = true;
  std::string refused;
  for (const std::string_view& key : call.keys()) {
    ScriptCall one = call.about(key);
    std::string said;
    run(one, said);
    if (said.starts_with('-')) refused = said;
    if (said == ":0\r\n") all = false;
  }
  if (!refused.empty()) {
    out += refused;
    return;
  }
  append_integer(out, all ? 1 : 0);
}

bool all_hold(ScriptCall& call, std::string_view token) {
  for (const std::string_view key : call.keys()) {
    if (!call.require({"GET", key}).is(token)) return false;
  }
  return true;
}

}  // namespace

void run_pass_all(ScriptCall& call, std::string& out) { run_for_each(call, run_pass, out); }

void run_extend_all(ScriptCall& call, std::string& out) {
  run_for_each(call, run_extend_if_equal, out);
}

void run_check_all(ScriptCall& call, std::string& out) {
  append_integer(out, all_hold(call, call.argument(0)) ? 1 : 0);
}

void run_swap_all(ScriptCall& call, std::string& out) {
  if (!all_hold(call, call.argument(0))) return append_integer(out, 0);
  run_for_each(call, run_swap_if_equal, out);
}

}  // namespace redlock::memory
