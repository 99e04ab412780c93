// redlock release --force: a lock is taken away from whoever holds it.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/no_lock.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

int release(Client& client, const Release& asked) {
  const ForcedRelease released = client.force_release(asked.resource);
  if (released) return kDone;
  if (is_no_lock(client.inspect(asked.resource))) return complain_of_no_lock(asked.resource);
  if (released.decision == Decision::denied) {
    complain("no client holds '" + asked.resource + "'");
    return kNo;
  }
  complain(to_string(Refusal{released.decision, released.troubles, false}) + "; '" +
           asked.resource + "' may still be held: try again when more servers answer");
  return kUnreachable;
}

}  // namespace redlock::cli
