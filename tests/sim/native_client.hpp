// A client that runs the production code: Pool, managers and machines, on simulated streams.
//
// It lives through cycles of lock, work, maybe extend or check, and release, as its plan says.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "redlock/runtime/lock_manager.hpp"
#include "redlock/runtime/pool.hpp"
#include "redlock/runtime/stamp_lock_manager.hpp"
#include "sim/client.hpp"

namespace redlock::sim {

class NativeClient : public Client {
 public:
  NativeClient(Scene& scene, std::uint32_t id, std::uint64_t seed);
  // Its pool has nobody any more to hand removals to.
  ~NativeClient() override {
    const InProcess process(mark_);
    transport_.vanish();
    pool_.reset();
  }

  [[nodiscard]] bool idle() const override { return phase_ == Phase::resting; }
  [[nodiscard]] bool finished() const override { return idle() && cycles_left_ == 0; }
  bool begin_probe() override;

 protected:
  // How one kind of lock does it. Nothing: there is nothing to ask for.
  virtual OperationId start_take(bool probe) = 0;
  virtual std::optional<OperationId> start_release() = 0;
  virtual std::optional<OperationId> start_extend() { return std::nullopt; }
  virtual std::optional<OperationId> start_check() = 0;
  virtual void note_taken(const Outcome& /*outcome*/) {}
  virtual void note_released() {}
  virtual void note_request_end() {}
  // What a caller that has left takes back.
  virtual void leave_take(OperationId id) = 0;
  // Is anything of the parent's known here?
  [[nodiscard]] virtual bool remembers_parent() { return false; }

  [[nodiscard]] Pool& pool() { return *pool_; }
  [[nodiscard]] const std::string& value() const { return value_; }

 private:
  enum class Phase { resting, taking, working, extending, checking, releasing };

  void act() override;
  std::int64_t next_turn_ns() override;
  void on_death() override { pool_.reset(); }
  void give_up_call() override;
  void end_request() override;
  bool may_end_request() const override { return phase_ == Phase::resting || calling(); }
  void become_child() override { child_ = true; }
  // Nothing of what the parent began or held is the child's.
  void start_over();

  [[nodiscard]] bool calling() const override { return operation_.has_value(); }
  void start(Phase phase, std::optional<OperationId> operation);
  void finish_call();
  void finish_take(const Outcome& outcome);
  void finish_extend(const Outcome& outcome);
  void finish_release(const Outcome& outcome);
  void act_alone();
  void end_work();
  void rest();
  void schedule_undo_check();
  [[nodiscard]] std::int64_t take_budget_ns() const;
  [[nodiscard]] std::int64_t timeout_ns() const;
  [[nodiscard]] std::int64_t true_deadline(const Outcome& outcome) const;

  HostClock client_clock_;
  SimEntropy entropy_;
  std::optional<Pool> pool_;
  std::optional<OperationId> operation_;
  Phase phase_ = Phase::resting;
  bool probing_ = false;
  bool child_ = false;  // of a fork, and has not noticed it yet
  std::uint32_t cycles_left_;
  std::int64_t act_at_ns_;          // when the application does its next thing, true time
  std::int64_t lease_end_ns_ = 0;   // true time
  std::int64_t work_until_ns_ = 0;  // true time
  std::uint32_t extends_left_ = 0;
  bool checks_left_ = false;
  std::uint32_t releases_left_ = 0;
  bool overstaying_ = false;
  std::string value_;
};

// RedLock on all servers, or PidLock on the first.
[[nodiscard]] std::unique_ptr<Client> make_native_client(Scene& scene, std::uint32_t id,
                                                         std::uint64_t seed);

}  // namespace redlock::sim
