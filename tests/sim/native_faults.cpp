// What happens to a process that runs the production code, besides dying.
#include "sim/native_client.hpp"

namespace redlock::sim {

void NativeClient::give_up_call() {
  note("gives its call up");
  const OperationId id = *operation_;
  operation_.reset();
  leave_call();
  const Phase phase = phase_;
  if (phase == Phase::taking) {
    leave_take(id);
    return rest();
  }
  (void)pool_->take(id);
  if (phase == Phase::releasing) return rest();
  phase_ = Phase::working;
}

void NativeClient::end_request() {
  note("ends its request");
  const bool left = calling();
  // Its connections may outlive it, or not.
  const bool keeps = random_.chance(1, 2);
  const Phase phase = phase_;
  operation_.reset();
  run_blocking([&] {
    note_request_end();
    pool_->abort_all();
    keeps ? pool_->deliver() : pool_->close_all();
    pool_->close_idle(Duration::ms(kIdleLimitMs));
  });
  if (!left) return;
  leave_call();
  // Whoever held a lock has let go of it.
  if (phase == Phase::extending || phase == Phase::checking) scene_.checker.given_up(id_);
  rest();
}

void NativeClient::start_over() {
  child_ = false;
  if (operation_) {
    const Outcome outcome = pool_->take(*operation_);
    operation_.reset();
    leave_call();
    if (outcome.decision != Decision::aborted) {
      scene_.checker.report(
          ViolationKind::parents_touched,
          "client " + std::to_string(id_) + " is given what its parent asked for");
    }
  }
  if (remembers_parent()) {
    scene_.checker.report(ViolationKind::parents_touched,
                          "client " + std::to_string(id_) + " remembers what its parent took");
  }
  rest();
}

}  // namespace redlock::sim
