// What servers say of themselves, and a lock that is tried on each of them.
#include <algorithm>
#include <optional>
#include <utility>

#include "redlock/algorithm/holding.hpp"
#include "redlock/client/shared.hpp"
#include "redlock/locks/health_probe.hpp"
#include "redlock/os/kernel_clock.hpp"
#include "redlock/redlock.hpp"
#include "redlock/wire/objection.hpp"

namespace redlock {
inline namespace v0 {

namespace {

// Longer than all of a trial takes; should it be cut short, the key is gone by then.
constexpr Duration kTrialTtl = Duration::seconds(30);
// Somebody who can stand in line does so by then, and in a few times what the server takes.
constexpr Duration kPatience = Duration::ms(300);
// Where nobody can stand in line.
constexpr std::int64_t kPollPauseMs = 20;

// How far off a server is can be told only of one that is waited for.
constexpr Duration kExaminedFor = Duration::seconds(2);

ServerPlan patient(std::vector<ServerSpec> servers) {
  for (ServerSpec& server : servers) {
    server.timeout = std::max(*server.timeout, kExaminedFor);
    server.connect_timeout = std::max(*server.connect_timeout, kExaminedFor);
  }
  return ServerPlan(servers, {kExaminedFor, kExaminedFor}, servers.front().endpoint.client_name);
}

// A lock on one server alone, from its taking to its release.
class TrialLock {
 public:
  TrialLock(Pool& pool, std::shared_ptr<const LockPlan> plan, const Resources& resource)
      : pool_(pool), locks_(pool, std::move(plan)), resource_(resource) {}

  // Where it throws the lock is given back.
  std::vector<Trial> run() {
    try {
      try_all();
    } catch (...) {
      give_up();
      throw;
    }
    return std::move(trials_);
  }

 private:
  void try_all() {
    const Instant began = pool_.clock().now();
    Outcome taken = run_one(locks_.begin_lock(resource_, kTrialTtl));
    const Duration took = pool_.clock().now() - began;
    token_ = std::move(taken.token);
    if (!note("take", taken)) return;
    note("extend", run_one(locks_.begin_extend(resource_, token_, kTrialTtl)));
    note("inspect", run_one(locks_.begin_inspect(resource_)));
    // Somebody waits for it in line, and gets it when it is given back.
    const Duration patience = std::min(locks_.answer_time() * 4, kPatience + took * 20);
    waits_ = locks_.begin_wait(resource_, kTrialTtl, patience * 2, kPollPauseMs);
    await_waiter(*waits_, pool_.clock().now() + patience);
    note("release", run_one(locks_.begin_unlock(resource_, token_)));
    pool_.run_until_done(*waits_);
    note_wait(locks_.collect_lock(*std::exchange(waits_, std::nullopt), resource_, Caller::waits));
  }

  Outcome run_one(OperationId id) {
    runs_ = id;
    pool_.run_until_done(id);
    runs_.reset();
    return pool_.collect(id);
  }

  void give_up() noexcept {
    for (const std::optional<OperationId>& begun : {runs_, waits_}) {
      if (begun) or_later([&] { (void)locks_.collect_lock(*begun, resource_, Caller::left); });
    }
    if (token_.empty()) return;
    or_later([&] { (void)pool_.collect(locks_.begin_unlock(resource_, token_)); });
  }
  // Without memory, when its ttl is over.
  static void or_later(const auto& deed) noexcept {
    try {
      deed();
    } catch (...) {
    }
  }

  // False: it was not done.
  bool note(const char* deed, const Outcome& outcome) {
    Trial& trial = trials_.emplace_back(Trial{deed, Fault::none, {}});
    if (outcome.decision == Decision::granted) return true;
    const std::vector<ServerTrouble> troubles = locks_.troubles(outcome);
    trial.fault = troubles.empty() ? Fault::rejected : troubles.front().fault;
    trial.reason = troubles.empty() ? "the server refused" : troubles.front().reason;
    return false;
  }

  void note_wait(Outcome waited) {
    if (waited.decision == Decision::granted) {
      token_ = std::move(waited.token);
      (void)run_one(locks_.begin_unlock(resource_, token_));
    }
    Trial& trial = trials_.emplace_back(Trial{"wait", Fault::none, {}});
    if (waited.handed_over) return;
    std::vector<ServerTrouble> troubles = locks_.line_troubles(waited);
    if (troubles.empty()) troubles = locks_.troubles(waited);
    trial.fault = troubles.empty() ? Fault::timeout : troubles.front().fault;
    trial.reason = troubles.empty() ? "the lock was not handed over" : troubles.front().reason;
  }

  void await_waiter(OperationId waits, Instant until) {
    while (!pool_.done(waits) && pool_.clock().now() < until) {
      const Outcome seen = run_one(locks_.begin_inspect(resource_));
      if (seen_by_majority(seen).waiters.value_or(0) > 0) return;
      (void)pool_.step(std::min(until, pool_.clock().now() + Duration::ms(1)));
    }
  }

  Pool& pool_;
  LockManager locks_;
  Resources resource_;
  Token token_;                       // of the lock that is tried
  std::optional<OperationId> runs_;   // being asked
  std::optional<OperationId> waits_;  // the one in line
  std::vector<Trial> trials_;
};

// Without a word to the servers but what they have said.
std::string objection_to(const ServerReport& report, const std::vector<ServerReport>& reports,
                         Duration longest_ttl) {
  const ServerFacts& facts = report.facts;
  for (const ServerReport& first : reports) {
    if (&first == &report) break;
    const bool same = !facts.run_id.empty() && first.facts.run_id == facts.run_id;
    if (same) return same_server_as(first.server, facts.run_id).reason;
  }
  const std::optional<Objection> objection =
      redlock::objection_to(facts, Guard::all(), longest_ttl);
  return objection ? objection->reason : std::string();
}

void tell_objections(std::vector<ServerReport>& reports, Duration longest_ttl) {
  for (ServerReport& report : reports) {
    if (report.fault != Fault::none) continue;
    report.guard_objection = objection_to(report, reports, longest_ttl);
  }
}

}  // namespace

std::optional<ClockDiscipline> clock_discipline() noexcept { return kernel_clock(); }

std::vector<ServerReport> Client::examine(std::string_view prefix) {
  inner::Shared& shared = inner::alive(shared_);
  const ServerPlan& servers = shared.plan()->servers;
  SystemClock clock;
  SystemEntropy entropy;
  SocketTransport sockets(clock);
  MemoryTransport transport(sockets, clock);
  const Resource resource{std::string(prefix) +
                          "redlock-check:" + std::string(random_token(entropy).view())};
  check_resources(resource);
  const std::vector<ServerSpec> specs = servers.specs();
  std::vector<ServerReport> reports;
  for (Examined& examined : redlock::examine(patient(specs), transport, clock, entropy)) {
    reports.push_back({std::move(examined.trouble.server),
                       std::chrono::milliseconds(specs[reports.size()].timeout->count_ms()),
                       std::chrono::milliseconds(specs[reports.size()].connect_timeout->count_ms()),
                       examined.trouble.fault,
                       std::move(examined.trouble.reason),
                       std::move(examined.facts),
                       {},
                       {}});
  }
  tell_objections(reports, shared.plan()->options.longest_ttl);
  LockOptions alone = shared.plan()->options;
  alone.retry = RetryPolicy::exact(1, Duration());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (reports[i].fault != Fault::none) continue;
    auto plan = std::make_shared<const LockPlan>(std::vector{specs[i]}, alone);
    reports[i].trials = TrialLock(shared.pool(), std::move(plan), resource).run();
  }
  return reports;
}

}  // namespace v0
}  // namespace redlock
