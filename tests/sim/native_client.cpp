// The life of an application around its lock.
#include "sim/native_client.hpp"

#include <algorithm>
#include <tuple>

#include "sim/checker_limits.hpp"

namespace redlock::sim {

namespace {

// The final attempt has all the time it may need.
constexpr std::int64_t kProbeAttempts = 6;
constexpr std::int64_t kProbePauseMs = 40;
constexpr std::int64_t kProbeTimeoutMs = 100;
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
bool must_keep_connections(const Plan& plan) {
  constexpr std::int64_t kLegs = 8;
  return judged_under(ViolationKind::connection_given_up, plan) && plan.database == 0 &&
         kLegs * slowest_ns(plan) < plan.timeout_ms * kMs;
}

class QuorumClient final : public NativeClient {
 public:
  QuorumClient(Scene& scene, std::uint32_t id, std::uint64_t seed)
      : NativeClient(scene, id, seed),
        locks_(pool(), servers(),
               options(behaviour().attempts, behaviour().pause_ms, scene.plan.timeout_ms)),
        probe_(pool(), servers(), options(kProbeAttempts, kProbePauseMs, kProbeTimeoutMs)) {}

 private:
  [[nodiscard]] std::vector<ServerSpec> servers() const;
  [[nodiscard]] LockOptions options(std::int64_t attempts, std::int64_t pause_ms,
                                    std::int64_t timeout_ms) const {
    LockOptions options;
    options.retry = RetryPolicy::jittered(attempts, pause_ms);
    options.timeout = Duration::ms(timeout_ms);
    options.drift_factor = scene_.plan.drift_factor();
    if (scene_.plan.client_name) options.client_name = "sim";
    return options;
  }
  OperationId start_take(bool probe) override {
    // Another time-out may mean other connections, and a release belongs behind its take.
    holder_ = probe ? &probe_ : &locks_;
    return holder_->begin_lock(resource_, probe ? Duration::ms(kTtlMaxMs) : ttl());
  }
  std::optional<OperationId> start_release() override {
    return holder_->begin_unlock(resource_, Token(value()));
  }
  std::optional<OperationId> start_extend() override {
    return holder_->begin_extend(resource_, Token(value()), ttl());
  }
  std::optional<OperationId> start_check() override {
    return holder_->begin_check(resource_, Token(value()));
  }
  void leave_take(OperationId id) override {
    (void)holder_->take_lock(id, resource_, Caller::left);
  }
  [[nodiscard]] Duration ttl() const { return Duration::ms(behaviour().ttl_ms); }

  Resource resource_{"lock"};
  LockManager locks_;
  LockManager probe_;
  LockManager* holder_ = &locks_;
};

ServerSpec server_spec(const Plan& plan, std::uint32_t index) {
  Endpoint endpoint = endpoint_of(index);
  endpoint.database = plan.database;
  if (plan.password) endpoint.password = "secret";
  return {endpoint, std::nullopt};
}

std::vector<ServerSpec> QuorumClient::servers() const {
  std::vector<ServerSpec> specs;
  for (std::uint32_t i = 0; i < scene_.plan.servers; ++i) {
    specs.push_back(server_spec(scene_.plan, i));
  }
  return specs;
}

class StampClient final : public NativeClient {
 public:
  StampClient(Scene& scene, std::uint32_t id, std::uint64_t seed)
      : NativeClient(scene, id, seed),
        locks_(pool(), ledger_, server_spec(scene.plan, 0),
               options(scene.plan, scene.plan.timeout_ms)),
        probe_(pool(), ledger_, server_spec(scene.plan, 0), options(scene.plan, kProbeTimeoutMs)) {}

 private:
  static StampOptions options(const Plan& plan, std::int64_t timeout_ms) {
    StampOptions options;
    options.unit = plan.stamps_in_seconds ? StampUnit::seconds : StampUnit::milliseconds;
    options.mixed_fleet = plan.mixed_fleet;
    options.drift_factor = plan.drift_factor();
    options.timeout = Duration::ms(timeout_ms);
    if (plan.client_name) options.client_name = "sim";
    return options;
  }
  OperationId start_take(bool probe) override {
    holder_ = probe ? &probe_ : &locks_;
    const auto [attempts, pause_ms, ttl_ms] =
        probe ? std::tuple(kProbeAttempts, kProbePauseMs, kTtlMaxMs)
              : std::tuple(behaviour().attempts, behaviour().pause_ms, behaviour().ttl_ms);
    const auto retry = RetryPolicy::exact(attempts, Duration::ms(pause_ms));
    return holder_->begin_take(key_, Duration::ms(ttl_ms), Duration::ms(scene_.plan.buffer_ms),
                               retry);
  }
  std::optional<OperationId> start_release() override {
    released_ = holder_->entry_of(key_);
    return holder_->begin_release(key_, Duration::ms(scene_.plan.buffer_ms));
  }
  std::optional<OperationId> start_check() override { return holder_->begin_check(key_); }
  void note_taken(const Outcome& outcome) override {
    if (holder_->note_taken(key_, outcome)) return;
    (void)pool().take(holder_->begin_give_back(key_, outcome));
  }
  void note_released() override { holder_->note_released(key_, released_); }
  void note_request_end() override { ledger_.clear(); }
  void leave_take(OperationId id) override { (void)holder_->take_lock(id, key_, Caller::left); }
  bool remembers_parent() override {
    return ledger_.find("", key_) != nullptr || ledger_.size() > 0;
  }

  Resource key_{"lock"};
  StampLedger ledger_;
  StampLedger::Serial released_ = 0;
  StampLockManager locks_;
  StampLockManager probe_;
  StampLockManager* holder_ = &locks_;
};

}  // namespace

std::unique_ptr<Client> make_native_client(Scene& scene, std::uint32_t id, std::uint64_t seed) {
  if (scene.plan.kind == LockKind::quorum) return std::make_unique<QuorumClient>(scene, id, seed);
  return std::make_unique<StampClient>(scene, id, seed);
}

NativeClient::NativeClient(Scene& scene, std::uint32_t id, std::uint64_t seed)
    : Client(scene, id, seed),
      client_clock_(clock_, wall_step_ns_, time_),
      entropy_(mix64(seed + 1)),
      pool_(std::in_place, transport_, client_clock_, entropy_),
      cycles_left_(behaviour().cycles),
      act_at_ns_(behaviour().start_ns) {
  if (scene.plan.has(FaultClass::forgetful_network)) {
    pool_->set_idle_limit(Duration::ms(kIdleLimitMs));
  }
  schedule(act_at_ns_);
}

std::int64_t NativeClient::next_turn_ns() {
  if (!calling()) return act_at_ns_;
  const std::optional<Instant> deadline = pool_->next_deadline();
  if (!deadline) return kForever;
  deadline_ns_ = clock_.when(deadline->since_epoch_ns());
  return deadline_ns_;
}

void NativeClient::act() {
  if (child_ && !calling()) start_over();
  if (calling()) {
    pool_->step(transport_.is_to_be_interrupted() ? Instant::never() : Instant());
    if (child_) return start_over();
    if (!pool_->done(*operation_)) return;
    finish_call();
  }
  while (!calling() && act_at_ns_ <= scene_.now_ns) act_alone();
}

void NativeClient::start(Phase phase, std::optional<OperationId> operation) {
  phase_ = phase;
  operation_ = operation;
  if (operation_ && pool_->done(*operation_)) finish_call();
}

void NativeClient::act_alone() {
  switch (phase_) {
    case Phase::resting:
      if (cycles_left_ == 0 && !probing_) {
        act_at_ns_ = kForever;
        return;
      }
      if (!probing_) --cycles_left_;
      note("asks for the lock");
      begin_call();
      return start(Phase::taking, start_take(probing_));
    case Phase::working:
      if (overstaying_ || scene_.now_ns >= work_until_ns_) return end_work();
      act_at_ns_ = extends_left_ > 1 ? (scene_.now_ns + work_until_ns_ + 1) / 2 : work_until_ns_;
      begin_call();
      if (extends_left_ > 0) {
        --extends_left_;
        if (const auto operation = start_extend()) return start(Phase::extending, operation);
      }
      if (checks_left_) {
        checks_left_ = false;
        if (const auto operation = start_check()) return start(Phase::checking, operation);
      }
      return;
    default:
      act_at_ns_ = kForever;
  }
}

void NativeClient::finish_call() {
  const Outcome outcome = pool_->take(*operation_);
  operation_.reset();
  const Phase phase = phase_;
  end_call(phase == Phase::taking ? take_budget_ns() : timeout_ns());
  scene_.trace.fold(static_cast<std::uint64_t>(outcome.decision),
                    static_cast<std::uint64_t>(outcome.decided_at.since_epoch_ns()));
  switch (phase) {
    case Phase::taking:
      return finish_take(outcome);
    case Phase::extending:
      return finish_extend(outcome);
    case Phase::releasing:
      return finish_release(outcome);
    default:
      break;
  }
  scene_.checker.reported(id_, Verb::check, value_, outcome);
  phase_ = Phase::working;
}

std::int64_t NativeClient::take_budget_ns() const {
  if (probing_) return (kProbeAttempts * (kProbeTimeoutMs + kProbePauseMs)) * kMs;
  const std::int64_t attempts = behaviour().attempts;
  return (attempts * scene_.plan.timeout_ms + (attempts - 1) * behaviour().pause_ms) * kMs;
}

std::int64_t NativeClient::timeout_ns() const {
  return (probing_ ? kProbeTimeoutMs : scene_.plan.timeout_ms) * kMs;
}

std::int64_t NativeClient::true_deadline(const Outcome& outcome) const {
  return clock_.when((outcome.decided_at + outcome.validity).since_epoch_ns());
}

void NativeClient::finish_take(const Outcome& outcome) {
  const bool granted = outcome.decision == Decision::granted;
  scene_.checker.reported(id_, Verb::take, granted ? std::string(outcome.token.view()) : "",
                          outcome);
  if (probing_ && !granted) {
    scene_.checker.report(
        ViolationKind::nobody_acquires,
        "client " + std::to_string(id_) + " cannot take a free lock though all faults are over");
  }
  if (!granted) {
    note("is not given the lock");
    return rest();
  }
  value_ = std::string(outcome.token.view());
  lease_end_ns_ = true_deadline(outcome);
  note_taken(outcome);
  // A pause may have outlasted the lease: the application looks at its clock first.
  if (lease_end_ns_ <= now_ns()) {
    note("is given a lock that is over");
  } else {
    note("holds the lock");
    scene_.checker.granted(id_, value_, lease_end_ns_);
    begin_hold_story(lease_end_ns_);
  }
  extends_left_ = behaviour().extends;
  checks_left_ = behaviour().checks;
  releases_left_ = behaviour().releases ? (behaviour().releases_twice ? 2 : 1) : 0;
  phase_ = Phase::working;
  const std::int64_t wanted_ns = scene_.now_ns + behaviour().hold_ms * kMs;
  work_until_ns_ = behaviour().releases ? std::min(wanted_ns, lease_end_ns_) : lease_end_ns_;
  act_at_ns_ = (scene_.now_ns + work_until_ns_) / 2;
  if (overstay_ns_ == 0) return;
  ++scene_.fired[static_cast<std::size_t>(FaultClass::holder_overstays)];
  overstaying_ = true;
  act_at_ns_ = lease_end_ns_ + overstay_ns_;
  overstay_ns_ = 0;
  scene_.checker.overstays(id_);
  if (Story* story = scene_.trace.story()) {
    story->spans.push_back({lease_end_ns_, act_at_ns_, false, id_, true, "works past its lease"});
  }
  note("will not stop at the end of its lease");
}

void NativeClient::finish_extend(const Outcome& outcome) {
  scene_.checker.reported(id_, Verb::extend, value_, outcome);
  phase_ = Phase::working;
  if (outcome.decision != Decision::granted) return note("is not given more time");
  const std::int64_t until_ns = true_deadline(outcome);
  if (until_ns <= now_ns()) return;
  note("is given more time");
  lease_end_ns_ = std::max(lease_end_ns_, until_ns);
  scene_.checker.extended(id_, value_, until_ns);
  begin_hold_story(lease_end_ns_);
}

void NativeClient::end_work() {
  overstaying_ = false;
  end_hold_story();
  scene_.checker.given_up(id_);
  if (releases_left_ == 0) return rest();
  --releases_left_;
  note("releases");
  begin_call();
  const std::optional<OperationId> operation = start_release();
  if (!operation) return rest();
  start(Phase::releasing, operation);
}

void NativeClient::finish_release(const Outcome& outcome) {
  scene_.checker.reported(id_, Verb::release, value_, outcome);
  if (releases_left_ > 0) {
    ++scene_.fired[static_cast<std::size_t>(FaultClass::duplicate_release)];
    phase_ = Phase::working;
    work_until_ns_ = scene_.now_ns;
    return end_work();
  }
  note_released();
  if (!exits_) return rest();
  exit();
  if (must_keep_connections(scene_.plan)) schedule_undo_check();
}

void NativeClient::rest() {
  phase_ = Phase::resting;
  ++rests_;
  probing_ = false;
  act_at_ns_ = scene_.now_ns + random_.between(0, kRestMaxNs);
  if (scene_.plan.has(FaultClass::forgetful_network) && cycles_left_ > 0) {
    ++scene_.fired[static_cast<std::size_t>(FaultClass::forgetful_network)];
    act_at_ns_ += random_.between(kLongRestMinNs, kLongRestMaxNs);
  }
  // Whoever paused between looking and sending could not know better.
  if (transport_.misused() && judged_under(ViolationKind::connection_misused, scene_.plan)) {
    scene_.checker.report(ViolationKind::connection_misused,
                          "client " + std::to_string(id_) +
                              " used a connection that had ended, or was unused for too long");
  }
  if (transport_.touched_parents()) {
    scene_.checker.report(ViolationKind::parents_touched,
                          "client " + std::to_string(id_) + " used its parent's connection");
  }
  if (transport_.gave_up_sound() && must_keep_connections(scene_.plan)) {
    scene_.checker.report(ViolationKind::connection_given_up,
                          "client " + std::to_string(id_) + " closed a connection that was sound");
  }
  if (behaviour().releases && judged_under(ViolationKind::undone_late, scene_.plan))
    schedule_undo_check();
}

void NativeClient::schedule_undo_check() {
  scene_.queue.add(scene_.now_ns + 4 * slowest_ns(scene_.plan) + kUndoMarginNs,
                   EventKind::undo_check, id_, rests_);
}

bool NativeClient::begin_probe() {
  if (!alive() || !finished()) return false;
  probing_ = true;
  act_at_ns_ = scene_.now_ns;
  schedule(act_at_ns_);
  return true;
}

}  // namespace redlock::sim
