// The first and the last of a token.
#include "sim/liveness/in_time.hpp"

#include <algorithm>

#include "sim/liveness/excuses.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

void InTime::judge(const Origin& origin, const Deed& deed) {
  const std::int64_t at_ns = origin.written_ns;
  if (at_ns == 0 || !judged_under(ViolationKind::sent_too_late, record_.plan)) return;
  const std::uint64_t hash = token_hash(deed.token);
  const auto known = std::ranges::find(written_, hash, &Written::token);
  if (known == written_.end()) return written_.push_back({hash, at_ns, at_ns});
  known->first_ns = std::min(known->first_ns, at_ns);
  known->last_ns = std::max(known->last_ns, at_ns);
  const Contender party(origin.client, origin.resource);
  // Of connecting, and of the answer.
  const std::int64_t time_ns = record_.plan.drifted_ns(
      (record_.plan.connect_ms_of(party) + record_.plan.timeout_of(party)) * kMs);
  // Who waits joins again and again.
  const bool overdue = !deed.joins && known->last_ns - known->first_ns > time_ns;
  const bool returned = std::ranges::any_of(record_.returns(party), [&](std::int64_t returned_ns) {
    return known->first_ns < returned_ns && returned_ns < known->last_ns;
  });
  // The final attempt has a time of its own.
  if (!returned && (!overdue || record_.final_attempt)) return;
  record_.report(ViolationKind::sent_too_late,
                 who(party.client) + " sent a take " +
                     (returned ? "after its call had returned" : "whose time was over"));
}

}  // namespace redlock::sim
