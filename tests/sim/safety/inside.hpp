// Whoever has a lock alone is alone, of permits no more are out than there are, and of sets that
// have a name in common one is held.
#pragma once
#include "sim/record/record.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

// The client is inside until then. How many others are, at this moment; `alone`: may nobody be?
inline std::uint32_t judge_inside(Record& record, Contender party, bool alone,
                                  std::int64_t until_ns) {
  Hold& own = record.hold_of(party);
  const bool enters = !own.active;
  if (enters) record.granted(party, "", until_ns);
  own = {.active = true, .value = "", .until_ns = until_ns, .alone = alone};
  own.names = record.plan.names_of(party);
  std::uint32_t others = 0;
  bool apart = alone;  // somebody must not meet others
  bool somebody = false;
  for (const Hold& hold : record.holds()) {
    if (&hold == &own || !hold.active || hold.until_ns <= record.now_ns) continue;
    somebody = true;
    if ((hold.names & own.names) == 0) continue;
    ++others;
    apart = apart || hold.alone;
  }
  if ((record.plan.sets ? somebody : others > 0) && enters) {
    record.note_judged(ViolationKind::two_holders);
  }
  const std::uint32_t permits = record.plan.permits;
  if (permits > 0 ? others + 1 <= permits : others == 0 || !apart) return others;
  record.report(ViolationKind::two_holders,
                who(party.client) + (alone ? " is alone" : " reads") + " inside, and so are " +
                    std::to_string(others) + " others" +
                    (permits > 0 ? " of " + std::to_string(permits) + " who may be" : ""));
  return others;
}

}  // namespace redlock::sim
