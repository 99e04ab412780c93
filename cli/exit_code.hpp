// The exit statuses that redlock has of its own; sysexits.h has most of them.
#pragma once

namespace redlock::cli {

inline constexpr int kDone = 0;
// Somebody else holds the lock, or there is nothing to take away, or a check found something.
inline constexpr int kNo = 1;
// The arguments cannot be meant.
inline constexpr int kUsage = 64;
// No majority of the servers could be asked, or the others' silence leaves it open who holds the
// lock, or the key holds something that is no lock.
inline constexpr int kUnreachable = 69;
// The operating system refuses something: a thread, a descriptor, memory.
inline constexpr int kSystem = 71;
// Standard output cannot be written.
inline constexpr int kOutput = 74;
// The lease was lost while the command ran.
inline constexpr int kLost = 75;
// The command is there and cannot be executed, or is not there: as shells say it.
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;
// And the number of the signal by which the command was killed.
inline constexpr int kBySignal = 128;

}  // namespace redlock::cli
