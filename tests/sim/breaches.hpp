// What may be violated where something from outside the model happens: the one table of what is no
// failure of the product.
//
// The checker knows nothing of it. It is held against what the checker has found.
#pragma once
#include "sim/plan.hpp"
#include "sim/record/violation.hpp"

namespace redlock::sim {

// May a class from outside the model do this? All else must hold beside it.
[[nodiscard]] bool breaks(FaultClass fault_class, ViolationKind kind);
// May one of the plan's?
[[nodiscard]] bool is_expected(ViolationKind kind, const Plan& plan);

}  // namespace redlock::sim
