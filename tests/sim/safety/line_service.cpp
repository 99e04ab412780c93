// The twin, and what it finds.
#include "sim/safety/line_service.hpp"

#include "sim/record/words.hpp"

namespace redlock::sim {

void LineService::begins(const Origin& origin, const Deed& deed) {
  judging_ = record_.lines && (deed.joins || deed.passes);
  if (!judging_) return;
  const ServerView& view = record_.servers[origin.server];
  const Conditions* const now = view.conditions;
  const bool serves = now == nullptr || !(now->read_only || now->cannot_save || now->no_line_keys);
  twin_.begins(deed, record_.look_at(origin.server, deed.key), view.clock_ms(record_.now_ns),
               serves);
}

void LineService::judge(const Origin& origin, std::string_view answer, const LineView& after) {
  const std::string wrong = twin_.ends(answer, after);
  twin_.count(after, record_.line_counts);
  record_.note_judged(ViolationKind::wrongly_served);
  if (wrong.empty()) return;
  record_.report(ViolationKind::wrongly_served,
                 "server " + std::to_string(origin.server) + ": " + wrong);
}

void LineService::handed_to_nobody(const Origin& origin) {
  record_.report(ViolationKind::wrongly_served, who(origin.client) + " handed a lock to nobody");
}

}  // namespace redlock::sim
