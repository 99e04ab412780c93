// What a majority holds without an expiry, or as something of another type.
#include "cli/no_lock.hpp"

#include <algorithm>

#include "cli/exit_code.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

bool is_no_lock(const Inspection& seen) {
  if (seen.majority.holder) return !seen.majority.holder->left;
  const auto foreign = std::ranges::count(seen.servers, Fault::foreign, &ServerView::fault);
  return foreign * 2 > std::ssize(seen.servers);
}

int complain_of_no_lock(const std::string& resource) {
  complain("the key '" + resource + "' holds something that is no lock");
  return kUnreachable;
}

}  // namespace redlock::cli
