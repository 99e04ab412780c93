// Takes, changes and releases, one call at a time for each resource. Whether it is inside, and for
// how long, its HeldLock says, after each turn.
#include "sim/sharing_client.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "redlock/lease/held_lock.hpp"
#include "sim/client_options.hpp"
#include "sim/world_time.hpp"

namespace redlock::sim {

namespace {

constexpr std::int64_t kRestMaxNs = 10 * kMs;

class SharingClient final : public Client {
 public:
  SharingClient(Scene& scene, std::uint32_t id, std::uint64_t seed);
  ~SharingClient() override;

  [[nodiscard]] bool idle(std::uint32_t resource) const override {
    return seats_[resource].phase == Phase::resting;
  }
  [[nodiscard]] bool finished() const override;
  bool begin_probe() override;

 private:
  enum class Phase { resting, taking, inside, extending, promoting, demoting, releasing };
  // Its life with one resource.
  struct Seat {
    Seat(SharingClient& client, std::uint32_t which, const LockOptions& options,
         bool for_probe = false);

    const std::uint32_t resource;
    const Resources name;
    LockManager locks;
    ReleaseOutbox outbox;
    std::unique_ptr<HeldLock> lock;  // from before it is asked for
    Phase phase = Phase::resting;
    std::optional<OperationId> call;
    std::uint32_t cycles_left = 0;
    std::uint32_t changes_left = 0;
    std::int64_t act_at_ns = 0;  // true time, as the next
    std::int64_t leave_at_ns = 0;
    Duration asked_ttl;  // of the extend under way
    bool probing;
  };

  void act() override;
  std::int64_t next_turn_ns() override;
  [[nodiscard]] bool calling() const override {
    return std::ranges::any_of(seats_, [](const Seat& seat) { return seat.call.has_value(); });
  }
  void on_death() override;
  void give_up_call() override;
  void become_child() override { child_ = true; }
  void start_over();

  void start(Seat& seat, Phase phase, OperationId call) {
    seat.phase = phase;
    seat.call = call;
  }
  void act_alone(Seat& seat);
  void take(Seat& seat);
  void change(Seat& seat);
  void leave(Seat& seat);
  void finish(Seat& seat, Caller caller);
  void finish_take(Seat& seat, OperationId call, Caller caller);
  void finish_extend(Seat& seat, OperationId call);
  void rest(Seat& seat);
  void tell(Seat& seat);
  [[nodiscard]] std::int64_t end_of(const Seat& seat) const {
    return clock_.when(seat.lock->deadline().until().since_epoch_ns());
  }

  HostClock client_clock_;
  SimEntropy entropy_;
  std::optional<Pool> pool_;
  AsyncReleases releases_;
  RenewalThread renewal_;   // of which nothing is asked
  std::deque<Seat> seats_;  // by resource
  bool child_ = false;      // of a fork, and has not noticed it yet
};

// Of the final attempt all that anybody may take.
Resources resources_of(const Plan& plan, Contender party, bool probing) {
  const std::uint32_t names = plan.names_of(party);
  std::vector<Resource> all;
  for (std::uint32_t i = 0; i < kNamesMax; ++i) {
    if ((names >> i & 1U) != 0 || (probing && plan.sets)) all.emplace_back(resource_name(i));
  }
  return Resources(std::move(all));
}

SharingClient::Seat::Seat(SharingClient& client, std::uint32_t which, const LockOptions& options,
                          bool for_probe)
    : resource(which),
      name(resources_of(client.scene_.plan, {client.id_, which}, for_probe)),
      locks(*client.pool_, servers_of(client.scene_.plan), options),
      outbox(locks, client.releases_),
      probing(for_probe) {}

SharingClient::SharingClient(Scene& scene, std::uint32_t id, std::uint64_t seed)
    : Client(scene, id, seed),
      client_clock_(clock_, wall_step_ns_, time_),
      entropy_(mix64(seed + 1)),
      pool_(std::in_place, transport_, client_clock_, entropy_) {
  if (scene.plan.has(FaultClass::forgetful_network)) {
    pool_->set_idle_limit(Duration::ms(kIdleLimitMs));
  }
  wall_step_ns_ = kWallStartNs + behaviour().clock_skew_ns - client_clock_.steady_ns();
  const InProcess process(mark_);
  for (std::uint32_t i = 0; i < scene.plan.resources; ++i) {
    Seat& seat = seats_.emplace_back(*this, i, options_of(scene.plan, {id, i}));
    seat.cycles_left = behaviour().course(i).cycles;
    seat.act_at_ns = behaviour().course(i).start_ns;
    schedule(seat.act_at_ns);
  }
}

// Its pool owes nothing any more: it is another process's.
SharingClient::~SharingClient() {
  ++mark_.fork_count;
  const InProcess process(mark_);
  transport_.vanish();
  seats_.clear();
  pool_.reset();
}

bool SharingClient::finished() const {
  return std::ranges::all_of(seats_, [](const Seat& seat) {
    return seat.phase == Phase::resting && seat.cycles_left == 0;
  });
}

bool SharingClient::begin_probe() {
  if (!alive() || !finished()) return false;
  const InProcess process(mark_);
  seats_.clear();
  Seat& seat = seats_.emplace_back(*this, 0, probe_options(scene_.plan, id_), true);
  seat.cycles_left = 1;
  seat.act_at_ns = scene_.now_ns;
  schedule(scene_.now_ns);
  return true;
}

std::int64_t SharingClient::next_turn_ns() {
  std::int64_t next_ns = kForever;
  for (const Seat& seat : seats_) {
    if (!seat.call) next_ns = std::min(next_ns, seat.act_at_ns);
    if (seat.call && pool_->done(*seat.call)) return scene_.now_ns;
  }
  if (!calling()) return next_ns;
  const std::optional<Instant> deadline = pool_->next_deadline();
  if (!deadline) return next_ns;
  deadline_ns_ = clock_.when(deadline->since_epoch_ns());
  return std::min(next_ns, deadline_ns_);
}

void SharingClient::act() {
  if (child_ && !calling()) start_over();
  if (calling()) {
    pool_->step(transport_.is_to_be_interrupted() ? Instant::never() : Instant());
    if (child_) return start_over();
  }
  for (Seat& seat : seats_) {
    if (alive() && seat.call && pool_->done(*seat.call)) finish(seat, Caller::waits);
    while (alive() && !seat.call && seat.act_at_ns <= scene_.now_ns) act_alone(seat);
    if (!alive()) return;
    tell(seat);
  }
}

void SharingClient::act_alone(Seat& seat) {
  if (seat.phase == Phase::resting) return take(seat);
  if (seat.lock->left() == Duration() || scene_.now_ns >= seat.leave_at_ns) return leave(seat);
  seat.act_at_ns = (scene_.now_ns + seat.leave_at_ns + 1) / 2;
  if (seat.changes_left == 0) {
    seat.act_at_ns = seat.leave_at_ns;
    return;
  }
  --seat.changes_left;
  change(seat);
}

void SharingClient::take(Seat& seat) {
  if (seat.cycles_left == 0) {
    seat.act_at_ns = kForever;
    return;
  }
  --seat.cycles_left;
  const Course& course = behaviour().course(seat.resource);
  const bool reads = course.reads && !seat.probing;
  const Duration ttl = Duration::ms(seat.probing ? kTtlMaxMs : course.ttl_ms);
  const LockExtras extras{.mode = reads ? LockMode::shared : LockMode::exclusive,
                          .permits = scene_.plan.permits};
  note((reads ? "asks to share the " : "asks for the ") + resource_name(seat.resource));
  const LeaseContext context{seat.locks, seat.outbox, renewal_};
  seat.lock = std::make_unique<HeldLock>(context, seat.name, ttl, extras.mode);
  const OnMachine here(client_clock_);
  if (seat.probing || course.wait_ms < 0) {
    return start(seat, Phase::taking,
                 seat.locks.begin_lock(seat.name, ttl, seat.locks.plan()->options.retry, extras));
  }
  start(
      seat, Phase::taking,
      seat.locks.begin_wait(seat.name, ttl, Duration::ms(course.wait_ms), course.pause_ms, extras));
}

// An exclusive lock is demoted and a shared one promoted, or either is extended.
void SharingClient::change(Seat& seat) {
  HeldLock& lock = *seat.lock;
  if (scene_.plan.shared && random_.chance(2, 3)) {
    if (lock.mode() == LockMode::exclusive) {
      note("lets others in");
      return start(seat, Phase::demoting, lock.begin_demotion());
    }
    note("wants to be alone");
    lock.prepare_promotion(lock.ttl(), false);
    return start(seat, Phase::promoting, lock.begin_promotion());
  }
  const Course& course = behaviour().course(seat.resource);
  seat.asked_ttl = course.extend_ttl_ms == 0 ? lock.ttl() : Duration::ms(course.extend_ttl_ms);
  lock.note_told(seat.asked_ttl);
  start(seat, Phase::extending,
        seat.locks.begin_extend(lock.resources(), lock.token(), seat.asked_ttl));
}

// Whoever does not release stays until its time is over.
void SharingClient::leave(Seat& seat) {
  const bool releases = behaviour().course(seat.resource).releases;
  if (!releases) {
    if (seat.lock->left() == Duration()) return rest(seat);
    seat.leave_at_ns = seat.act_at_ns = std::max(end_of(seat), scene_.now_ns + 1);
    return;
  }
  note("releases the " + resource_name(seat.resource));
  seat.lock->end(HeldLock::End::released);
  start(seat, Phase::releasing,
        seat.locks.begin_unlock(seat.lock->resources(), seat.lock->token()));
}

void SharingClient::finish(Seat& seat, Caller caller) {
  const OperationId call = *std::exchange(seat.call, std::nullopt);
  const Phase phase = std::exchange(seat.phase, Phase::inside);
  deadline_ns_ = 0;
  switch (phase) {
    case Phase::taking:
      return finish_take(seat, call, caller);
    case Phase::extending:
      return finish_extend(seat, call);
    case Phase::promoting:
      if (seat.lock->collect_promotion(call).decision != Decision::granted) return;
      ++scene_.trace.several().promoted;
      return note("is alone");
    case Phase::demoting:
      scene_.trace.several().demoted +=
          seat.lock->collect_demotion(call).decision == Decision::granted ? 1 : 0;
      return;
    default:
      break;
  }
  (void)pool_->collect(call);
  rest(seat);
  if (exits_) exit();
}

void SharingClient::finish_take(Seat& seat, OperationId call, Caller caller) {
  Outcome outcome = seat.locks.collect_lock(call, seat.name, caller);
  const bool granted = outcome.decision == Decision::granted && caller == Caller::waits;
  scene_.trace.fold(static_cast<std::uint64_t>(outcome.decision),
                    static_cast<std::uint64_t>(outcome.decided_at.since_epoch_ns()));
  if (seat.probing && !granted) {
    scene_.checker.report(
        ViolationKind::nobody_acquires,
        "client " + std::to_string(id_) + " cannot take a free lock though all faults are over");
  }
  if (!granted) {
    note("is not given the " + resource_name(seat.resource));
    return rest(seat);
  }
  const Course& course = behaviour().course(seat.resource);
  seat.lock->begin(std::move(outcome.token), outcome.decided_at + outcome.validity, outcome.fence,
                   std::move(outcome.slot));
  std::string inside = "is inside";
  for (const Resource& one : seat.lock->resources().all()) {
    (inside += " the ") += one.view();
  }
  note(inside);
  begin_hold_story(seat.resource, end_of(seat));
  seat.changes_left = seat.probing ? 0 : course.changes;
  seat.leave_at_ns = scene_.now_ns + course.hold_ms * kMs;
  seat.act_at_ns = (scene_.now_ns + seat.leave_at_ns) / 2;
}

void SharingClient::finish_extend(Seat& seat, OperationId call) {
  const Outcome outcome = seat.locks.collect_extension(call);
  if (outcome.decision != Decision::granted) return (void)seat.lock->note_denial(outcome);
  if (!seat.lock->prolong(outcome.decided_at + outcome.validity)) return;
  seat.lock->set_ttl(seat.asked_ttl);
  note("is given more time");
}

void SharingClient::rest(Seat& seat) {
  seat.phase = Phase::resting;
  seat.lock.reset();
  seat.probing = false;
  ++rests_[seat.resource];
  seat.act_at_ns = scene_.now_ns + random_.between(0, kRestMaxNs);
}

// To the checker: it believes what the lock itself says.
void SharingClient::tell(Seat& seat) {
  const Contender party(id_, seat.resource);
  const bool inside =
      seat.lock && seat.lock->begun() && !seat.lock->ended() && seat.lock->left() > Duration();
  if (!inside) {
    end_hold_story(seat.resource);
    return scene_.checker.given_up(party);
  }
  const bool alone = seat.lock->mode() == LockMode::exclusive && scene_.plan.permits == 0;
  const std::uint32_t others = scene_.checker.inside(party, alone, end_of(seat));
  scene_.trace.several().inside_together += others > 0 ? 1 : 0;
}

void SharingClient::give_up_call() {
  note("gives its call up");
  for (Seat& seat : seats_) {
    if (!seat.call) continue;
    finish(seat, Caller::left);
    if (alive()) tell(seat);
    return;
  }
}

void SharingClient::on_death() {
  seats_.clear();
  pool_.reset();
}

// Nothing of what the parent began or held is the child's.
void SharingClient::start_over() {
  child_ = false;
  for (Seat& seat : seats_) {
    if (seat.call) (void)pool_->collect(*std::exchange(seat.call, std::nullopt));
    rest(seat);
    tell(seat);
  }
}

}  // namespace

std::unique_ptr<Client> make_sharing_client(Scene& scene, std::uint32_t id, std::uint64_t seed) {
  return std::make_unique<SharingClient>(scene, id, seed);
}

}  // namespace redlock::sim
