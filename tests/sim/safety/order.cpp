// Who is before whom.
#include "sim/safety/order.hpp"

#include <algorithm>

#include "sim/record/words.hpp"

namespace redlock::sim {

namespace {

constexpr std::int64_t kMarginNs = 20 * kMs;

// Connecting, choosing the database and one answer fit into every time-out: else a round may have
// to be begun anew without anything being wrong.
bool answers_in_time(const Plan& plan) {
  constexpr std::int64_t kRoundLegs = 8;
  std::int64_t shortest_ms = plan.timeout_ms;
  for (std::uint32_t client = 0; client < plan.clients.size(); ++client) {
    shortest_ms = std::min(shortest_ms, plan.shortest_timeout_ms(client));
  }
  return kRoundLegs * plan.delay_high_ns < shortest_ms * kMs;
}

// A ticket that is far off is corrected at some servers before others; handlers call within calls.
bool is_quiet(const Plan& plan) {
  const bool plain = std::ranges::none_of(plan.clients, [](const ClientPlan& client) {
    return client.re_entries > 0 || client.clock_skew_ns != 0;
  });
  return plan.faults.empty() && plain && !plan.crowd && answers_in_time(plan);
}

}  // namespace

Order::Order(Record& record) : record_(record), quiet_(is_quiet(record.plan)) {}

void Order::judge(Contender party, std::string_view value) {
  const Waiter* const served = record_.book.find(token_hash(value));
  if (served == nullptr) return;
  ++record_.line_counts.in_line;
  if (!quiet_) return;
  record_.note_judged(ViolationKind::out_of_order);
  for (const Waiter& one : record_.book.all()) {
    if (&one == served || !precedes(one, *served)) continue;
    record_.report(ViolationKind::out_of_order,
                   who(party.client) + " was served before " + who(one.party.client));
  }
}

// Whoever stood in every line before the other had come to the first of them, unless what he was
// given meanwhile may have run out again.
bool Order::precedes(const Waiter& one, const Waiter& served) const {
  constexpr std::int64_t kShortLegs = 20;
  const std::int64_t ttl_ns = record_.plan.course(one.party).ttl_ms * kMs;
  if (one.over || one.ended_ns != Waiter::kNever || one.ticket >= served.ticket) return false;
  if (one.party.resource != served.party.resource) return false;
  if (ttl_ns < kShortLegs * record_.plan.delay_high_ns + kMarginNs) return false;
  const auto first = [](const Waiter::Place& place) { return place.first_ns; };
  const std::int64_t stood_ns = std::ranges::max(one.places, {}, first).first_ns;
  return stood_ns < std::ranges::min(served.places, {}, first).first_ns;
}

}  // namespace redlock::sim
