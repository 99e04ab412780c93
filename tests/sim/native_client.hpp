// A client that runs the production code: Pool, managers and machines, on simulated streams.
//
// It lives through cycles of lock, work, maybe extend or check, and release, as its plan says; with
// several resources it does so with each, all on one pool and side by side.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redlock/lease/lease_rotation.hpp"
#include "redlock/locks/lock_manager.hpp"
#include "redlock/locks/stamp_lock_manager.hpp"
#include "redlock/net/pool.hpp"
#include "sim/client.hpp"
#include "sim/client_options.hpp"
#include "sim/kept_leases.hpp"

namespace redlock::sim {

class NativeClient : public Client {
 public:
  NativeClient(Scene& scene, std::uint32_t id, std::uint64_t seed);
  // Its pool has nobody any more to hand removals to, and owes none: it is another process's.
  ~NativeClient() override {
    ++mark_.fork_count;
    const InProcess process(mark_);
    transport_.vanish();
    if (kept_) kept_->vanish();
    kept_.reset();
    pool_.reset();
  }

  [[nodiscard]] bool idle(std::uint32_t resource) const override {
    return lanes_[resource].phase == Phase::resting && !lanes_[resource].outer;
  }
  [[nodiscard]] bool finished() const override;
  bool begin_probe() override;

 protected:
  // How one kind of lock does it. Nothing: there is nothing to ask for.
  virtual OperationId start_take(std::uint32_t resource, bool probe) = 0;
  virtual std::optional<OperationId> start_release(std::uint32_t resource) = 0;
  virtual std::optional<OperationId> start_extend(std::uint32_t /*resource*/) {
    return std::nullopt;
  }
  // It stays with the lane until the call is over.
  [[nodiscard]] virtual std::optional<LeaseRotation> prepare_shorten(
      std::uint32_t /*resource*/, const std::shared_ptr<LeaseDeadline>& /*lease_deadline*/) {
    return std::nullopt;
  }
  virtual std::optional<OperationId> start_check(std::uint32_t resource) = 0;
  virtual Outcome collect_check(std::uint32_t /*resource*/, OperationId id) {
    return pool_->collect(id);
  }
  virtual void note_taken(std::uint32_t /*resource*/, const Outcome& /*outcome*/) {}
  virtual void note_released(std::uint32_t /*resource*/) {}
  virtual void note_request_end() {}
  // A call about a lock that was never taken.
  virtual std::optional<OperationId> start_stray(std::string /*token*/, bool /*releases*/) {
    return std::nullopt;
  }
  // What a caller that has left takes back.
  virtual void leave_take(std::uint32_t resource, OperationId id) = 0;
  // How another pool takes this lock; null: there are no leases of it.
  [[nodiscard]] virtual std::shared_ptr<const LockPlan> plan_of(std::uint32_t /*resource*/) const {
    return nullptr;
  }
  // Is anything of the parent's known here?
  [[nodiscard]] virtual bool remembers_parent() { return false; }

  [[nodiscard]] Pool& pool() { return *pool_; }
  [[nodiscard]] const HostClock& machine_clock() const { return client_clock_; }
  [[nodiscard]] const std::string& value(std::uint32_t resource) const {
    return lanes_[resource].value;
  }

 private:
  enum class Phase { resting, taking, working, extending, shortening, checking, releasing };
  // Its life with one resource.
  struct Lane {
    std::uint32_t resource = 0;
    std::uint32_t cycles_left = 0;
    std::int64_t act_at_ns = 0;  // when the application does its next thing, true time
    Phase phase = Phase::resting;
    std::optional<OperationId> operation{};
    // An extend, a check or a shortening that waits while a handler releases its lock, shortens it
    // further or passes it on.
    std::optional<OperationId> outer{};
    Phase outer_phase = Phase::resting;
    std::optional<LeaseRotation> outer_shorter{};  // of what it shortens
    bool probing = false;
    [[nodiscard]] bool calling() const { return operation || outer; }
    std::int64_t lease_end_ns = 0;   // true time
    std::int64_t work_until_ns = 0;  // true time
    std::uint32_t extends_left = 0;
    bool shorten_left = false;
    bool checks_left = false;
    std::uint32_t releases_left = 0;
    bool overstaying = false;
    std::string value{};
    // Of a lease that is kept alive, by the client's clock: for how long its owner allows it, and
    // until when its owner extended it.
    std::shared_ptr<LeaseDeadline> lease_deadline{};
    Instant kept_until{};
    Instant extended_until{};
    // Until when it is trusted, by the client's clock.
    Instant valid_until{};
    // The shortening that is under way, and whether it has lost the lock already.
    std::optional<LeaseRotation> shorter{};
    bool shorter_lost = false;
    void forget_calls() {
      operation.reset();
      outer.reset();
      shorter.reset();
      outer_shorter.reset();
    }
  };

  void act() override;
  std::int64_t next_turn_ns() override;
  void on_death() override;
  void give_up_call() override;
  void end_request() override;
  bool may_end_request() const override;
  void become_child() override;
  void begin_crowd() override;
  void finish_crowd();
  void leave_won();
  void take_shortened();
  // Is there anything to wait for?
  [[nodiscard]] bool waits() const { return calling() || !crowd_.empty(); }
  // Nothing of what the parent began or held is the child's.
  void start_over();

  [[nodiscard]] bool calling() const override;
  [[nodiscard]] Contender party(const Lane& lane) const { return {id_, lane.resource}; }
  std::array<std::uint32_t, kResourcesMax> draw_order();
  void start(Lane& lane, Phase phase, std::optional<OperationId> operation);
  void finish_calls(const std::array<std::uint32_t, kResourcesMax>& order);
  // A signal handler runs while a call waits. What it calls is over before that goes on.
  void maybe_enter();
  bool enter(Lane& lane);
  void leave_handler();
  [[nodiscard]] bool waits_for_handler(const Lane& lane) const {
    return entered_ && *entered_ != lane.resource;
  }
  [[nodiscard]] bool waits_in_line(const Lane& lane) const {
    return behaviour().course(lane.resource).wait_ms >= 0 && !lane.probing;
  }
  void finish_call(Lane& lane);
  void finish_outer(Lane& lane);
  void finish_take(Lane& lane, const Outcome& outcome);
  void finish_extend(Lane& lane, const Outcome& outcome);
  void finish_release(Lane& lane, const Outcome& outcome);
  void count_extend(const Lane& lane);
  // False: there is nothing to shorten.
  bool begin_shorten(Lane& lane);
  void finish_shorten(Lane& lane, const Outcome& outcome);
  // The shortening has lost the lock: nobody believes in it from that moment on.
  void look_at_shorter(Lane& lane);
  void end_shorter(Lane& lane);
  void end_outer_shorter(Lane& lane);
  // By a handler, while it is being shortened.
  void shorten_further(Lane& lane);
  void pass_on(Lane& lane);
  void act_alone(Lane& lane);
  // The leases that are kept alive beside all that.
  void begin_renewal(Lane& lane, const Outcome& outcome);
  void end_renewal(Lane& lane);
  void keep_on();
  void look_at_deadline(Lane& lane);
  void begin_work(Lane& lane);
  void end_work(Lane& lane);
  void rest(Lane& lane);
  void look_at_connections();
  void schedule_undo_check(const Lane& lane);
  [[nodiscard]] std::int64_t take_budget_ns(const Lane& lane) const;
  // Once for connecting, and once for an answer.
  [[nodiscard]] std::int64_t timeout_ns(const Lane& lane) const;
  [[nodiscard]] std::int64_t true_deadline(const Outcome& outcome) const;

  HostClock client_clock_;
  SimEntropy entropy_;
  std::optional<Pool> pool_;
  std::optional<KeptLeases> kept_;
  std::vector<Lane> lanes_;  // by resource
  std::vector<OperationId> crowd_;
  std::uint32_t entries_left_;
  std::optional<std::uint32_t> entered_;  // the resource about which a handler calls
  std::int64_t entered_ns_ = 0;
  bool child_ = false;  // of a fork, and has not noticed it yet
};

// RedLock on all servers, or PidLock on the first.
[[nodiscard]] std::unique_ptr<Client> make_native_client(Scene& scene, std::uint32_t id,
                                                         std::uint64_t seed);

}  // namespace redlock::sim
