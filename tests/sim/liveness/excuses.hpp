// Where a property cannot be judged, and why: the one table of the checker's blind spots.
#pragma once
#include <span>
#include <string_view>

#include "sim/plan.hpp"
#include "sim/record/violation.hpp"

namespace redlock::sim {

struct Limit {
  ViolationKind kind;
  std::string_view why;
  std::span<const FaultClass> classes;  // in a plan with one of them it is not judged
};

[[nodiscard]] std::span<const Limit> limits();
[[nodiscard]] bool judged_under(ViolationKind kind, FaultClass fault_class);
[[nodiscard]] bool judged_under(ViolationKind kind, const Plan& plan);
// May a class from outside the model do this? All else must hold beside it.
[[nodiscard]] bool breaks(FaultClass fault_class, ViolationKind kind);
// May one of the plan's?
[[nodiscard]] bool is_expected(ViolationKind kind, const Plan& plan);

}  // namespace redlock::sim
