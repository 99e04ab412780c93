// What is demanded of a server before it may vote, and the names of the parts.
//
// Pure values; any thread.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "redlock/algorithm/time.hpp"
#include "redlock/types.hpp"

namespace redlock {

inline constexpr Duration kLongestTtlDefault = Duration::seconds(60);
inline constexpr std::string_view kGuardParts = "'restart', 'role', 'eviction' and 'identity'";

// By so much the end of a WAIT may be late: an idle server looks for it ten times a second.
inline constexpr Duration kWaitEndsLate = Duration::ms(100);

// For how long a server is to wait for its replicas, of the time that its answer may take: without
// that, and a part for the way there and back, so that it answers in time that they are too few.
// Of a very short time that is not to be had. Never 0, which would be for ever.
[[nodiscard]] constexpr Duration replica_wait_in(Duration answer_time) {
  const std::int64_t all = answer_time.count_ms();
  const std::int64_t usual = (all - kWaitEndsLate.count_ms()) * 3 / 4;
  return Duration::ms(std::max({usual, all / 4, std::int64_t{1}}));
}

struct GuardDemands {
  Guard parts;
  // For so long a lock may last; of use with a part only.
  Duration longest_ttl = {};
  // With `identity`: all servers among which each is to be one of its own. Another list is other
  // connections, because a server has its vote in one and not in another.
  std::string list;
  // So many replicas must have a vote before it counts, and are waited for that long; 0: none.
  std::int64_t replicas = 0;
  Duration replica_wait = {};

  // Is anything demanded?
  [[nodiscard]] bool any() const { return parts.any() || replicas > 0; }
  std::strong_ordering operator<=>(const GuardDemands&) const = default;
};

// Adds the part that has this name. False: none has.
[[nodiscard]] bool add_guard_part(Guard& guard, std::string_view name);

}  // namespace redlock
