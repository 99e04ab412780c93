// What one wait in line leaves for the next ones of its pool: which resources were waited for, so
// that the next wait joins at once; and how far the local clock is from the servers'.
//
// Invariants: at most kWaitedMax resources. Pure. One thread.
#pragma once
#include <cstddef>
#include <deque>

#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

inline constexpr std::size_t kWaitedMax = 256;
// A resource that nobody waited for during this time is asked for plainly first.
inline constexpr Duration kWaitedFor = Duration::seconds(30);

class LineMemory {
 public:
  [[nodiscard]] bool waited_lately(const Resources& resources, Instant now) const;
  void note_waited(const Resources& resources, Instant now);
  // To be added to what the local clock shows, to come near to what servers' clocks show.
  [[nodiscard]] Duration clock_offset() const { return clock_offset_; }
  void set_clock_offset(Duration offset) { clock_offset_ = offset; }

 private:
  struct Waited {
    Resources resources;
    Instant at;
  };
  std::deque<Waited> waited_;  // the latest last
  Duration clock_offset_;
};

}  // namespace redlock
