// A client that runs the documents' own steps: SETNX, GET, GETSET to take, GET, DEL to release.
//
// Each step is a round trip of its own, judged by the client's wall clock, which may be wrong.
// It speaks to the first server and never gives up waiting for an answer.
#pragma once
#include <memory>

#include "sim/client.hpp"

namespace redlock::sim {

[[nodiscard]] std::unique_ptr<Client> make_legacy_client(Scene& scene, std::uint32_t id,
                                                         std::uint64_t seed);

}  // namespace redlock::sim
