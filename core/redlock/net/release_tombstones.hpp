// The locks that were given up lately: released, or waited for in vain.
//
// A server that has not heard of it yet, or hears an old join behind it, may still hand such a lock
// over. Who is told so has to say once more that nobody wants it; and must not say so of a lock
// that may be held, or the removal would take a vote that counts.
// Invariants: at most kReleaseTombstonesMax, the latest. No I/O. One thread.
#pragma once
#include <array>
#include <cstddef>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/wire/encoder.hpp"

namespace redlock {

inline constexpr std::size_t kReleaseTombstonesMax = 256;

class ReleaseTombstones {
 public:
  // By what gives the lock up; the nodes of a round share it.
  void note(const SharedCommand& removal) noexcept {
    SharedCommand& latest = removals_[(next_ + kReleaseTombstonesMax - 1) % kReleaseTombstonesMax];
    if (latest == removal) return;
    removals_[next_] = removal;
    next_ = (next_ + 1) % kReleaseTombstonesMax;
  }
  // What gives it up; null where it was not given up lately.
  [[nodiscard]] SharedCommand find(const Token& token) const {
    for (const SharedCommand& removal : removals_) {
      if (removal && lock_name(*removal).proof == token.view()) return removal;
    }
    return nullptr;
  }
  void clear() noexcept { removals_.fill(nullptr); }

 private:
  std::array<SharedCommand, kReleaseTombstonesMax> removals_;
  std::size_t next_ = 0;
};

}  // namespace redlock
