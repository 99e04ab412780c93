// An application that wants its lease to end sooner, or asks for less with an extend.
#include <algorithm>
#include <utility>

#include "sim/native_client.hpp"

namespace redlock::sim {

void NativeClient::count_extend(const Lane& lane) {
  const Course& course = behaviour().course(lane.resource);
  if (course.extend_ttl_ms == 0 || course.extend_ttl_ms == course.ttl_ms) return;
  Several& several = scene_.trace.several();
  ++(course.extend_ttl_ms < course.ttl_ms ? several.shorter_extends : several.longer_extends);
}

// It lowers what it believes, and tells so, before anything leaves. One that is kept alive is kept
// again when that is done.
bool NativeClient::begin_shorten(Lane& lane) {
  const std::shared_ptr<LeaseDeadline> now =
      lane.outer_shorter    ? lane.outer_shorter->lease_deadline()
      : lane.lease_deadline ? lane.lease_deadline
                            : std::make_shared<LeaseDeadline>(lane.valid_until);
  const bool live = now->until() > client_clock_.now();
  if (live) lane.shorter = prepare_shorten(lane.resource, now);
  if (lane.outer_shorter) now->supersede();
  if (!live || !lane.shorter) return false;
  note("shortens its lease");
  lane.shorter_lost = false;
  if (lane.lease_deadline && !lane.outer_shorter)
    kept_->retire(*lane.lease_deadline, random_.chance(1, 2));
  if (lane.lease_deadline) lane.lease_deadline = lane.shorter->lease_deadline();
  lane.value = std::string(lane.shorter->fresh().view());
  lane.valid_until = lane.shorter->lease_deadline()->until();
  lane.lease_end_ns = clock_.when(lane.valid_until.since_epoch_ns());
  scene_.checker.shortens(party(lane), lane.value, lane.lease_end_ns);
  start(lane, Phase::shortening, lane.shorter->begin());
  return true;
}

void NativeClient::look_at_shorter(Lane& lane) {
  if (!lane.shorter || lane.shorter_lost || lane.shorter->lease_deadline()->loss() == Loss::none)
    return;
  lane.shorter_lost = true;
  end_hold_story(lane.resource);
  scene_.checker.given_up(party(lane));
}

void NativeClient::finish_shorten(Lane& lane, const Outcome& outcome) {
  const std::string held(lane.shorter->held().view());
  scene_.checker.reported(party(lane), Verb::swap, lane.value, outcome);
  lane.phase = Phase::working;
  if (outcome.decision != Decision::granted) {
    note("has lost its lease by that");
    ++scene_.trace.several().shorten_lost;
    end_hold_story(lane.resource);
    end_shorter(lane);
    lane.lease_deadline.reset();
    lane.act_at_ns = lane.work_until_ns = scene_.now_ns;
    return;
  }
  const std::shared_ptr<LeaseDeadline> lease_deadline =
      std::exchange(lane.shorter, std::nullopt)->lease_deadline();
  ++scene_.trace.several().shortened;
  lane.valid_until = lease_deadline->until();
  lane.lease_end_ns = clock_.when(lane.valid_until.since_epoch_ns());
  scene_.checker.shortened(party(lane), held, lane.value, lane.lease_end_ns);
  begin_hold_story(lane.resource, lane.lease_end_ns);
  if (!lane.lease_deadline) {
    if (!behaviour().course(lane.resource).releases) lane.work_until_ns = lane.lease_end_ns;
    lane.work_until_ns = std::min(lane.work_until_ns, lane.lease_end_ns);
    lane.act_at_ns = (scene_.now_ns + lane.work_until_ns) / 2;
    return;
  }
  ++scene_.trace.several().kept_shortened;
  const Duration ttl = Duration::ms(behaviour().course(lane.resource).shorten_ttl_ms);
  kept_->keep(plan_of(lane.resource), Resource(resource_name(lane.resource)), outcome,
              {ttl, lane.kept_until - outcome.decided_at}, lease_deadline);
}

void NativeClient::shorten_further(Lane& lane) {
  begin_call(lane.resource);
  if (begin_shorten(lane)) {
    ++scene_.trace.several().shortened_within;
    return;
  }
  // Its time is over.
  lane.work_until_ns = scene_.now_ns;
  act_alone(lane);
}

// Its new owner is this process too: it works on, and leaves the lock to its ttl.
void NativeClient::pass_on(Lane& lane) {
  note("passes its lease on");
  ++scene_.trace.several().transferred_within;
  lane.outer_shorter->lease_deadline()->transfer();
  lane.lease_deadline.reset();
  lane.extends_left = lane.releases_left = 0;
  lane.work_until_ns = std::min(lane.work_until_ns, lane.lease_end_ns);
  lane.act_at_ns = scene_.now_ns;
  scene_.checker.transferred(party(lane));
}

void NativeClient::end_outer_shorter(Lane& lane) {
  if (!lane.outer_shorter) return;
  const std::string held(lane.outer_shorter->held().view());
  const std::string fresh(lane.outer_shorter->fresh().view());
  // Released by a handler, or not.
  lane.outer_shorter->lease_deadline()->released() && lane.value == fresh
      ? scene_.checker.not_shortened(party(lane), held)
      : scene_.checker.overtaken(party(lane), held, fresh);
  lane.outer_shorter.reset();
  schedule(scene_.now_ns);
}

// Whatever came of it, neither token is its own any more.
void NativeClient::end_shorter(Lane& lane) {
  if (!lane.shorter) return;
  scene_.checker.not_shortened(party(lane), std::string(lane.shorter->held().view()));
  lane.shorter.reset();
}

}  // namespace redlock::sim
