// Who waits, for how long, by which clock; and who is struck in the midst of it.
#include "sim/plan_lines.hpp"

#include <algorithm>

namespace redlock::sim {

namespace {

using enum FaultClass;

// Of so many schedules of RedLock inside the model, in one there are lines.
constexpr std::uint64_t kLinesOneIn = 3;
constexpr std::size_t kWaitersMax = 6;
// Whoever waits asks now and then: a lease may last for hours, and a wait may not.
constexpr std::int64_t kWaitMaxMs = 90'000;
// Where every byte is an event: of one who waits, and of all together.
constexpr std::int64_t kCutWaitMaxMs = 2'000;
constexpr std::int64_t kCutWaitsMaxMs = 1'000;
constexpr std::uint32_t kCutCyclesMax = 2;
constexpr std::int64_t kTtlsMax = 5;
constexpr std::int64_t kAsksMax = 50;
constexpr std::int64_t kLinePauseMaxMs = 5'000;
constexpr std::int64_t kLineSkewMaxMs = 300;
constexpr std::int64_t kSkewFarMs = 3'600'000;
constexpr std::uint64_t kLineClassesMax = 2;

class LineDrawer {
 public:
  LineDrawer(Random& random, Plan& plan) : random_(random), plan_(plan) {}

  void draw(std::optional<FaultClass> wanted) {
    if (random_.chance(1, 3)) add_clients();
    const bool lasting = random_.chance(1, 12);
    for (ClientPlan& client : plan_.clients) {
      for (std::uint32_t i = 0; i < plan_.resources; ++i) {
        Course& course = client.course(i);
        if (lasting) make_lasting(course);
        if (random_.chance(3, 4)) make_waiting(course);
      }
    }
    if (lasting) delay_restarts();
    // Somebody waits in any case.
    if (!plan_.has_lines()) make_waiting(plan_.clients.front());
    if (!wanted && random_.chance(1, 5)) return make_quiet();
    if (random_.chance(1, 2)) skew_clocks();
    if (wanted && is_line_class(*wanted)) add_class(*wanted);
    const std::uint64_t classes = random_.below(kLineClassesMax + 1);
    for (std::uint64_t i = 0; i < classes; ++i) add_class(draw_class());
    if (random_.chance(1, 4)) add_class(client_kill);
    if (random_.chance(1, 3)) hold_back();
  }

 private:
  void add_clients() {
    const auto count =
        static_cast<std::size_t>(random_.between(1, kWaitersMax)) + plan_.clients.size();
    while (plan_.clients.size() < std::min(count, kWaitersMax)) {
      ClientPlan client = plan_.clients[random_.below(plan_.clients.size())];
      client.start_ns = random_.between(0, 20 * kMs);
      plan_.clients.push_back(std::move(client));
    }
  }

  // So long that somebody who is gone without a word is missed.
  void make_lasting(Course& course) {
    course.ttl_ms = random_.between(5'000, 60'000);
    course.hold_ms = random_.between(0, course.ttl_ms);
    course.pause_ms = random_.between(0, 2'000);
    course.extend_ttl_ms = course.renew_max_ms = course.work_ms = 0;
  }

  [[nodiscard]] bool cuts_bytes() const {
    return plan_.has(slices) || plan_.has(single_bytes) || plan_.has(short_writes);
  }

  [[nodiscard]] std::int64_t cut_wait_max_ms() const {
    const auto waits = static_cast<std::int64_t>(plan_.clients.size() * plan_.resources);
    return std::min(kCutWaitMaxMs, kCutWaitsMaxMs / waits);
  }

  // Who has lost data comes back when all leases of then are over.
  void delay_restarts() {
    const std::int64_t span_ns = plan_.drifted_ns(plan_.longest_ttl_ms() * kMs) + 10 * kMs;
    for (FaultPlan& fault : plan_.faults) {
      const bool loses =
          fault.fault_class == crash_lose_second_late || fault.fault_class == crash_lose_all_late;
      if (loses) fault.until_ns = fault.from_ns + span_ns;
    }
  }

  void make_waiting(Course& course) {
    const std::int64_t most_ms = cuts_bytes() ? cut_wait_max_ms() : kWaitMaxMs;
    course.wait_ms = std::min(random_.between(0, kTtlsMax * course.ttl_ms), most_ms);
    if (random_.chance(1, 8)) course.wait_ms = random_.chance(1, 2) ? 0 : random_.between(1, 5);
    // Where it may not stand in line it asks, and must not do so without an end.
    course.pause_ms = std::clamp(course.pause_ms, 1 + course.wait_ms / kAsksMax, kLinePauseMaxMs);
    course.cycles = static_cast<std::uint32_t>(random_.between(1, 4));
    if (cuts_bytes()) course.cycles = std::min(course.cycles, kCutCyclesMax);
    if (random_.chance(1, 2)) {
      course.hold_ms = random_.between(0, std::min<std::int64_t>(course.hold_ms, 20));
    }
  }

  // Nothing goes wrong, and all clocks agree: who came first is served first.
  void make_quiet() {
    plan_.faults.clear();
    plan_.fired_at_start = {};
    plan_.crowd.reset();
    std::ranges::fill(plan_.server_rates_ppm, 0);
    for (ClientPlan& client : plan_.clients) {
      client.rate_ppm = 0;
      client.re_entries = 0;
    }
  }

  void skew_clocks() {
    for (ClientPlan& client : plan_.clients) {
      const std::int64_t most_ms = random_.chance(1, 4) ? kSkewFarMs : kLineSkewMaxMs;
      client.clock_skew_ns = random_.between(-most_ms, most_ms) * kMs;
    }
  }

  FaultClass draw_class() {
    return static_cast<FaultClass>(kFirstLineClass +
                                   random_.below(kFaultClasses - kFirstLineClass));
  }

  void add_class(FaultClass fault_class) {
    const std::int64_t times = random_.between(1, 3);
    for (std::int64_t i = 0; i < times; ++i) {
      FaultPlan fault;
      fault.fault_class = fault_class;
      fault.from_ns = random_.between(0, strikes_until_ms()) * kMs;
      fault.until_ns = fault.from_ns + random_.between(kMs / 10, 100 * kMs);
      fault.client = static_cast<std::uint32_t>(random_.below(plan_.clients.size()));
      fault.server = static_cast<std::uint32_t>(random_.below(plan_.servers));
      fault.all_servers = random_.chance(1, 4);
      fault.amount = random_.next() >> 1U;
      const bool from_the_beginning = fault_class == no_channels || fault_class == no_line_keys;
      if (from_the_beginning && random_.chance(1, 2)) fault.from_ns = 0;
      plan_.faults.push_back(fault);
    }
  }

  // For so long that who has joined gives his connection up and joins again on another: then the
  // two race each other.
  void hold_back() {
    FaultPlan fault;
    fault.fault_class = partition_to_server;
    fault.from_ns = random_.between(0, kHorizonNs);
    fault.until_ns = fault.from_ns + plan_.timeout_ms * kMs + random_.between(50, 150) * kMs;
    fault.client = static_cast<std::uint32_t>(random_.below(plan_.clients.size()));
    fault.server = static_cast<std::uint32_t>(random_.below(plan_.servers));
    fault.all_servers = fault.all_clients = true;
    plan_.faults.push_back(fault);
  }

  std::int64_t strikes_until_ms() {
    constexpr std::int64_t kUsualMs = kHorizonNs / kMs;
    const std::int64_t longest_ms = std::min(plan_.longest_ttl_ms(), kWaitMaxMs);
    return random_.chance(1, 2) ? kUsualMs : std::max(kUsualMs, longest_ms / 2);
  }

  Random& random_;
  Plan& plan_;
};

}  // namespace

void draw_lines(Random& random, const PlanWishes& wishes, Plan& plan) {
  const bool may = plan.model == Model::inside && plan.kind == LockKind::quorum;
  const bool wanted = wishes.lines || wishes.fences || wishes.admits_several();
  if (!may || (wishes.standard_shape && !wanted)) return;
  const bool must = wanted || (wishes.fault_class && is_line_class(*wishes.fault_class));
  if (!random.chance(1, kLinesOneIn) && !must) return;
  LineDrawer(random, plan).draw(wishes.fault_class);
}

}  // namespace redlock::sim
