// Runs many schedules on several threads and adds up what came of them.
//
// Every thread has an interpreter of its own; the sums do not depend on who ran what.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/world.hpp"

namespace redlock::sim {

inline constexpr std::size_t kFailuresKept = 20;

struct Failure {
  std::uint64_t seed = 0;
  Violation violation;  // the first
};

struct Totals {
  std::uint64_t schedules = 0;
  std::uint64_t inside = 0;
  std::uint64_t events = 0;
  std::uint64_t grants = 0;
  std::uint64_t failed = 0;          // schedules with a violation that no class accounts for
  std::vector<Failure> failures;     // of those, the lowest seeds
  FaultCounts fired{};               // how often
  FaultCounts schedules_with{};      // in how many schedules
  FaultCounts outside_schedules{};   // by the class that leaves the model
  FaultCounts outside_violations{};  // of those, with a violation
  FaultCounts outside_first_seed{};  // the lowest with a violation; 0: none
  std::array<std::uint64_t, kViolationKinds> failed_kinds{};
  Judged judged{};
};

struct Batch {
  std::uint64_t first_seed = 1;
  std::uint64_t count = 0;
  PlanWishes wishes;
  unsigned jobs = 1;
};

// `progress` is called about twice a second with the number of schedules done and failed.
[[nodiscard]] Totals run_batch(const Batch& batch,
                               const std::function<void(std::uint64_t, std::uint64_t)>& progress);

// The seed that this thread is running; for whoever has to explain an abort.
[[nodiscard]] std::uint64_t running_seed();

}  // namespace redlock::sim
