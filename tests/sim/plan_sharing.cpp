// Half of all courses read, or all take one to three of four names; all of them change what they
// hold now and then. In half of the plans everybody comes again and again, and stays for a moment.
#include "sim/plan_sharing.hpp"

#include <algorithm>
#include <bit>

namespace redlock::sim {

namespace {

constexpr std::int64_t kClientsMin = 3;
constexpr std::int64_t kSharersMax = 6;
constexpr std::int64_t kPermitsMost = 4;
constexpr std::int64_t kChangesMax = 4;
constexpr std::int64_t kStayMaxMs = 30;
constexpr std::int64_t kNamesMost = 3;

// Two of one size may be apart; more than half of all draws meet.
std::uint32_t draw_names(Random& random) {
  const auto count = static_cast<int>(random.between(1, kNamesMost));
  std::uint32_t names = 0;
  while (std::popcount(names) < count) names |= 1U << random.below(kNamesMax);
  return names;
}

void share(Random& random, Plan& plan, Course& course, bool contends) {
  course.reads = plan.shared && random.chance(1, 2);
  course.changes = static_cast<std::uint32_t>(random.between(0, kChangesMax));
  if (plan.sets) course.names = draw_names(random);
  course.fence = course.checks = course.releases_twice = false;
  course.shorten_ttl_ms = course.renew_max_ms = course.work_ms = 0;
  if (!contends) return;
  course.start_ns = random.between(0, 60 * kMs);
  course.hold_ms = random.between(1, std::min(course.ttl_ms, kStayMaxMs));
  // Whoever waits may have to ask, and must not do so without an end: that was seen to.
  if (course.wait_ms >= 0) return;
  course.cycles = static_cast<std::uint32_t>(random.between(2, 4));
  course.pause_ms = random.between(1, 10);
}

}  // namespace

void draw_sharing(Random& random, const PlanWishes& wishes, Plan& plan) {
  if (plan.model != Model::inside || plan.kind != LockKind::quorum) return;
  const auto count = static_cast<std::size_t>(random.between(kClientsMin, kSharersMax));
  while (plan.clients.size() < count) {
    ClientPlan client = plan.clients[random.below(plan.clients.size())];
    client.start_ns = random.between(0, 20 * kMs);
    plan.clients.push_back(std::move(client));
  }
  plan.shared = wishes.shared;
  plan.sets = wishes.sets;
  // Fewer than there are clients, or nobody would be refused.
  const auto others = static_cast<std::int64_t>(plan.clients.size()) - 1;
  if (wishes.permits) {
    plan.permits = static_cast<std::uint32_t>(random.between(1, std::min(others, kPermitsMost)));
  }
  plan.crowd.reset();
  const bool contends = random.chance(1, 2);
  for (ClientPlan& client : plan.clients) {
    client.re_entries = 0;
    for (std::uint32_t i = 0; i < plan.resources; ++i) {
      share(random, plan, client.course(i), contends);
    }
  }
}

}  // namespace redlock::sim
