// redlock check: is every server fit for locks, and what is to be done.
#include "cli/commands.hpp"

namespace redlock::cli {

int check(Client& /*client*/, const Check& /*asked*/) { return 0; }

}  // namespace redlock::cli
