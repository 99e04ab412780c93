// redlock release --force: a lock is taken away from whoever holds it.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

int release(Client& client, const Release& asked) {
  const ForcedRelease released = client.force_release(asked.resource);
  if (released) return kDone;
  if (released.decision == Decision::unreachable) {
    complain(to_string(Refusal{released.decision, released.troubles, false}));
    return kUnreachable;
  }
  complain("nobody holds '" + asked.resource + "'");
  return kNo;
}

}  // namespace redlock::cli
