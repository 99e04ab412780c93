// Which script it is, and how one that failed ends.
#include "redlock/memory/native_scripts.hpp"

#include <algorithm>
#include <array>

#include "redlock/memory/script_bodies.hpp"
#include "redlock/wire/scripts.hpp"

namespace redlock::memory {

namespace {

struct NativeScript {
  const Script* script;
  void (*run)(ScriptCall& call, std::string& out);
};
std::string_view text_of(const NativeScript& native) { return native.script->text; }
std::string_view sha1_of(const NativeScript& native) { return native.script->sha1; }

// The most used first. There before anything runs and until the very end: leases end as late as
// that, and a child can wait for nothing that a thread of its parent was making.
constexpr std::array kAll{
    NativeScript{&scripts::pass, run_pass},
    NativeScript{&scripts::set_if_absent, run_set_if_absent},
    NativeScript{&scripts::extend_if_equal, run_extend_if_equal},
    NativeScript{&scripts::join, run_join},
    NativeScript{&scripts::check_equal, run_check_equal},
    NativeScript{&scripts::swap_if_equal, run_swap_if_equal},
    NativeScript{&scripts::inspect, run_inspect},
    NativeScript{&scripts::raise_fence, run_raise_fence},
    NativeScript{&scripts::set_all_if_absent, run_set_all_if_absent},
    NativeScript{&scripts::pass_all, run_pass_all},
    NativeScript{&scripts::extend_all, run_extend_all},
    NativeScript{&scripts::check_all, run_check_all},
    NativeScript{&scripts::swap_all, run_swap_all},
    NativeScript{&scripts::share_if_free, run_share_if_free},
    NativeScript{&scripts::promote, run_promote},
    NativeScript{&scripts::demote, run_demote},
    NativeScript{&scripts::permit_take, run_permit_take},
    NativeScript{&scripts::permit_join, run_permit_join},
    NativeScript{&scripts::permit_leave, run_permit_leave},
    NativeScript{&scripts::permit_pass, run_permit_pass},
    NativeScript{&scripts::stamp_take, run_stamp_take},
    NativeScript{&scripts::stamp_release, run_stamp_release},
    NativeScript{&scripts::stamp_check, run_stamp_check},
    NativeScript{&scripts::stamp_undo, run_stamp_undo},
};

}  // namespace

std::string_view NativeScripts::sha1_of(std::string_view text) {
  const auto found = std::ranges::find(kAll, text, text_of);
  return found == kAll.end() ? std::string_view() : found->script->sha1;
}

bool NativeScripts::load(const std::string& sha1, std::string_view /*text*/, std::string& error) {
  if (!sha1.empty()) return true;
  error = "ERR this server runs no scripts but those of redlock";
  return false;
}

void NativeScripts::run(const std::string& sha1, std::span<const std::string_view> keys,
                        std::span<const std::string_view> arguments, ScriptHost& host,
                        std::string& out) {
  ScriptCall call(host, keys, arguments);
  try {
    std::ranges::find(kAll, sha1, memory::sha1_of)->run(call, out);
  } catch (const ScriptError& error) {
    append_error(out, error.what());
  }
}

}  // namespace redlock::memory
