// A client of shared locks, of permits and of several at once: the production code's HeldLock on
// simulated streams.
#pragma once
#include <memory>

#include "sim/client.hpp"

namespace redlock::sim {

[[nodiscard]] std::unique_ptr<Client> make_sharing_client(Scene& scene, std::uint32_t id,
                                                          std::uint64_t seed);

}  // namespace redlock::sim
