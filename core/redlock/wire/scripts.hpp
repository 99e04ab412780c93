// The Lua that runs on the servers, and the SHA1 under which they know it.
//
// A hand-over publishes to the next waiter before it publishes to the new holder: Redis flushes
// client buffers in reverse order, so the holder is told first.
//
// Each text is atomic on its server. The texts are part of the protocol between versions of
// this library running side by side: change one only with a new name and a test that both
// understand each other. Every answer is 1 or 0 where nothing else is said.
#pragma once
#include <string_view>

namespace redlock {

struct Script {
  std::string_view text;
  std::string_view sha1;  // 40 lower-case hex digits; checked by a test against a server
};

namespace scripts {

// KEYS[1] key, ARGV[1] token, ARGV[2] "0" when what it frees stays free. Deletes and hands the lock
// on to the first in line.
extern const Script pass;
// KEYS[1] key, ARGV[1] token, ARGV[2] ttl in ms, ARGV[3] ticket, ARGV[4] channel, ARGV[5] echo,
// ARGV[6] the policy: "1" it takes what is free; without that, "0" what it had stays free, "2" it
// goes to those behind, "3" it keeps it, unless an earlier ticket waits. GRANTED, a status, which
// no removal answers with: where an answer is left out, that of another is not taken for it. Else,
// as text, what is left of the key in ms (PTTL's word), a blank, our place in line from 0, a blank,
// the server's clock in ms.
extern const Script join;
// KEYS[1] key, ARGV[1] token, ARGV[2] ttl in ms. What SET answers: OK, or nothing.
extern const Script set_if_absent;
// KEYS[1] key, ARGV[1] token, ARGV[2] ttl in ms. Never shortens.
extern const Script extend_if_equal;
// KEYS[1] key, ARGV[1] old token, ARGV[2] fresh token, ARGV[3] ttl in ms, which may be shorter than
// what the key has left. 1 when the key held the old token.
extern const Script swap_if_equal;
// KEYS[1] key, ARGV[1] token.
extern const Script check_equal;
// KEYS[1] key. Its PTTL (-2 where there is none), how many stand in line for it (-1 where the
// server does not let us count them), who the first of them are, and its value, as Inspect says.
extern const Script inspect;
// KEYS[1] key, ARGV[1] lease in ms, ARGV[2] fraction digits, ARGV[3] ms per stamp unit.
// The stored stamp when taken, 0 when a live stamp stands there, an error when what stands
// there is no stamp, or one in another unit.
extern const Script stamp_take;
// KEYS[1] key, ARGV[1] fraction digits.
extern const Script stamp_undo;
// KEYS[1] key, ARGV[1] our stamp, ARGV[2] margin in ms, ARGV[3] ms per stamp unit, ARGV[4] "1"
// when a stamp without a fraction counts as ours.
extern const Script stamp_release;
// KEYS[1] key, ARGV[1] our stamp, ARGV[2] "1" when a stamp without a fraction counts as ours.
extern const Script stamp_check;

}  // namespace scripts

// Begins the error with which stamp_take refuses what is no stamp.
inline constexpr std::string_view kForeignError = "FOREIGN";
// Is the error with which it refuses a stamp that is about a thousand times too large or too small.
inline constexpr std::string_view kTooFineError = "UNIT too fine";
inline constexpr std::string_view kTooCoarseError = "UNIT too coarse";

}  // namespace redlock
