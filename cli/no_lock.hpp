// Keys that are refused for ever, because what they hold was not put there as a lock.
#pragma once
#include <string>

#include "redlock/redlock.hpp"

namespace redlock::cli {

// No majority of the servers will ever grant it.
[[nodiscard]] bool is_no_lock(const Inspection& seen);
// Says so, and gives the exit status.
[[nodiscard]] int complain_of_no_lock(const std::string& resource);

}  // namespace redlock::cli
