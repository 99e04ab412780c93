// What happens to a process that runs the production code, besides dying.
#include <algorithm>
#include <utility>

#include "sim/native_client.hpp"

namespace redlock::sim {

void NativeClient::maybe_enter() {
  if (!alive() || entries_left_ == 0 || entered_ || !calling() || !random_.chance(1, 4)) return;
  const auto order = draw_order();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!enter(lanes_[order[i]])) continue;
    --entries_left_;
    ++scene_.trace.several().re_entries;
    return;
  }
}

// It takes a lock, or releases one: maybe that very one about which the process is asking. One that
// is being shortened it also shortens further, or passes on.
bool NativeClient::enter(Lane& lane) {
  const bool asks =
      lane.releases_left > 0 && (lane.phase == Phase::extending || lane.phase == Phase::checking ||
                                 lane.phase == Phase::shortening);
  const bool takes = lane.phase == Phase::resting && lane.cycles_left > 0;
  if (lane.operation ? !asks : lane.outer || (!takes && lane.phase != Phase::working)) return false;
  note("enters a handler");
  entered_ = lane.resource;
  entered_ns_ = scene_.now_ns;
  const bool goes_on = lane.phase == Phase::shortening && random_.chance(1, 2);
  if (lane.operation) {
    lane.outer = std::exchange(lane.operation, std::nullopt);
    lane.outer_phase = lane.phase;
    lane.outer_shorter = std::exchange(lane.shorter, std::nullopt);
    lane.phase = Phase::working;
    if (!goes_on) ++scene_.trace.several().released_within;
  }
  if (goes_on) {
    random_.chance(1, 2) ? shorten_further(lane) : pass_on(lane);
  } else {
    lane.work_until_ns = scene_.now_ns;
    act_alone(lane);
  }
  if (alive() && !lane.operation) leave_handler();
  return true;
}

void NativeClient::leave_handler() {
  entered_.reset();
  note_paused(scene_.now_ns - entered_ns_);
  // What was decided meanwhile is taken now.
  schedule(scene_.now_ns);
}

void NativeClient::finish_outer(Lane& lane) {
  const bool checks = lane.outer_phase == Phase::checking;
  const Outcome outcome = lane.outer_shorter ? lane.outer_shorter->collect()
                          : checks           ? collect_check(lane.resource, *lane.outer)
                                             : pool_->collect(*lane.outer);
  lane.outer.reset();
  end_outer_shorter(lane);
  scene_.checker.reported_of_released(party(lane), outcome);
}

void NativeClient::begin_crowd() {
  const Crowd& crowd = *scene_.plan.crowd;
  for (std::uint32_t i = 0; i < crowd.checks + crowd.releases; ++i) {
    const bool releases = i >= crowd.checks;
    const auto id = start_stray(std::string(kCrowdToken) + std::to_string(i), releases);
    if (id) crowd_.push_back(*id);
  }
  note("makes a crowd of calls");
  ++scene_.trace.several().crowds;
  scene_.trace.several().crowd_releases += crowd.releases;
  scene_.checker.crowd_begins(id_);
}

void NativeClient::finish_crowd() {
  if (crowd_.empty()) return;
  std::erase_if(crowd_, [this](OperationId id) {
    if (!pool_->done(id)) return false;
    for (const NodeReport& node : pool_->collect(id).nodes) {
      if (node.reply.fault == Fault::bound) ++scene_.trace.several().bound_reached;
    }
    return true;
  });
  if (crowd_.empty()) scene_.checker.crowd_ends(id_);
}

void NativeClient::give_up_call() {
  const auto order = draw_order();
  const auto calls = [this](std::uint32_t i) {
    return lanes_[i].calling() && !waits_for_handler(lanes_[i]);
  };
  Lane& lane = lanes_[*std::find_if(order.begin(), order.begin() + lanes_.size(), calls)];
  note("gives its call up");
  if (!lane.operation) {
    if (lane.outer_shorter) {
      (void)lane.outer_shorter->collect();
    } else {
      (void)pool_->collect(*lane.outer);
    }
    lane.outer.reset();
    return end_outer_shorter(lane);
  }
  if (entered_) leave_handler();
  const OperationId id = *lane.operation;
  lane.operation.reset();
  leave_call(lane.resource);
  if (lane.phase == Phase::taking) {
    leave_take(lane.resource, id);
    return rest(lane);
  }
  if (lane.phase == Phase::shortening) {
    return finish_shorten(lane, lane.shorter->collect());
  }
  (void)pool_->collect(id);
  if (lane.phase == Phase::releasing) return rest(lane);
  lane.phase = Phase::working;
}

// There is no thread in the child, and nothing of the parent's is touched.
void NativeClient::become_child() {
  child_ = true;
  if (!kept_) return;
  kept_->inherit();
  for (Lane& lane : lanes_) lane.lease_deadline.reset();
  kept_.reset();
}

bool NativeClient::may_end_request() const {
  return std::ranges::all_of(
      lanes_, [](const Lane& lane) { return lane.phase == Phase::resting || lane.calling(); });
}

// Nobody is there to be given what was won while a handler ran, or while another was left.
void NativeClient::leave_won() {
  const auto won = [this](const Lane& lane) {
    return lane.phase == Phase::taking && lane.operation && pool_->done(*lane.operation);
  };
  for (auto lane = lanes_.begin(); lane != lanes_.end();) {
    if (!won(*lane)) {
      ++lane;
      continue;
    }
    leave_take(lane->resource, *std::exchange(lane->operation, std::nullopt));
    lane = lanes_.begin();
  }
}

// Whoever is thrown out of the wait takes what came of it: the lock that he leaves has the fresh
// token then.
void NativeClient::take_shortened() {
  for (Lane& lane : lanes_) {
    if (lane.phase != Phase::shortening || !lane.operation || !pool_->done(*lane.operation))
      continue;
    lane.operation.reset();
    finish_shorten(lane, lane.shorter->collect());
  }
}

void NativeClient::end_request() {
  note("ends its request");
  std::array<bool, kResourcesMax> left{};
  // Its connections may outlive it, or not.
  const bool keeps = random_.chance(1, 2);
  for (const Lane& lane : lanes_) left[lane.resource] = lane.calling();
  entered_.reset();
  crowd_.clear();
  scene_.checker.crowd_ends(id_);
  run_blocking([&] {
    leave_won();
    take_shortened();
    note_request_end();
    pool_->abort_all();
    // What is being shortened is lost by that, and known to be before anything is removed.
    for (Lane& lane : lanes_) look_at_shorter(lane);
    transport_.set_request_ends(!keeps);
    keeps ? pool_->deliver() : pool_->close_all();
    transport_.set_request_ends(false);
    pool_->close_idle(Duration::ms(kIdleLimitMs));
  });
  for (Lane& lane : lanes_) {
    end_shorter(lane);
    end_outer_shorter(lane);
    lane.operation.reset();
    lane.outer.reset();
    if (!left[lane.resource]) continue;
    leave_call(lane.resource);
    // Whoever held a lock has let go of it.
    const bool held = lane.phase == Phase::extending || lane.phase == Phase::checking ||
                      lane.phase == Phase::working;
    if (held) scene_.checker.given_up(party(lane));
    rest(lane);
  }
}

void NativeClient::start_over() {
  child_ = false;
  entered_.reset();
  for (const OperationId id : std::exchange(crowd_, {})) (void)pool_->collect(id);
  scene_.checker.crowd_ends(id_);
  for (Lane& lane : lanes_) {
    for (std::optional<OperationId>* call : {&lane.operation, &lane.outer}) {
      if (!*call) continue;
      const Outcome outcome = pool_->collect(**call);
      call->reset();
      lane.shorter.reset();
      lane.outer_shorter.reset();
      leave_call(lane.resource);
      if (outcome.decision == Decision::aborted) continue;
      scene_.checker.report(
          ViolationKind::parents_touched,
          "client " + std::to_string(id_) + " is given what its parent asked for");
    }
  }
  if (remembers_parent()) {
    scene_.checker.report(ViolationKind::parents_touched,
                          "client " + std::to_string(id_) + " remembers what its parent took");
  }
  for (Lane& lane : lanes_) rest(lane);
}

}  // namespace redlock::sim
