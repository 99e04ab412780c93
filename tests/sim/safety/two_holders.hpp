// Two clients never believe in the same lock at once.
#pragma once
#include "sim/record/record.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

// The client was told that it holds the lock until then.
inline void judge_two_holders(Record& record, Contender party, std::int64_t until_ns) {
  if (until_ns <= record.now_ns) return;
  for (std::uint32_t other = 0; other < record.plan.clients.size(); ++other) {
    const Hold& hold = record.hold_of({other, party.resource});
    if (other == party.client || !hold.active || hold.until_ns <= record.now_ns) continue;
    record.report(ViolationKind::two_holders,
                  who(party.client) + " was granted the lock that " + who(other) +
                      (hold.until_ns == kForever ? std::string(" still uses")
                                                 : " holds until " + in_ms(hold.until_ns)));
  }
}

}  // namespace redlock::sim
