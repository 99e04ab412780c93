// The commands of redlock. Each asks a client, and gives the exit status.
//
// What servers and networks do is told on standard error; exceptions are for arguments that cannot
// be meant and for what the system refuses.
#pragma once
#include "cli/arguments.hpp"
#include "redlock/redlock.hpp"

namespace redlock::cli {

// Before it there is no thread, so that signals are blocked in all of them.
[[nodiscard]] int run(Client& client, const Run& asked);
[[nodiscard]] int inspect(Client& client, const Inspect& asked);
[[nodiscard]] int release(Client& client, const Release& asked);
[[nodiscard]] int check(Client& client, const Check& asked);
[[nodiscard]] int top(Client& client, const Top& asked);

}  // namespace redlock::cli
