// Releases that nobody waits for, and the few that are waited for among them.
//
// A server reads 16 KiB at once. What is behind that when the process ends, and with it the
// connection, may never be read. So where thousands of locks go at once, the servers' answers are
// waited for now and then; that also keeps a connection's room for what is unanswered from being
// used up. A server that stands still is sent all the same: it reads that as it goes on. Where
// there is no connection to send it on, one is opened at once, whatever the server is backed off
// from for. One for each pool. One thread.
#pragma once
#include <cstddef>

#include "redlock/locks/lock_manager.hpp"

namespace redlock {

inline constexpr std::size_t kBytesAsyncMax = 8 * 1024;
// After a server that left them out nobody is waited for so long: many locks would add up.
inline constexpr Duration kPauseAfterSilence = Duration::seconds(10);

class AsyncReleases {
 public:
  // Sends it, and seldom waits. Throws what LockManager::begin_unlock() throws, and
  // std::bad_alloc.
  void send(LockManager& locks, const Resources& resources, const Token& token);

 private:
  // Puts on their way what is owed, and waits for a moment until it is.
  void deliver(LockManager& locks);
  // Waits for a moment until every server has answered everything.
  [[nodiscard]] static bool hears_all(LockManager& locks);

  Instant wait_again_;
  Instant deliver_again_;
};

}  // namespace redlock
