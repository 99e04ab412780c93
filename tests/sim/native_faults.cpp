// What happens to a process that runs the production code, besides dying.
#include <algorithm>

#include "sim/native_client.hpp"

namespace redlock::sim {

void NativeClient::give_up_call() {
  const auto order = draw_order();
  const auto calls = [this](std::uint32_t i) { return lanes_[i].operation.has_value(); };
  Lane& lane = lanes_[*std::find_if(order.begin(), order.begin() + lanes_.size(), calls)];
  note("gives its call up");
  const OperationId id = *lane.operation;
  lane.operation.reset();
  leave_call(lane.resource);
  if (lane.phase == Phase::taking) {
    leave_take(lane.resource, id);
    return rest(lane);
  }
  (void)pool_->take(id);
  if (lane.phase == Phase::releasing) return rest(lane);
  lane.phase = Phase::working;
}

bool NativeClient::may_end_request() const {
  return std::ranges::all_of(lanes_, [](const Lane& lane) {
    return lane.phase == Phase::resting || lane.operation.has_value();
  });
}

void NativeClient::end_request() {
  note("ends its request");
  std::array<bool, kResourcesMax> left{};
  // Its connections may outlive it, or not.
  const bool keeps = random_.chance(1, 2);
  for (Lane& lane : lanes_) {
    left[lane.resource] = lane.operation.has_value();
    lane.operation.reset();
  }
  run_blocking([&] {
    note_request_end();
    pool_->abort_all();
    keeps ? pool_->deliver() : pool_->close_all();
    pool_->close_idle(Duration::ms(kIdleLimitMs));
  });
  for (Lane& lane : lanes_) {
    if (!left[lane.resource]) continue;
    leave_call(lane.resource);
    // Whoever held a lock has let go of it.
    const bool held = lane.phase == Phase::extending || lane.phase == Phase::checking;
    if (held) scene_.checker.given_up(party(lane));
    rest(lane);
  }
}

void NativeClient::start_over() {
  child_ = false;
  for (Lane& lane : lanes_) {
    if (!lane.operation) continue;
    const Outcome outcome = pool_->take(*lane.operation);
    lane.operation.reset();
    leave_call(lane.resource);
    if (outcome.decision == Decision::aborted) continue;
    scene_.checker.report(ViolationKind::parents_touched,
                          "client " + std::to_string(id_) + " is given what its parent asked for");
  }
  if (remembers_parent()) {
    scene_.checker.report(ViolationKind::parents_touched,
                          "client " + std::to_string(id_) + " remembers what its parent took");
  }
  for (Lane& lane : lanes_) rest(lane);
}

}  // namespace redlock::sim
