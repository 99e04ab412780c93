// What a plan's clients are told of their servers, and how they take RedLock there.
#pragma once
#include <vector>

#include "redlock/locks/lock_manager.hpp"
#include "sim/plan.hpp"

namespace redlock::sim {

// The final attempt has all the time it may need: also where the text of a removal goes ahead of it
// byte by byte.
inline constexpr std::int64_t kProbeAttempts = 6;
inline constexpr std::int64_t kProbePauseMs = 40;

[[nodiscard]] ServerSpec server_spec(const Plan& plan, std::uint32_t index);
[[nodiscard]] std::vector<ServerSpec> servers_of(const Plan& plan);
[[nodiscard]] LockOptions options_of(const Plan& plan, Contender party);
// Of the final attempt.
[[nodiscard]] LockOptions probe_options(const Plan& plan, std::uint32_t client);

}  // namespace redlock::sim
