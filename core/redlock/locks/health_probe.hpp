// Asks servers about themselves, all side by side, each question behind the answer to the last.
//
// On connections of its own, which end with it. One thread.
#pragma once
#include <string>
#include <vector>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/locks/server_plan.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/transport.hpp"
#include "redlock/types.hpp"

namespace redlock {

struct Examined {
  // Why it could not be asked to the end; else `Fault::none`.
  ServerTrouble trouble;
  ServerFacts facts;
};

// In the order of the servers; connecting may take each server's time, and so may every answer.
// Throws std::bad_alloc.
[[nodiscard]] std::vector<Examined> examine(const ServerPlan& servers, Transport& transport,
                                            Clock& clock, Entropy& entropy);

}  // namespace redlock
