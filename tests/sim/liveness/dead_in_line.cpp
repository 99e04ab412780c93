// Row by row.
#include "sim/liveness/dead_in_line.hpp"

#include <algorithm>

namespace redlock::sim {

// Whoever is gone is seen by a neighbour who lives; of several in a row, when the last of them is.
void DeadInLine::judge(std::uint32_t server, const LineView& after) {
  constexpr std::int64_t kDeadNs = 25'000 * kMs;
  constexpr std::int64_t kHeartbeatNs = 10'000 * kMs;
  constexpr std::int64_t kMarginNs = 2'000 * kMs;
  const std::int64_t now_ns = record_.now_ns;
  const std::int64_t settled_ns = record_.plan.drifted_ns(kHeartbeatNs) + kMarginNs;
  if (now_ns < waits_.calm_from_ns() + settled_ns) return;
  std::int64_t gone_ns = 0;  // the last of those in a row
  bool any_overdue = false;
  for (std::size_t i = 0; i <= after.line.size(); ++i) {
    const Waiter* waiter = nullptr;
    if (i < after.line.size()) {
      waiter = record_.book.find(token_hash(after.line[i].token));
      if (waiter == nullptr) return;
    }
    if (waiter != nullptr && waiter->ended_ns != Waiter::kNever) {
      gone_ns = std::max({gone_ns, waiter->ended_ns, waiter->places[server].last_ns});
      continue;
    }
    if (waiter != nullptr && waiter->over) return;
    if (waiter != nullptr && waiter->places[server].first_ns + settled_ns > now_ns) return;
    const std::int64_t overdue_ns = gone_ns + record_.plan.drifted_ns(kDeadNs) + kMarginNs;
    any_overdue = any_overdue || (gone_ns > 0 && now_ns > overdue_ns);
    gone_ns = 0;
  }
  record_.note_judged(ViolationKind::dead_in_line);
  if (!any_overdue) return;
  record_.report(ViolationKind::dead_in_line,
                 "server " + std::to_string(server) + " keeps somebody in line who is gone");
}

}  // namespace redlock::sim
