// What is demanded of a server before it may vote, and the names of the parts.
//
// Pure values; any thread.
#pragma once
#include <compare>
#include <string>
#include <string_view>

#include "redlock/algorithm/time.hpp"
#include "redlock/types.hpp"

namespace redlock {

inline constexpr Duration kLongestTtlDefault = Duration::seconds(60);
inline constexpr std::string_view kGuardParts = "'restart', 'role', 'eviction' and 'identity'";

struct GuardDemands {
  Guard parts;
  // For so long a lock may last; of use with a part only.
  Duration longest_ttl = {};
  // With `identity`: all servers among which each is to be one of its own. Another list is other
  // connections, because a server has its vote in one and not in another.
  std::string list;

  std::strong_ordering operator<=>(const GuardDemands&) const = default;
};

// Adds the part that has this name. False: none has.
[[nodiscard]] bool add_guard_part(Guard& guard, std::string_view name);

}  // namespace redlock
