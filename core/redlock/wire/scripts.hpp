// The Lua that runs on the servers, and the SHA1 under which they know it.
//
// The texts stand in lua/, a file for each name, which says its keys, arguments and answers. They
// are part of the protocol between versions of this library running side by side: change one only
// with a new name and a test that both understand each other. Each is atomic on its server.
//
// A hand-over publishes to the next waiter before it publishes to the new holder: Redis flushes
// client buffers in reverse order, so the holder is told first.
#pragma once
#include <string_view>

namespace redlock {

struct Script {
  std::string_view text;
  std::string_view sha1;  // 40 lower-case hex digits; checked by a test against a server
};

namespace scripts {

extern const Script pass;
extern const Script join;
extern const Script set_if_absent;
extern const Script extend_if_equal;
extern const Script swap_if_equal;
extern const Script check_equal;
extern const Script inspect;
extern const Script raise_fence;
// Of several locks that are held together.
extern const Script set_all_if_absent;
extern const Script pass_all;
extern const Script extend_all;
extern const Script swap_all;
extern const Script check_all;
// Of shared locks.
extern const Script share_if_free;
extern const Script promote;
extern const Script demote;
// Of permits.
extern const Script permit_take;
extern const Script permit_join;
extern const Script permit_leave;
extern const Script permit_pass;
extern const Script stamp_take;
extern const Script stamp_undo;
extern const Script stamp_release;
extern const Script stamp_check;

}  // namespace scripts

// Begins the error with which stamp_take refuses what is no stamp.
inline constexpr std::string_view kForeignError = "FOREIGN";
// Is the error with which it refuses a stamp that is about a thousand times too large or too small.
inline constexpr std::string_view kTooFineError = "UNIT too fine";
inline constexpr std::string_view kTooCoarseError = "UNIT too coarse";

}  // namespace redlock
