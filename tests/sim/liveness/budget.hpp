// A call takes no longer than it may, but for the time in which its process stood still.
#pragma once
#include "sim/record/record.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

// A call took `took_ns` of the client's clock, of which it was paused `paused_ns`.
inline void judge_budget(Record& record, Contender party, std::int64_t took_ns,
                         std::int64_t paused_ns, std::int64_t budget_ns) {
  constexpr std::int64_t kToleranceNs = 10'000;
  const Plan& plan = record.plan;
  // A clock that changes its rate while a timer runs is late or early by what it gained.
  const std::int64_t bent_ns =
      plan.has(FaultClass::client_clock_rate) ? plan.drifted_ns(took_ns) - took_ns : 0;
  if (took_ns <= budget_ns + paused_ns + bent_ns + kToleranceNs) return;
  record.report(ViolationKind::over_budget, who(party.client) + " waited " + in_ms(took_ns) +
                                                ", budget " + in_ms(budget_ns) + ", paused " +
                                                in_ms(paused_ns));
}

}  // namespace redlock::sim
