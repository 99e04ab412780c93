// What so many servers hold without an expiry, or as something of another type, that no majority
// can be had.
#include "cli/no_lock.hpp"

#include <algorithm>
#include <cstddef>

#include "cli/exit_code.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

bool is_no_lock(const Inspection& seen) {
  const auto held_for_ever = [](const ServerView& server) {
    return server.fault == Fault::foreign || (server.view.holder && !server.view.holder->left);
  };
  const auto others = std::ssize(seen.servers) - std::ranges::count_if(seen.servers, held_for_ever);
  return others < static_cast<std::ptrdiff_t>(seen.votes_needed);
}

int complain_of_no_lock(const std::string& resource) {
  complain("the key '" + resource + "' holds something that is no lock");
  return kUnreachable;
}

}  // namespace redlock::cli
