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
  const auto all = std::ssize(seen.servers);
  const auto majority = all / 2 + 1;
  return all - std::ranges::count_if(seen.servers, held_for_ever) < majority;
}

int complain_of_no_lock(const std::string& resource) {
  complain("the key '" + resource + "' holds something that is no lock");
  return kUnreachable;
}

}  // namespace redlock::cli
