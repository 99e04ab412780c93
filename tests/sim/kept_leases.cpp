// The renewal thread's turns, and what they mean for the application.
#include "sim/kept_leases.hpp"

#include <algorithm>
#include <utility>

#include "sim/native_client.hpp"

namespace redlock::sim {

KeptLeases::KeptLeases(Scene& scene, std::uint32_t client, HostTime& time, Clock& clock,
                       std::uint64_t seed)
    : clock_(clock),
      transport_(scene.network, client, scene.plan.has(FaultClass::forgetful_network), time),
      entropy_(seed),
      pool_(transport_, clock, entropy_),
      scheduler_(pool_) {}

KeptLeases::~KeptLeases() = default;

std::shared_ptr<LeaseDeadline> KeptLeases::keep(std::shared_ptr<const LockPlan> plan,
                                                const Resources& resources, const Outcome& outcome,
                                                RenewalTerms terms) {
  auto lease_deadline = std::make_shared<LeaseDeadline>(outcome.decided_at + outcome.validity);
  keep(std::move(plan), resources, outcome, terms, lease_deadline);
  return lease_deadline;
}

void KeptLeases::keep(std::shared_ptr<const LockPlan> plan, const Resources& resources,
                      const Outcome& outcome, RenewalTerms terms,
                      const std::shared_ptr<LeaseDeadline>& lease_deadline) {
  scheduler_.keep({std::move(plan), resources, outcome.token, terms, outcome.decided_at,
                   lease_deadline->until(), lease_deadline, nullptr});
}

void KeptLeases::stop(LeaseDeadline& lease_deadline, bool at_once) {
  lease_deadline.end();
  tell(lease_deadline, at_once);
}

void KeptLeases::retire(LeaseDeadline& lease_deadline, bool at_once) {
  lease_deadline.supersede();
  tell(lease_deadline, at_once);
}

void KeptLeases::tell(const LeaseDeadline& lease_deadline, bool at_once) {
  if (at_once) return scheduler_.stop(lease_deadline);
  stopped_.push_back(&lease_deadline);
}

void KeptLeases::act() {
  for (const LeaseDeadline* lease_deadline : std::exchange(stopped_, {}))
    scheduler_.stop(*lease_deadline);
  scheduler_.drive(clock_.now());
  pool_.step(Instant());
  scheduler_.drive(clock_.now());
}

std::optional<Instant> KeptLeases::next_turn() {
  const std::optional<Instant> event = scheduler_.next_event();
  const std::optional<Instant> deadline = pool_.next_deadline();
  if (!event || !deadline) return event ? event : deadline;
  return std::min(*event, *deadline);
}

void KeptLeases::die() { transport_.die(); }

void NativeClient::begin_renewal(Lane& lane, const Outcome& outcome) {
  const Course& course = behaviour().course(lane.resource);
  std::shared_ptr<const LockPlan> plan = plan_of(lane.resource);
  if (course.renew_max_ms == 0 || lane.probing || !plan) return;
  if (!kept_) kept_.emplace(scene_, id_, time_, client_clock_, random_.next());
  const RenewalTerms terms{Duration::ms(course.ttl_ms), Duration::ms(course.renew_max_ms)};
  lane.lease_deadline =
      kept_->keep(std::move(plan), Resource(resource_name(lane.resource)), outcome, terms);
  lane.kept_until = outcome.decided_at + terms.renew_max;
  lane.work_until_ns = scene_.now_ns + course.work_ms * kMs;
  lane.act_at_ns = (scene_.now_ns + lane.work_until_ns) / 2;
  ++scene_.trace.several().kept;
}

void NativeClient::end_renewal(Lane& lane) {
  if (!lane.lease_deadline) return;
  if (kept_) kept_->stop(*lane.lease_deadline, random_.chance(1, 2));
  lane.lease_deadline.reset();
}

// What the thread has found out reaches the application.
void NativeClient::keep_on() {
  if (!kept_) return;
  kept_->act();
  for (Lane& lane : lanes_) {
    if (lane.lease_deadline) look_at_deadline(lane);
  }
}

void NativeClient::look_at_deadline(Lane& lane) {
  const Instant until = lane.lease_deadline->until();
  const Loss loss = lane.lease_deadline->loss();
  const bool over =
      loss != Loss::none || lane.lease_deadline->left(client_clock_.now()) == Duration();
  if (!over) {
    // By its own clock: when that changes its rate, nothing was prolonged.
    if (until <= lane.valid_until) return;
    lane.valid_until = until;
    const std::int64_t until_ns = clock_.when(until.since_epoch_ns());
    lane.lease_end_ns = std::max(lane.lease_end_ns, until_ns);
    scene_.checker.extended(party(lane), lane.value, until_ns);
    ++scene_.trace.several().kept_extends;
    if (until <= std::max(lane.kept_until, lane.extended_until)) return;
    return scene_.checker.report(ViolationKind::kept_too_long,
                                 "client " + std::to_string(id_) + " keeps a lease for too long");
  }
  note("has lost the " + resource_name(lane.resource));
  ++scene_.trace.several().kept_lost;
  end_hold_story(lane.resource);
  scene_.checker.given_up(party(lane));
  end_renewal(lane);
  lane.work_until_ns = scene_.now_ns;
  lane.act_at_ns = scene_.now_ns;
}

}  // namespace redlock::sim
