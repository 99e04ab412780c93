// The leases that are kept alive, and the extends that keep them so.
//
// Votes that a restarted server has lost are repaired again behind an extend that a majority
// confirmed. Drives one Renewal a lease over a pool: what is due is sent, all of it pipelined; what
// is answered is told to the renewal and to the lease's owner. One lease in trouble never holds up
// another. It has no thread and reads no clock, so that the proof can run it; the renewal thread
// gives it both. Invariants: a lease has one extend under way at most; of one that was stopped
// nothing is sent and nothing told any more. One thread.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "redlock/algorithm/renewal.hpp"
#include "redlock/lease/lease_deadline.hpp"
#include "redlock/locks/lock_manager.hpp"
#include "redlock/net/completions.hpp"
#include "redlock/os/process.hpp"
#include "redlock/wire/session.hpp"

namespace redlock {

// Of one plan: half of what a connection has room for. What is due waits for answers behind so
// many.
inline constexpr std::size_t kExtendsUnderWayMax = kAwaitedBesidesRemovalsMax / 2;
// Until it is looked again whether there is room.
inline constexpr Duration kCrowdedPause = Duration::ms(5);
// So many travel together: with the longest names they are what a connection takes at once.
inline constexpr std::size_t kBatchMax = kQueuedBytesMax / (kResourceBytesMax + kTokenBytesMax);
// What finds no room waits for the next extend.
inline constexpr std::size_t kRepairsMax = kExtendsUnderWayMax / 2;

// Is told of the loss of a lease that is kept, by the thread that keeps it.
class LossListener {
 public:
  virtual ~LossListener() = default;
  virtual void lost() noexcept = 0;
};

struct KeptLease {
  std::shared_ptr<const LockPlan> plan;
  Resources resources;
  Token token;
  RenewalTerms terms;
  Instant taken_at;     // before the first byte of the take left
  Instant valid_until;  // by the outcome of the take
  std::shared_ptr<LeaseDeadline> lease_deadline;
  std::shared_ptr<LossListener> listener;  // may be null
  LockMode mode = LockMode::exclusive;     // in which lost votes are repaired
};

class RenewalScheduler {
 public:
  // The pool must outlive it.
  explicit RenewalScheduler(Pool& pool);
  RenewalScheduler(const RenewalScheduler&) = delete;
  RenewalScheduler& operator=(const RenewalScheduler&) = delete;
  ~RenewalScheduler();

  // A lease is known by its deadline. Throws std::bad_alloc, and what the entropy throws: then it
  // is not kept, or kept as before, and can be tried again. One that is kept already is kept by
  // these terms from now on.
  void keep(const KeptLease& lease);
  // It is kept no more. What was repaired is removed where the deadline says that it is released,
  // now or before the answer has come. One that is not kept is no mistake.
  void stop(const LeaseDeadline& lease_deadline) noexcept;
  // Lets go of all of them.
  void clear() noexcept;

  // Takes the answers that are there, tells of losses, and sends what is due.
  void drive(Instant now);
  // When there is something to do though no answer comes; nothing while there is not.
  [[nodiscard]] std::optional<Instant> next_event() const;
  [[nodiscard]] std::size_t size() const { return leases_.size(); }

 private:
  // A plan, bound to the pool.
  struct Bound {
    Bound(Pool& pool, const std::shared_ptr<const LockPlan>& plan) : locks(pool, plan) {}
    LockManager locks;
    std::size_t asking = 0;  // its extends under way
  };
  struct Lease {
    KeptLease kept;
    std::shared_ptr<Bound> bound;
    Renewal renewal;
    std::uint64_t number;    // in the order of keep()
    Instant due;             // as it stands in line_
    OperationId asking = 0;  // the extend under way
    Duration by{};           // what it asks for
    OperationId repairing = 0;
    bool repaired = false;  // a vote, or it may be yet: our connections may bring it there late
    bool left = false;      // only what is being repaired is still waited for
  };
  using Leases = std::map<const LeaseDeadline*, Lease>;
  // Those that are due together come in the order in which they were kept: addresses would make
  // each run of a process another one.
  using Line = std::map<std::pair<Instant, std::uint64_t>, Leases::iterator>;

  static Line::key_type place_of(const Lease& lease) { return {lease.due, lease.number}; }
  [[nodiscard]] std::shared_ptr<Bound> bind(const std::shared_ptr<const LockPlan>& plan);
  void take_answers(Instant now);
  void take_repairs() noexcept;
  void take_answer(Lease& lease, Instant now) noexcept;
  // A node that has lost its vote is given it again.
  void heal(Lease& lease, const Outcome& extended) noexcept;
  void end_repairing(Lease& lease) noexcept;
  // Of a lease that is released: its release may have been there before, on another connection.
  void remove_repaired(Lease& lease) noexcept;
  void end_asking(Lease& lease) noexcept;
  // Sends what the lease wants sent, and puts it in line anew; or tells that it is lost.
  void attend(Leases::iterator found, Instant now) noexcept;
  void put_in_line(Leases::iterator found, Instant due) noexcept;
  void begin_extend(Leases::iterator found, Duration by, Instant now) noexcept;
  void drop(Leases::iterator found) noexcept;
  // The same for one whose lock lives on, and may be released while a vote is being repaired.
  void leave(Leases::iterator found) noexcept;

  Pool& pool_;
  ForkWatch watch_;
  std::uint64_t latest_number_ = 0;
  std::map<const LockPlan*, std::weak_ptr<Bound>> bound_;
  Leases leases_;
  Line line_;                                       // by when each is due
  std::map<OperationId, Leases::iterator> asking_;  // those with an extend under way
  Completions answered_;                            // of these
  std::vector<const LeaseDeadline*> repairing_;     // those with votes being repaired
};

}  // namespace redlock
