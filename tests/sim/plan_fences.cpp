// Half of all courses ask for a fence; clocks are right, a little off, or ahead by hours and years.
//
// In half of the plans votes stray: leases are short, answers are waited for longer than some of
// them last, and a server is silent for about as long. Then one client's vote comes long after
// another's at another server, and others are granted the lock and raise their fences in between.
#include "sim/plan_fences.hpp"

#include <algorithm>

namespace redlock::sim {

namespace {

using enum FaultClass;

constexpr std::int64_t kSkewMaxMs = 300;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kHoursMax = 24;
// Of a clock that was set to another date.
constexpr std::int64_t kFarMs = 24 * 365 * kHourMs;
constexpr std::int64_t kClientsMax = 6;
constexpr std::int64_t kShortTtlMinMs = 30;
constexpr std::int64_t kShortTtlMaxMs = 60;
constexpr std::int64_t kPatienceMaxMs = 200;
constexpr std::int64_t kFirstSilenceMaxMs = 40;
constexpr std::int64_t kAwakeMaxMs = 20;

class FenceDrawer {
 public:
  FenceDrawer(Random& random, Plan& plan) : random_(random), plan_(plan) {}

  void draw() {
    // Of those whose votes stray most ask; of all together, half.
    const bool strays = random_.chance(1, 2);
    if (strays) let_votes_stray();
    for_each_course([&](Course& course) { course.fence = random_.chance(strays ? 3 : 1, 4); });
    plan_.clients.front().fence = true;
    if (random_.chance(2, 3)) skew_clocks();
  }

 private:
  void for_each_course(auto&& change) {
    for (ClientPlan& client : plan_.clients) {
      for (std::uint32_t i = 0; i < plan_.resources; ++i) change(client.course(i));
    }
  }

  void skew_clocks() {
    const bool little = random_.chance(1, 2);
    for (ClientPlan& client : plan_.clients) client.clock_skew_ns = draw_skew_ms(little) * kMs;
  }

  std::int64_t draw_skew_ms(bool little) {
    if (little) return random_.between(-kSkewMaxMs, kSkewMaxMs);
    if (random_.chance(1, 4)) return random_.between(0, kFarMs);
    return random_.between(-kHoursMax * kHourMs, kHoursMax * kHourMs);
  }

  void let_votes_stray() {
    const auto count = static_cast<std::size_t>(random_.between(3, kClientsMax));
    while (plan_.clients.size() < count) {
      ClientPlan client = plan_.clients[random_.below(plan_.clients.size())];
      client.start_ns = random_.between(0, 60 * kMs);
      plan_.clients.push_back(std::move(client));
    }
    // So long on their way that much happens between two servers.
    plan_.delay_low_ns = random_.between(kMs / 2, 2 * kMs);
    plan_.delay_high_ns = plan_.delay_low_ns + random_.between(kMs, 6 * kMs);
    plan_.timeout_ms = random_.between(kShortTtlMaxMs, kPatienceMaxMs);
    for_each_course([this](Course& course) { contend(course); });
    silence_server();
  }

  // It comes again and again, and holds the lock for a moment.
  void contend(Course& course) {
    course.start_ns = random_.between(0, 60 * kMs);
    course.cycles = static_cast<std::uint32_t>(random_.between(2, 4));
    course.attempts = random_.between(1, 4);
    course.timeout_ms = 0;
    if (random_.chance(1, 2)) course.ttl_ms = random_.between(kShortTtlMinMs, kShortTtlMaxMs);
    course.hold_ms = random_.between(0, std::min<std::int64_t>(course.ttl_ms, 10));
    course.pause_ms = random_.between(1, 10);
    course.extends = 0;
    course.extend_ttl_ms = course.shorten_ttl_ms = course.renew_max_ms = course.work_ms = 0;
    course.checks = false;
  }

  // Stopped, again and again, with a moment in between.
  void silence_server() {
    FaultPlan fault;
    fault.fault_class = stop_resume;
    fault.server = static_cast<std::uint32_t>(random_.below(plan_.servers));
    fault.from_ns = random_.between(0, kFirstSilenceMaxMs) * kMs;
    while (fault.from_ns < kHorizonNs) {
      fault.until_ns = fault.from_ns + random_.between(kShortTtlMinMs, 2 * kShortTtlMaxMs) * kMs;
      fault.amount = random_.next() >> 1U;
      plan_.faults.push_back(fault);
      fault.from_ns = fault.until_ns + random_.between(1, kAwakeMaxMs) * kMs;
    }
  }

  Random& random_;
  Plan& plan_;
};

}  // namespace

void draw_fences(Random& random, Plan& plan) {
  if (plan.model == Model::inside && plan.kind == LockKind::quorum) {
    FenceDrawer(random, plan).draw();
  }
}

}  // namespace redlock::sim
