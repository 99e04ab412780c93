// Random traces through the model's connections and through the product's reactor, nodes and
// sessions, compared after every event.
//
// A trace is one client of a small world. What happens to it is drawn from the moves that the model
// allows, and the same is done to the product: it is begun, handed bytes, cut off, told the time.
// Then both must agree on what each server was sent on each connection and in which order, on what
// closed connections may still deliver, on what the operations were told, on what is carried over,
// on which connections stand, and on when something is due next. Where the model leaves a choice
// (is this server left alone?) it follows the product.
// One thread.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exhaustive/trace.hpp"

namespace redlock::exhaustive {

struct ComparisonResult {
  std::uint64_t traces = 0;
  std::uint64_t events = 0;
  // Ended early: the model has no room for what piled up, or the order of removals is open.
  std::uint64_t cut_short = 0;
  Reached reached;
  std::uint64_t first_difference = 0;  // its seed
  std::string difference;              // with the trace that leads to it; empty: none
};

// Another one for each seed, spread over several worlds.
class Comparison {
 public:
  Comparison();
  ~Comparison();
  // Stops at the first difference.
  ComparisonResult run(std::uint64_t first_seed, std::uint64_t count);
  // In words, event by event.
  [[nodiscard]] std::string tell(std::uint64_t seed);

 private:
  struct Ground;
  std::vector<std::unique_ptr<Ground>> grounds_;
};

}  // namespace redlock::exhaustive
