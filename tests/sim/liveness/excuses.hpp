// Where a property of liveness cannot be judged, and why: the one table of excuses.
//
// Nothing of safety/ or record/ may know it: there is no excuse for what must never be.
#pragma once
#include <span>
#include <string_view>

#include "sim/plan.hpp"
#include "sim/record/violation.hpp"

namespace redlock::sim {

struct Excuse {
  ViolationKind kind;
  std::string_view why;
  std::span<const FaultClass> classes;  // in a plan with one of them it is not judged
};

[[nodiscard]] std::span<const Excuse> excuses();
[[nodiscard]] bool judged_under(ViolationKind kind, FaultClass fault_class);
[[nodiscard]] bool judged_under(ViolationKind kind, const Plan& plan);

}  // namespace redlock::sim
