// Clients that take RedLock on all servers, or PidLock on the first: a manager for each resource,
// with a time-out and a drift factor of its own, and all of them on one pool.
#include <deque>
#include <tuple>
#include <utility>

#include "sim/client_options.hpp"
#include "sim/native_client.hpp"

namespace redlock::sim {

namespace {

class QuorumClient final : public NativeClient {
 public:
  QuorumClient(Scene& scene, std::uint32_t id, std::uint64_t seed)
      : QuorumClient(scene, id, seed, servers_of(scene.plan)) {}

 private:
  QuorumClient(Scene& scene, std::uint32_t id, std::uint64_t seed,
               const std::vector<ServerSpec>& servers)
      : NativeClient(scene, id, seed), probe_(pool(), servers, probe_options(scene.plan, id)) {
    for (std::uint32_t i = 0; i < scene.plan.resources; ++i) {
      const auto plan = std::make_shared<const LockPlan>(servers, options_of(scene.plan, {id, i}));
      seats_.push_back({Resource(resource_name(i)), plan, LockManager(pool(), plan)});
    }
  }
  struct Seat {
    Resource resource;
    std::shared_ptr<const LockPlan> plan;
    LockManager locks;
  };

  // Another time-out may mean other connections, and a release belongs behind its take.
  [[nodiscard]] LockManager& holder(std::uint32_t resource) {
    return resource == 0 && probes_ ? probe_ : seats_[resource].locks;
  }
  OperationId start_take(std::uint32_t resource, bool probe) override {
    if (resource == 0) probes_ = probe;
    const Course& course = behaviour().course(resource);
    const Resource& name = seats_[resource].resource;
    const Duration ttl = Duration::ms(probe ? kTtlMaxMs : course.ttl_ms);
    LockManager& locks = holder(resource);
    const bool waits = course.wait_ms >= 0;
    if (probe || (!waits && !course.fence)) return locks.begin_lock(name, ttl);
    const OnMachine here(machine_clock());
    LockExtras extras;
    extras.fence = course.fence;
    if (!waits) return locks.begin_lock(name, ttl, locks.plan()->options.retry, extras);
    if (scene_.plan.client_name) extras.owner = "sim " + std::to_string(id_);
    return locks.begin_wait(name, ttl, Duration::ms(course.wait_ms), course.pause_ms, extras);
  }
  std::optional<OperationId> start_release(std::uint32_t resource) override {
    return holder(resource).begin_unlock(seats_[resource].resource, Token(value(resource)));
  }
  std::optional<OperationId> start_extend(std::uint32_t resource) override {
    const Course& course = behaviour().course(resource);
    const std::int64_t ttl_ms = course.extend_ttl_ms == 0 ? course.ttl_ms : course.extend_ttl_ms;
    return holder(resource).begin_extend(seats_[resource].resource, Token(value(resource)),
                                         Duration::ms(ttl_ms));
  }
  std::optional<LeaseRotation> prepare_shorten(
      std::uint32_t resource, const std::shared_ptr<LeaseDeadline>& lease_deadline) override {
    const Duration ttl = Duration::ms(behaviour().course(resource).shorten_ttl_ms);
    return LeaseRotation(holder(resource), seats_[resource].resource, Token(value(resource)), ttl,
                         lease_deadline);
  }
  std::optional<OperationId> start_check(std::uint32_t resource) override {
    return holder(resource).begin_check(seats_[resource].resource, Token(value(resource)));
  }
  std::optional<OperationId> start_stray(std::string token, bool releases) override {
    auto& [resource, plan, locks] = seats_.front();
    return releases ? locks.begin_unlock(resource, Token(std::move(token)))
                    : locks.begin_check(resource, Token(std::move(token)));
  }
  void leave_take(std::uint32_t resource, OperationId id) override {
    (void)holder(resource).collect_lock(id, seats_[resource].resource, Caller::left);
  }
  [[nodiscard]] std::shared_ptr<const LockPlan> plan_of(std::uint32_t resource) const override {
    return seats_[resource].plan;
  }

  std::deque<Seat> seats_;  // by resource
  LockManager probe_;
  bool probes_ = false;
};

class StampClient final : public NativeClient {
 public:
  StampClient(Scene& scene, std::uint32_t id, std::uint64_t seed)
      : NativeClient(scene, id, seed),
        probe_(pool(), ledger_, server_spec(scene.plan, 0), options_of(id, kProbeTimeoutMs)) {
    for (std::uint32_t i = 0; i < scene.plan.resources; ++i) {
      const Contender party(id, i);
      seats_.push_back({Resource(resource_name(i)),
                        StampLockManager(pool(), ledger_, server_spec(scene.plan, 0),
                                         options_of(party, scene.plan.timeout_of(party))),
                        0, 0});
    }
  }

 private:
  struct Seat {
    Resource key;
    StampLockManager locks;
    StampLedger::Serial released;
    StampLedger::Serial checked;
  };

  [[nodiscard]] StampOptions options_of(Contender party, std::int64_t timeout_ms) const {
    const Plan& plan = scene_.plan;
    StampOptions options;
    options.unit = plan.stamps_in_seconds ? StampUnit::seconds : StampUnit::milliseconds;
    options.mixed_fleet = plan.mixed_fleet;
    options.drift_factor = plan.drift_factor_of(party);
    options.timeout = Duration::ms(timeout_ms);
    options.connect_timeout = options.timeout;
    if (plan.client_name) options.client_name = "sim";
    return options;
  }
  [[nodiscard]] StampLockManager& holder(std::uint32_t resource) {
    return resource == 0 && probes_ ? probe_ : seats_[resource].locks;
  }
  OperationId start_take(std::uint32_t resource, bool probe) override {
    if (resource == 0) probes_ = probe;
    const Course& course = behaviour().course(resource);
    const auto [attempts, pause_ms, ttl_ms] =
        probe ? std::tuple(kProbeAttempts, kProbePauseMs, kTtlMaxMs)
              : std::tuple(course.attempts, course.pause_ms, course.ttl_ms);
    const auto retry = RetryPolicy::exact(attempts, Duration::ms(pause_ms));
    return holder(resource).begin_lock(seats_[resource].key, Duration::ms(ttl_ms),
                                       Duration::ms(scene_.plan.buffer_ms), retry);
  }
  std::optional<OperationId> start_release(std::uint32_t resource) override {
    Seat& seat = seats_[resource];
    seat.released = holder(resource).entry_of(seat.key);
    return holder(resource).begin_release(seat.key, Duration::ms(scene_.plan.buffer_ms));
  }
  std::optional<OperationId> start_check(std::uint32_t resource) override {
    seats_[resource].checked = holder(resource).entry_of(seats_[resource].key);
    return holder(resource).begin_check(seats_[resource].key);
  }
  Outcome collect_check(std::uint32_t resource, OperationId id) override {
    return holder(resource).collect_check(id, seats_[resource].key, seats_[resource].checked);
  }
  void note_taken(std::uint32_t resource, const Outcome& outcome) override {
    const Resource& key = seats_[resource].key;
    if (holder(resource).note_taken(key, outcome)) return;
    (void)pool().collect(holder(resource).begin_give_back(key, outcome));
  }
  void note_released(std::uint32_t resource) override {
    holder(resource).note_released(seats_[resource].key, seats_[resource].released);
  }
  void note_request_end() override { ledger_.clear(); }
  void leave_take(std::uint32_t resource, OperationId id) override {
    (void)holder(resource).collect_lock(id, seats_[resource].key, Caller::left);
  }
  bool remembers_parent() override {
    return ledger_.find("", seats_.front().key) != nullptr || ledger_.size() > 0;
  }

  StampLedger ledger_;
  std::deque<Seat> seats_;  // by resource
  StampLockManager probe_;
  bool probes_ = false;
};

}  // namespace

std::unique_ptr<Client> make_native_client(Scene& scene, std::uint32_t id, std::uint64_t seed) {
  if (scene.plan.kind == LockKind::quorum) return std::make_unique<QuorumClient>(scene, id, seed);
  return std::make_unique<StampClient>(scene, id, seed);
}

}  // namespace redlock::sim
