// Drawing a schedule from its seed.
#include "sim/plan.hpp"

#include <algorithm>

#include "sim/plan_amount.hpp"
#include "sim/plan_crowd.hpp"
#include "sim/plan_fences.hpp"
#include "sim/plan_guard.hpp"
#include "sim/plan_lines.hpp"
#include "sim/plan_sharing.hpp"
#include "sim/plan_shorter.hpp"
#include "sim/random.hpp"

namespace redlock::sim {

namespace {

using enum FaultClass;

// Of all drift factors; the default and anything between these are drawn.
constexpr std::int64_t kDriftMinPpm = 1'000;
constexpr std::int64_t kDriftMaxPpm = 200'000;
// Makes leases of up to 300 ms last up to hours.
constexpr std::uint64_t kStretchesMax = 15;
// Of 8 schedules, one steps out of the model.
constexpr std::uint64_t kOutsideOneIn = 8;
constexpr std::size_t kClassesMax = 3;
// Of so many schedules outside the model, in one there are classes from inside too.
constexpr std::uint64_t kMixedOneIn = 3;
// Of 4 schedules inside the model, one has clients that see to several locks at once.
constexpr std::uint64_t kSeveralOneIn = 4;
constexpr std::int64_t kReEntriesMax = 4;
// Of 4 schedules of the quorum lock inside the model, one has leases that are kept alive.
constexpr std::uint64_t kKeptOneIn = 4;
constexpr std::int64_t kKeptTtlsMax = 5;
// What a lease must have for something to be left after drift.
constexpr std::int64_t kTtlMinMs = 20;

bool is_outside(FaultClass fault_class) { return info_of(fault_class).model == Model::outside; }

FaultClass draw_class(Random& random, Model model, const Plan& plan) {
  const LockKind kind = plan.kind;
  for (;;) {
    const FaultInfo& info = fault_table()[random.below(kFirstLineClass)];
    if (info.model != model) continue;
    // Where several calls share a connection, the next answer that fits is taken for one that is
    // missing; nothing in the protocol tells them apart.
    if (info.fault_class == hostile_missing && plan.resources > 1) continue;
    if (info.scope == Scope::stamp && kind == LockKind::quorum) continue;
    if (info.scope == Scope::quorum && kind == LockKind::stamp) continue;
    return info.fault_class;
  }
}

class Drawer {
 public:
  Drawer(std::uint64_t seed, const PlanWishes& wishes)
      : random_(mix64(seed)),
        times_(mix64(seed + kTimesStream)),
        several_(mix64(seed + kSeveralStream)),
        mixed_(mix64(seed + kMixedStream)),
        crowds_(mix64(seed + kCrowdsStream)),
        resets_(mix64(seed + kResetsStream)),
        kept_(mix64(seed + kKeptStream)),
        lines_(mix64(seed + kLinesStream)),
        shorter_(mix64(seed + kShorterStream)),
        fences_(mix64(seed + kFencesStream)),
        restarts_(mix64(seed + kRestartsStream)),
        sharing_(mix64(seed + kSharingStream)),
        wishes_(wishes) {}

  Plan draw() {
    draw_shape();
    draw_clients();
    draw_times();
    draw_several();
    draw_kept();
    draw_classes();
    if (!wishes_.standard_shape) draw_crowd(crowds_, plan_);
    // Those who ask for fences wait in line in half of their plans, and so do those who share.
    const bool in_half = wishes_.fences || wishes_.admits_several();
    Random& half = wishes_.fences ? fences_ : sharing_;
    if (!in_half || wishes_.lines || half.chance(1, 2)) draw_lines(lines_, wishes_, plan_);
    draw_shorter(shorter_, wishes_, plan_);
    if (wishes_.fences) draw_fences(fences_, plan_);
    if (wishes_.admits_several()) draw_sharing(sharing_, wishes_, plan_);
    if (wishes_.restarts()) draw_restarts(restarts_, wishes_.guard, plan_);
    return std::move(plan_);
  }

 private:
  static constexpr std::uint64_t kTimesStream = 1'000'000'048;
  static constexpr std::uint64_t kSeveralStream = 1'000'000'100;
  static constexpr std::uint64_t kMixedStream = 1'000'000'200;
  static constexpr std::uint64_t kCrowdsStream = 1'000'000'300;
  static constexpr std::uint64_t kResetsStream = 1'000'000'400;
  static constexpr std::uint64_t kKeptStream = 1'000'000'500;
  static constexpr std::uint64_t kLinesStream = 1'000'000'600;
  static constexpr std::uint64_t kShorterStream = 1'000'000'700;
  static constexpr std::uint64_t kFencesStream = 1'000'000'800;
  static constexpr std::uint64_t kRestartsStream = 1'000'000'900;
  static constexpr std::uint64_t kSharingStream = 1'000'001'000;

  void draw_shape();
  void draw_clients();
  void draw_times();
  void draw_several();
  void draw_kept();
  [[nodiscard]] Course draw_beside(const ClientPlan& client);
  [[nodiscard]] std::int64_t draw_timeout();
  [[nodiscard]] std::int64_t draw_extend_ttl(std::int64_t ttl_ms);
  void draw_classes();
  void add_class(FaultClass fault_class);
  void add_fault(FaultClass fault_class);
  void add_companion(FaultClass fault_class);
  void add_late_answers();
  void prepare_legacy(bool skewed);
  void prepare_outside();
  [[nodiscard]] bool has_legacy() const {
    return std::ranges::any_of(plan_.clients, &ClientPlan::legacy);
  }
  void for_each_course(auto&& change) {
    for (ClientPlan& client : plan_.clients) {
      for (std::uint32_t i = 0; i < plan_.resources; ++i) change(client.course(i));
    }
  }
  Random random_;
  // Apart, so that what else a seed means does not hang on them.
  Random times_;
  Random several_;
  Random mixed_;
  Random crowds_;
  Random resets_;
  Random kept_;
  Random lines_;
  Random shorter_;
  Random fences_;
  Random restarts_;
  Random sharing_;
  std::int64_t stretch_ = 1;
  const PlanWishes& wishes_;
  Plan plan_;
  FaultClass outside_ = FaultClass::count;
};

void Drawer::draw_shape() {
  const bool may_leave = !wishes_.inside_only && !wishes_.fault_class;
  const bool leaves = may_leave && random_.chance(1, kOutsideOneIn);
  const bool quorum = wishes_.standard_shape || wishes_.lines || wishes_.fences ||
                      wishes_.restarts() || wishes_.admits_several();
  plan_.kind = random_.chance(7, 10) || quorum ? LockKind::quorum : LockKind::stamp;
  if (wishes_.fault_class) {
    const FaultInfo& info = info_of(*wishes_.fault_class);
    if (info.scope == Scope::stamp) plan_.kind = LockKind::stamp;
    if (info.scope == Scope::quorum) plan_.kind = LockKind::quorum;
    if (info.model == Model::outside) outside_ = info.fault_class;
  } else if (leaves) {
    outside_ = draw_class(random_, Model::outside, plan_);
  }
  plan_.model = outside_ == FaultClass::count ? Model::inside : Model::outside;
  plan_.servers = 1;
  if (plan_.kind == LockKind::quorum) {
    plan_.servers = random_.pick(std::array<std::uint32_t, 8>{3, 3, 3, 3, 1, 2, 4, 5});
    if (wishes_.standard_shape) plan_.servers = 3;
    if (plan_.model == Model::outside) plan_.servers = random_.chance(1, 2) ? 3 : 1;
  }
  plan_.delay_low_ns = random_.between(20'000, 300'000);
  plan_.delay_high_ns = plan_.delay_low_ns + random_.between(10'000, 2 * kMs);
  plan_.timeout_ms = random_.between(5, 40);
  plan_.buffer_ms = random_.between(1, 4);
  plan_.stamps_in_seconds = random_.chance(1, 6);
  plan_.password = random_.chance(1, 8);
  plan_.database = random_.chance(1, 8) ? 3 : 0;
  plan_.client_name = random_.chance(1, 8);
  plan_.server_rates_ppm.assign(plan_.servers, 0);
}

void Drawer::draw_clients() {
  const auto count = static_cast<std::size_t>(random_.between(2, 4));
  for (std::size_t i = 0; i < count; ++i) {
    ClientPlan client;
    client.start_ns = random_.between(0, 20 * kMs);
    client.cycles = static_cast<std::uint32_t>(random_.between(1, 2));
    client.ttl_ms = random_.between(20, 300);
    client.attempts = random_.between(1, 4);
    client.pause_ms = random_.between(0, 30);
    client.hold_ms = random_.between(0, client.ttl_ms / (random_.chance(1, 2) ? 8 : 1));
    client.extends = random_.chance(1, 2) ? static_cast<std::uint32_t>(random_.between(1, 3)) : 0;
    client.checks = random_.chance(1, 8);
    client.releases = !random_.chance(1, 8);
    plan_.clients.push_back(client);
  }
}

// How far clocks may drift and how long leases last. Outside the model nothing is said about
// either.
void Drawer::draw_times() {
  if (plan_.model == Model::outside || wishes_.standard_shape) return;
  if (times_.chance(1, 2)) plan_.drift_ppm = times_.between(kDriftMinPpm, kDriftMaxPpm);
  if (!times_.chance(1, 3)) return;
  stretch_ = std::int64_t{1} << (1 + times_.below(kStretchesMax));
  for (ClientPlan& client : plan_.clients) {
    client.ttl_ms *= stretch_;
    client.hold_ms *= stretch_;
    client.pause_ms *= stretch_;
  }
}

// Shorter or longer than the lease that was taken.
std::int64_t Drawer::draw_extend_ttl(std::int64_t ttl_ms) {
  if (several_.chance(1, 4)) return 0;
  if (several_.chance(1, 2)) return several_.between(ttl_ms, 4 * ttl_ms);
  return several_.between(std::min(ttl_ms, std::max(kTtlMinMs, ttl_ms / 4)), ttl_ms);
}

// One that shares the connections of the first manager, or has connections of its own.
std::int64_t Drawer::draw_timeout() {
  if (several_.chance(1, 3)) return 0;
  if (several_.chance(1, 2)) return plan_.timeout_ms * several_.between(3, 10);
  return several_.between(5, 40);
}

Course Drawer::draw_beside(const ClientPlan& client) {
  Course course;
  course.start_ns = client.start_ns;
  // Side by side from the first instant on, or not.
  if (several_.chance(1, 2)) course.start_ns = several_.between(0, 20 * kMs);
  course.cycles = static_cast<std::uint32_t>(several_.between(1, 2));
  course.ttl_ms = several_.between(kTtlMinMs, 300) * stretch_;
  course.attempts = several_.between(1, 4);
  course.pause_ms = several_.between(0, 30) * stretch_;
  course.hold_ms = several_.between(0, course.ttl_ms / (several_.chance(1, 2) ? 8 : 1));
  course.extends = several_.chance(1, 2) ? static_cast<std::uint32_t>(several_.between(1, 3)) : 0;
  course.extend_ttl_ms = draw_extend_ttl(course.ttl_ms);
  course.timeout_ms = draw_timeout();
  // Whoever allows for more than the clocks do is only more careful.
  if (several_.chance(1, 3)) course.drift_ppm = several_.between(plan_.drift_ppm, kDriftMaxPpm);
  course.checks = several_.chance(1, 4);
  course.releases = !several_.chance(1, 8);
  return course;
}

void Drawer::draw_several() {
  if (plan_.model == Model::outside || wishes_.standard_shape) return;
  if (!several_.chance(1, kSeveralOneIn) || wishes_.fault_class == hostile_missing) return;
  plan_.resources = static_cast<std::uint32_t>(several_.between(2, kResourcesMax));
  for (ClientPlan& client : plan_.clients) {
    client.extend_ttl_ms = draw_extend_ttl(client.ttl_ms);
    if (several_.chance(1, 2)) {
      client.re_entries = static_cast<std::uint32_t>(several_.between(1, kReEntriesMax));
    }
    for (std::uint32_t i = 1; i < plan_.resources; ++i) {
      client.beside.push_back(draw_beside(client));
    }
  }
}

// Leases that are kept alive for some ttls, while the application works for less or longer.
void Drawer::draw_kept() {
  if (plan_.kind == LockKind::stamp || plan_.model == Model::outside) return;
  if (wishes_.standard_shape || !kept_.chance(1, kKeptOneIn)) return;
  for_each_course([this](Course& course) {
    if (!kept_.chance(1, 2)) return;
    course.renew_max_ms = course.ttl_ms * kept_.between(1, kKeptTtlsMax);
    course.work_ms = course.ttl_ms * kept_.between(1, kKeptTtlsMax) * kept_.between(2, 6) / 4;
  });
}

void Drawer::draw_classes() {
  if (wishes_.fault_class && !is_line_class(*wishes_.fault_class)) {
    add_class(*wishes_.fault_class);
  } else if (outside_ != FaultClass::count) {
    add_class(outside_);
  }
  if (outside_ != FaultClass::count) prepare_outside();
  const std::uint64_t count = random_.below(kClassesMax + 1);
  // In most of these it is seen what the one class does. The documents' clients know no faults.
  if (plan_.model == Model::outside && (has_legacy() || !mixed_.chance(1, kMixedOneIn))) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    add_class(draw_class(random_, Model::inside, plan_));
  }
}

void Drawer::prepare_outside() {
  for (ClientPlan& client : plan_.clients) {
    client.attempts = 4;
    client.cycles = 4;
    client.releases = client.releases && !client.legacy ? random_.chance(3, 4) : client.releases;
    if (!client.legacy) client.hold_ms = client.ttl_ms * random_.between(5, 10) / 10;
  }
}

void Drawer::prepare_legacy(bool skewed) {
  plan_.stamps_in_seconds = false;
  plan_.password = false;
  plan_.database = 0;
  plan_.mixed_fleet = random_.chance(1, 2);
  const std::size_t count = static_cast<std::size_t>(
      random_.between(1, static_cast<std::int64_t>(plan_.clients.size()) - 1));
  for (std::size_t i = 0; i < count; ++i) {
    ClientPlan& client = plan_.clients[i];
    client.legacy = true;
    client.hold_ms = client.ttl_ms * random_.between(5, 12) / 10;
    if (skewed) client.clock_skew_ns = random_.between(-200, 200) * kMs;
  }
}

void Drawer::add_class(FaultClass fault_class) {
  if (fault_class == refused_select) plan_.database = 3;
  const bool at_start = fault_class == slices || fault_class == single_bytes ||
                        fault_class == short_writes || fault_class == legacy_clients ||
                        fault_class == legacy_clock_skew || fault_class == forgetful_network;
  if (fault_class == legacy_clients || fault_class == legacy_clock_skew ||
      fault_class == legacy_wall_step) {
    prepare_legacy(fault_class == legacy_clock_skew);
  }
  if (fault_class == duplicate_release) {
    for_each_course([](Course& course) { course.releases_twice = true; });
  }
  if (fault_class == forgetful_network) {
    for_each_course([](Course& course) { course.cycles = 2; });
  }
  if (fault_class == server_clock_rate) {
    for (std::int64_t& rate : plan_.server_rates_ppm) rate = draw_rate(random_, plan_);
  }
  if (fault_class == client_clock_rate) {
    for (ClientPlan& client : plan_.clients) client.rate_ppm = draw_rate(random_, plan_);
  }
  if (at_start) {
    // Those fire when they really cut something.
    const bool cuts =
        fault_class == slices || fault_class == single_bytes || fault_class == short_writes;
    plan_.fired_at_start[static_cast<std::size_t>(fault_class)] += cuts ? 0 : 1;
    plan_.faults.push_back({fault_class});
    plan_.faults.back().amount = random_.next();
    return;
  }
  const std::int64_t times =
      is_outside(fault_class) ? random_.between(3, 6) : random_.between(1, 3);
  for (std::int64_t i = 0; i < times; ++i) {
    add_fault(fault_class);
    if (fault_class == script_flush && random_.chance(1, 2)) add_companion(partition_to_client);
    if (fault_class != reset_on_close) continue;
    add_companion(stop_resume);
    add_companion(slow_link);
    add_late_answers();
  }
}

// Beside the latest: a NOSCRIPT that nobody reads, an answer for which it is too late.
void Drawer::add_companion(FaultClass fault_class) {
  FaultPlan fault = plan_.faults.back();
  fault.fault_class = fault_class;
  const std::int64_t earlier_max_ns = (fault_class == slow_link ? plan_.timeout_ms : 2) * kMs;
  fault.from_ns = std::max<std::int64_t>(0, fault.from_ns - random_.between(0, earlier_max_ns));
  fault.until_ns = fault.from_ns + random_.between(kMs, 100 * kMs);
  fault.all_clients = true;
  if (fault_class == slow_link) draw_amount(random_, plan_, fault);
  plan_.faults.push_back(fault);
}

// Answers wait until their client has lost patience and closed; and the server stands still before
// it has read what the client said last.
void Drawer::add_late_answers() {
  constexpr std::int64_t kEarlyNs = 60 * kMs;
  constexpr std::int64_t kBehindNs = 70 * kMs;
  FaultPlan fault;
  fault.fault_class = partition_to_client;
  fault.from_ns = resets_.between(0, kEarlyNs);
  fault.until_ns = fault.from_ns + resets_.between(1, 3) * plan_.timeout_ms * kMs;
  fault.server = static_cast<std::uint32_t>(resets_.below(plan_.servers));
  fault.all_clients = true;
  fault.all_servers = resets_.chance(1, 4);
  plan_.faults.push_back(fault);
  fault.fault_class = stop_resume;
  fault.from_ns += resets_.between(kMs, plan_.timeout_ms * kMs);
  fault.until_ns = std::max(fault.from_ns, fault.until_ns) + kBehindNs;
  plan_.faults.push_back(fault);
}

void Drawer::add_fault(FaultClass fault_class) {
  FaultPlan fault;
  fault.fault_class = fault_class;
  fault.from_ns = random_.between(0, kHorizonNs);
  fault.until_ns = fault.from_ns + random_.between(kMs / 10, 100 * kMs);
  fault.client = static_cast<std::uint32_t>(random_.below(plan_.clients.size()));
  fault.server = static_cast<std::uint32_t>(random_.below(plan_.servers));
  fault.all_clients = random_.chance(1, 4);
  fault.all_servers = random_.chance(is_outside(fault_class) ? 3 : 1, 4);
  draw_amount(random_, plan_, fault);
  plan_.faults.push_back(fault);
}

}  // namespace

Plan draw_plan(std::uint64_t seed, const PlanWishes& wishes) { return Drawer(seed, wishes).draw(); }

}  // namespace redlock::sim
