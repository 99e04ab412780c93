// The limit under contention: many processes take turns on one resource, polling as the documents
// do.
#pragma once
#include <cstdint>
#include <span>

namespace bench {

struct Contention {
  std::uint32_t clients;
  std::uint32_t requests;
  std::int64_t hold_us;
  std::int64_t retry_ms;
};

// Forks the clients, writes one line when all are connected, waits for one line on standard input,
// runs, and writes one line of JSON.
void contend(std::span<const std::uint16_t> ports, const Contention& plan);

}  // namespace bench
