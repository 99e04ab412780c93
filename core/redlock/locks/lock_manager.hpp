// The quorum lock over N independent servers, as PHP and C++ users call it.
//
// Every verb comes as begin_x(), which starts an operation on the pool, and the caller either
// lets Pool::run() finish it or steps the pool itself, to live between the steps.
// Not thread-safe; the pool must outlive the manager.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redlock/algorithm/quorum_query.hpp"
#include "redlock/algorithm/retry.hpp"
#include "redlock/algorithm/round.hpp"
#include "redlock/locks/lock_plan.hpp"
#include "redlock/net/pool.hpp"

namespace redlock {

// Whether the one who began a call is still there to be given what it won.
enum class Caller { waits, left };

class LockManager {
 public:
  LockManager(Pool& pool, std::shared_ptr<const LockPlan> plan);
  // For a plan that nobody else needs. Throws what making it throws.
  LockManager(Pool& pool, const std::vector<ServerSpec>& servers, LockOptions options)
      : LockManager(pool, std::make_shared<const LockPlan>(servers, std::move(options))) {}

  // Throw ArgumentError for a resource or token past its bound and for a ttl that is not
  // positive, above kTtlMax, or too small to leave any validity after drift.
  [[nodiscard]] OperationId begin_lock(const Resources& resources, Duration ttl) {
    return begin_lock(resources, ttl, plan_->options.retry);
  }
  // With attempts of its own instead of the plan's.
  [[nodiscard]] OperationId begin_lock(const Resources& resources, Duration ttl,
                                       const RetryPolicy& retry, const LockExtras& extras = {});
  // Takes the lock by waiting in line for as long as `wait`: nobody polls, it is handed over. Where
  // servers do not let us listen to them, attempts are made instead, with pauses around
  // `retry_delay_ms`. Also throws for a wait or a pause out of its range.
  [[nodiscard]] OperationId begin_wait(const Resources& resources, Duration ttl, Duration wait,
                                       std::int64_t retry_delay_ms, const LockExtras& extras = {});
  [[nodiscard]] OperationId begin_extend(const Resources& resources, const Token& token,
                                         Duration ttl, LossDetail detail = LossDetail::reason);
  // Sets the lock's key again on those of `extended`'s nodes that denied the extend, where there is
  // none. Nothing where none did, or the extend was not granted. It is never undone: begin_unlock()
  // removes it with the lock.
  [[nodiscard]] std::optional<OperationId> begin_repair(const Resources& resources,
                                                        const Token& token, Duration ttl,
                                                        const Outcome& extended,
                                                        LockMode mode = LockMode::exclusive);
  // Makes the shared lock that `held` proves an exclusive one, under a fresh token, where nobody
  // else shares it; one attempt. Granted: the outcome's token is that, and `held` is to be given
  // back. Denied: others share it, or it is not ours; is_lost_promotion() tells which. Whatever is
  // not granted is undone, and the shared lock is what it was. collect_lock() fetches the outcome.
  [[nodiscard]] OperationId begin_promotion(const Resources& resources, const Token& held,
                                            Duration ttl, const LockExtras& extras = {});
  // Lets others share what is held exclusively. The token stays what it is and proves a shared lock
  // from now on, whatever comes of this: where a server is silent, nobody joins it there yet.
  // Granted: a majority of servers lets others in.
  [[nodiscard]] OperationId begin_demotion(const Resources& resources, const Token& token);
  // What is being asked about this lock at the moment will not be granted.
  [[nodiscard]] OperationId begin_unlock(const Resources& resources, const Token& token,
                                         LossDetail detail = LossDetail::none);
  [[nodiscard]] OperationId begin_check(const Resources& resources, const Token& token);
  // What stands there, by each server: seen_by_majority() and seen_by() read its outcome.
  [[nodiscard]] OperationId begin_inspect(const Resources& resources);
  // What refuses a lock again and again may be none: asks whether a majority holds a key there that
  // never expires, which is granted then. Nothing where `refused`, the outcome of a begin_lock, was
  // not denied, or came of a single attempt: who makes only one is in a hurry, and not told.
  [[nodiscard]] std::optional<OperationId> begin_look_after(const Resources& resources,
                                                            const Outcome& refused);

  // What was begun, as it is by now: signal handlers may have run since it was decided. The
  // validity counts from now; where nothing is left of it, or nobody waits for the lock, it is
  // `expired_unclaimed`, and a lock is given back. They throw what Pool::collect() throws.
  Outcome collect_lock(OperationId id, const Resources& resources, Caller caller);
  Outcome collect_extension(OperationId id);

  // For operations of others, such as LeaseRotation: one about the lock that has this token. Once
  // that is given up it will not be granted.
  [[nodiscard]] OperationId begin(std::unique_ptr<Operation> operation, const Token& token) {
    return pool_.begin(std::move(operation), nodes_, token);
  }
  // Sends what gives it back.
  void forget(const Resources& resources, const Token& token) noexcept;

  // The servers that erred in an outcome of this manager, and those that were the reason to wait
  // outside of their lines; see ServerPlan.
  [[nodiscard]] std::vector<ServerTrouble> troubles(const Outcome& outcome) const {
    return plan_->servers.troubles(outcome, nodes_);
  }
  [[nodiscard]] std::vector<ServerTrouble> line_troubles(const Outcome& outcome) const {
    return plan_->servers.line_troubles(outcome, nodes_);
  }
  // So many bytes, of whatever was asked of it, one of the servers may not have read yet.
  [[nodiscard]] std::size_t unanswered_bytes() const;
  // Is a removal owed to one of the servers that was not sent on the connection that there is?
  [[nodiscard]] bool owes_removals() const;
  // Puts them on their way, and waits no longer than that.
  void deliver_removals(Duration at_most) { pool_.deliver(nodes_, at_most); }
  // The least that a server may take.
  [[nodiscard]] Duration shortest_answer_time() const {
    return std::ranges::min(*plan_->servers.answer_times());
  }
  // The longest that a server may take.
  [[nodiscard]] Duration answer_time() const {
    return std::ranges::max(*plan_->servers.answer_times());
  }
  [[nodiscard]] Pool& pool() { return pool_; }
  [[nodiscard]] const std::shared_ptr<const LockPlan>& plan() const { return plan_; }
  // How often lock() of the plan's attempts asks at most.
  [[nodiscard]] std::uint64_t attempts_max() const { return plan_->options.retry.attempts_max; }

 private:
  [[nodiscard]] OperationId begin(std::unique_ptr<Operation> operation);
  // Asks each server once.
  [[nodiscard]] std::unique_ptr<Operation> query(const LockKind& kind, Command command,
                                                 LossDetail detail) const;
  // `acquire`, or one of a lock and a fence around it.
  [[nodiscard]] OperationId begin_acquire(std::unique_ptr<Operation> acquire,
                                          std::shared_ptr<const LockKind> kind,
                                          const std::optional<FenceProposals>& fences);

  Pool& pool_;
  std::shared_ptr<const LockPlan> plan_;
  NodeList nodes_;
};

}  // namespace redlock
