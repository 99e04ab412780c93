// What the last fence is, and how one is recorded: the part that scripts of fences share.
#pragma once
#include <string>
#include <string_view>

#include "redlock/memory/script_call.hpp"

namespace redlock::memory {

// The largest of all the call's keys. Throws ScriptError.
[[nodiscard]] std::string last_fence(ScriptCall& call);
// False: it is not larger than the last.
bool record_fence(ScriptCall& call, std::string_view last, std::string_view proposal,
                  std::string_view ttl);

}  // namespace redlock::memory
