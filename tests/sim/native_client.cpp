// The life of an application around its lock.
#include "sim/native_client.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/liveness/excuses.hpp"
#include "sim/world_time.hpp"

namespace redlock::sim {

namespace {

constexpr std::int64_t kRestMaxNs = 10 * kMs;
constexpr std::int64_t kLongRestMinNs = 800 * kMs;
constexpr std::int64_t kLongRestMaxNs = 3000 * kMs;
constexpr std::int64_t kUndoMarginNs = 2 * kMs;

std::int64_t slowest_ns(const Plan& plan) {
  std::int64_t slowest = plan.delay_high_ns;
  for (const FaultPlan& fault : plan.faults) {
    if (fault.fault_class != FaultClass::slow_link) continue;
    slowest = std::max(slowest, plan.delay_high_ns + static_cast<std::int64_t>(fault.amount));
  }
  return slowest;
}

// Connecting and one answer fit into every time-out, nothing is broken, and no handshake has to
// wait until the application comes back.
bool must_keep_connections(const Plan& plan, std::uint32_t client) {
  constexpr std::int64_t kLegs = 8;
  return judged_under(ViolationKind::connection_given_up, plan) && plan.database == 0 &&
         kLegs * slowest_ns(plan) < plan.shortest_timeout_ms(client) * kMs;
}

}  // namespace

NativeClient::NativeClient(Scene& scene, std::uint32_t id, std::uint64_t seed)
    : Client(scene, id, seed),
      client_clock_(clock_, wall_step_ns_, time_),
      entropy_(mix64(seed + 1)),
      pool_(std::in_place, transport_, client_clock_, entropy_),
      entries_left_(behaviour().re_entries) {
  if (scene.plan.has(FaultClass::forgetful_network)) {
    pool_->set_idle_limit(Duration::ms(kIdleLimitMs));
  }
  if (scene.plan.has_lines() || scene.plan.has_fences()) {
    wall_step_ns_ = kWallStartNs + behaviour().clock_skew_ns - client_clock_.steady_ns();
  }
  for (std::uint32_t i = 0; i < scene.plan.resources; ++i) {
    const Course& course = behaviour().course(i);
    Lane& lane = lanes_.emplace_back();
    lane.resource = i;
    lane.cycles_left = course.cycles;
    lane.act_at_ns = course.start_ns;
    schedule(course.start_ns);
  }
}

bool NativeClient::calling() const {
  return std::ranges::any_of(lanes_, [](const Lane& lane) { return lane.calling(); });
}

bool NativeClient::finished() const {
  return crowd_.empty() && std::ranges::all_of(lanes_, [](const Lane& lane) {
           return lane.phase == Phase::resting && lane.cycles_left == 0 && !lane.outer;
         });
}

std::int64_t NativeClient::next_turn_ns() {
  std::int64_t next_ns = kForever;
  for (const Lane& lane : lanes_) {
    if (!lane.calling() && !entered_) next_ns = std::min(next_ns, lane.act_at_ns);
  }
  if (kept_) {
    const std::optional<Instant> kept = kept_->next_turn();
    if (kept) next_ns = std::min(next_ns, clock_.when(kept->since_epoch_ns()));
    if (kept_->has_unread()) return scene_.now_ns;
  }
  if (!waits()) return next_ns;
  // Decided while another was begun: nobody waits for what is there.
  const bool decided = std::ranges::any_of(lanes_, [this](const Lane& lane) {
    return lane.operation && !waits_for_handler(lane) && pool_->done(*lane.operation);
  });
  if (decided) return scene_.now_ns;
  const std::optional<Instant> deadline = pool_->next_deadline();
  if (!deadline) return next_ns;
  deadline_ns_ = clock_.when(deadline->since_epoch_ns());
  return std::min(next_ns, deadline_ns_);
}

// An application sees to its locks in whatever order.
std::array<std::uint32_t, kResourcesMax> NativeClient::draw_order() {
  std::array<std::uint32_t, kResourcesMax> order{};
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = lanes_.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
  return order;
}

void NativeClient::act() {
  if (child_ && !calling()) start_over();
  const auto order = draw_order();
  keep_on();
  if (waits()) {
    pool_->step(transport_.is_to_be_interrupted() ? Instant::never() : Instant());
    if (child_) return start_over();
    for (Lane& lane : lanes_) look_at_shorter(lane);
    finish_calls(order);
    finish_crowd();
    maybe_enter();
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[order[i]];
    while (alive() && !entered_ && !lane.calling() && lane.act_at_ns <= scene_.now_ns) {
      act_alone(lane);
    }
  }
}

void NativeClient::finish_calls(const std::array<std::uint32_t, kResourcesMax>& order) {
  std::optional<std::uint32_t> before;
  for (std::size_t i = 0; i < lanes_.size() && alive(); ++i) {
    Lane& lane = lanes_[order[i]];
    if (waits_for_handler(lane)) continue;
    if (lane.outer && !lane.operation && pool_->done(*lane.outer)) finish_outer(lane);
    if (!lane.operation || !pool_->done(*lane.operation)) continue;
    if (before) ++scene_.trace.several().taken_together;
    before = lane.resource;
    finish_call(lane);
  }
  if (entered_ && alive() && !lanes_[*entered_].operation) leave_handler();
}

void NativeClient::start(Lane& lane, Phase phase, std::optional<OperationId> operation) {
  if (operation && calling()) ++scene_.trace.several().begun_beside;
  lane.phase = phase;
  lane.operation = operation;
  if (operation && pool_->done(*operation)) finish_call(lane);
}

void NativeClient::act_alone(Lane& lane) {
  switch (lane.phase) {
    case Phase::resting:
      if (lane.cycles_left == 0 && !lane.probing) {
        lane.act_at_ns = kForever;
        return;
      }
      if (!lane.probing) --lane.cycles_left;
      note("asks for the " + resource_name(lane.resource));
      begin_call(lane.resource, waits_in_line(lane));
      scene_.checker.line_counts().waits += waits_in_line(lane) ? 1 : 0;
      return start(lane, Phase::taking, start_take(lane.resource, lane.probing));
    case Phase::working:
      if (lane.overstaying || scene_.now_ns >= lane.work_until_ns) return end_work(lane);
      lane.act_at_ns =
          lane.extends_left > 1 ? (scene_.now_ns + lane.work_until_ns + 1) / 2 : lane.work_until_ns;
      begin_call(lane.resource);
      if (lane.shorten_left && (lane.extends_left == 0 || random_.chance(1, 2))) {
        lane.shorten_left = false;
        if (begin_shorten(lane)) return;
      }
      if (lane.extends_left > 0) {
        --lane.extends_left;
        if (const auto operation = start_extend(lane.resource)) {
          return start(lane, Phase::extending, operation);
        }
      }
      if (lane.checks_left) {
        lane.checks_left = false;
        if (const auto operation = start_check(lane.resource)) {
          return start(lane, Phase::checking, operation);
        }
      }
      return;
    default:
      lane.act_at_ns = kForever;
  }
}

void NativeClient::finish_call(Lane& lane) {
  const Phase phase = lane.phase;
  const Outcome outcome = phase == Phase::checking ? collect_check(lane.resource, *lane.operation)
                          : phase == Phase::shortening ? lane.shorter->collect()
                                                       : pool_->collect(*lane.operation);
  lane.operation.reset();
  end_call(lane.resource, phase == Phase::taking ? take_budget_ns(lane) : timeout_ns(lane));
  scene_.trace.fold(static_cast<std::uint64_t>(outcome.decision),
                    static_cast<std::uint64_t>(outcome.decided_at.since_epoch_ns()));
  switch (phase) {
    case Phase::taking:
      return finish_take(lane, outcome);
    case Phase::extending:
      return finish_extend(lane, outcome);
    case Phase::shortening:
      return finish_shorten(lane, outcome);
    case Phase::releasing:
      return finish_release(lane, outcome);
    default:
      break;
  }
  scene_.checker.reported(party(lane), Verb::check, lane.value, outcome);
  lane.phase = Phase::working;
}

std::int64_t NativeClient::true_deadline(const Outcome& outcome) const {
  return clock_.when((outcome.decided_at + outcome.validity).since_epoch_ns());
}

void NativeClient::finish_take(Lane& lane, const Outcome& outcome) {
  const bool granted = outcome.decision == Decision::granted;
  if (waits_in_line(lane)) {
    scene_.checker.line_counts().granted += granted ? 1 : 0;
    scene_.checker.line_counts().refused += outcome.line.empty() ? 0 : 1;
  }
  scene_.checker.reported(party(lane), Verb::take, granted ? std::string(outcome.token.view()) : "",
                          outcome);
  if (lane.probing && !granted) {
    scene_.checker.report(
        ViolationKind::nobody_acquires,
        "client " + std::to_string(id_) + " cannot take a free lock though all faults are over");
  }
  if (!granted) {
    note("is not given the " + resource_name(lane.resource));
    return rest(lane);
  }
  lane.value = std::string(outcome.token.view());
  lane.lease_end_ns = true_deadline(outcome);
  lane.valid_until = outcome.decided_at + outcome.validity;
  note_taken(lane.resource, outcome);
  // The lease may have ended in a pause: the application looks at its clock first.
  if (lane.lease_end_ns <= now_ns()) {
    note("is given a lock that is over");
  } else {
    note("holds the " + resource_name(lane.resource) +
         (outcome.fence ? ", fence " + std::to_string(*outcome.fence) : ""));
    scene_.checker.granted(party(lane), lane.value, lane.lease_end_ns);
    if (behaviour().course(lane.resource).fence && !lane.probing) {
      scene_.checker.fenced(party(lane), outcome.fence.value_or(0));
    }
    begin_hold_story(lane.resource, lane.lease_end_ns);
  }
  begin_work(lane);
  begin_renewal(lane, outcome);
}

void NativeClient::begin_work(Lane& lane) {
  const Course& course = behaviour().course(lane.resource);
  lane.extends_left = course.extends;
  lane.shorten_left = course.shorten_ttl_ms > 0 && !lane.probing;
  lane.checks_left = course.checks;
  lane.releases_left = course.releases ? (course.releases_twice ? 2 : 1) : 0;
  lane.phase = Phase::working;
  const std::int64_t wanted_ns = scene_.now_ns + course.hold_ms * kMs;
  lane.work_until_ns = course.releases ? std::min(wanted_ns, lane.lease_end_ns) : lane.lease_end_ns;
  lane.act_at_ns = (scene_.now_ns + lane.work_until_ns) / 2;
  if (overstay_ns_ == 0) return;
  ++scene_.fired[static_cast<std::size_t>(FaultClass::holder_overstays)];
  lane.overstaying = true;
  lane.act_at_ns = lane.lease_end_ns + overstay_ns_;
  overstay_ns_ = 0;
  scene_.checker.overstays(party(lane));
  if (Story* story = scene_.trace.story()) {
    story->spans.push_back(
        {lane.lease_end_ns, lane.act_at_ns, false, id_, true, "works past its lease"});
  }
  note("will not stop at the end of its lease");
}

void NativeClient::finish_extend(Lane& lane, const Outcome& outcome) {
  scene_.checker.reported(party(lane), Verb::extend, lane.value, outcome);
  lane.phase = Phase::working;
  if (outcome.decision != Decision::granted) return note("is not given more time");
  const std::int64_t until_ns = true_deadline(outcome);
  if (until_ns <= now_ns()) return;
  note("is given more time");
  count_extend(lane);
  lane.lease_end_ns = std::max(lane.lease_end_ns, until_ns);
  lane.valid_until = std::max(lane.valid_until, outcome.decided_at + outcome.validity);
  if (lane.lease_deadline) {
    lane.extended_until = outcome.decided_at + outcome.validity;
    // Who was told that it is over does not trust it any more.
    if (!lane.lease_deadline->prolong(lane.extended_until, client_clock_.now())) return;
  }
  scene_.checker.extended(party(lane), lane.value, until_ns);
  begin_hold_story(lane.resource, lane.lease_end_ns);
}

void NativeClient::end_work(Lane& lane) {
  lane.overstaying = false;
  if (lane.outer_shorter) lane.outer_shorter->lease_deadline()->end();  // by a handler
  end_renewal(lane);
  end_hold_story(lane.resource);
  scene_.checker.given_up(party(lane));
  if (lane.releases_left == 0) return rest(lane);
  --lane.releases_left;
  note("releases the " + resource_name(lane.resource));
  begin_call(lane.resource);
  const std::optional<OperationId> operation = start_release(lane.resource);
  if (!operation) return rest(lane);
  start(lane, Phase::releasing, operation);
}

void NativeClient::finish_release(Lane& lane, const Outcome& outcome) {
  scene_.checker.reported(party(lane), Verb::release, lane.value, outcome);
  if (lane.releases_left > 0) {
    ++scene_.fired[static_cast<std::size_t>(FaultClass::duplicate_release)];
    lane.phase = Phase::working;
    lane.work_until_ns = scene_.now_ns;
    return end_work(lane);
  }
  note_released(lane.resource);
  if (!exits_) return rest(lane);
  exit();
  // What was to be looked at after an earlier rest may be under way anew.
  for (const Lane& other : lanes_) ++rests_[other.resource];
  if (!must_keep_connections(scene_.plan, id_)) return;
  schedule_undo_check(lane);
  // What the others were about to take is taken by nobody.
  for (const Lane& other : lanes_) {
    if (other.phase == Phase::taking) schedule_undo_check(other);
  }
}

void NativeClient::on_death() {
  if (alive()) scene_.trace.several().left_by_exit += calling() ? 1 : 0;
  // Whoever exits leaves its calls.
  if (exits_ && alive()) leave_won();
  for (Lane& lane : lanes_) lane.lease_deadline.reset();
  if (kept_) kept_->die();
  kept_.reset();
  for (Lane& lane : lanes_) lane.forget_calls();
  entered_.reset();
  crowd_.clear();
  pool_.reset();
}

void NativeClient::rest(Lane& lane) {
  const Course& course = behaviour().course(lane.resource);
  lane.phase = Phase::resting;
  end_renewal(lane);
  ++rests_[lane.resource];
  lane.probing = false;
  lane.act_at_ns = scene_.now_ns + random_.between(0, kRestMaxNs);
  if (scene_.plan.has(FaultClass::forgetful_network) && lane.cycles_left > 0) {
    ++scene_.fired[static_cast<std::size_t>(FaultClass::forgetful_network)];
    lane.act_at_ns += random_.between(kLongRestMinNs, kLongRestMaxNs);
  }
  look_at_connections();
  if (course.releases && judged_under(ViolationKind::undone_late, scene_.plan)) {
    schedule_undo_check(lane);
  }
}

void NativeClient::look_at_connections() {
  if (transport_.misused()) {
    scene_.checker.report(ViolationKind::connection_misused,
                          "client " + std::to_string(id_) +
                              " used a connection that had ended, or was unused for too long");
  }
  if (transport_.touched_parents()) {
    scene_.checker.report(ViolationKind::parents_touched,
                          "client " + std::to_string(id_) + " used its parent's connection");
  }
  if (transport_.gave_up_sound() && must_keep_connections(scene_.plan, id_)) {
    scene_.checker.report(ViolationKind::connection_given_up,
                          "client " + std::to_string(id_) + " closed a connection that was sound");
  }
}

void NativeClient::schedule_undo_check(const Lane& lane) {
  note_rest(lane.resource);
  scene_.queue.add(scene_.now_ns + 4 * slowest_ns(scene_.plan) + kUndoMarginNs,
                   EventKind::undo_check, id_,
                   rests_[lane.resource] * kResourcesMax + lane.resource);
}

bool NativeClient::begin_probe() {
  if (!alive() || !finished()) return false;
  entries_left_ = 0;
  Lane& lane = lanes_.front();
  lane.probing = true;
  lane.act_at_ns = scene_.now_ns;
  schedule(lane.act_at_ns);
  return true;
}

}  // namespace redlock::sim
