// Looking up, running and auditing.
#include "exhaustive/machine_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "exhaustive/machine_run.hpp"
#include "redlock/algorithm/validity.hpp"

namespace redlock::exhaustive {

namespace {

// Unlike each other on purpose: behaviour must not depend on when a machine was started.
constexpr std::int64_t kEpochNs = 1'000'000'000'000;
constexpr std::int64_t kOtherEpochNs = 7'654'321'098'765;
constexpr int kAuditWalks = 4;
constexpr int kAuditSteps = 14;

std::size_t code_of(const Input& input) {
  if (input.kind < InputKind::reply) return static_cast<std::size_t>(input.kind);
  const int what = input.kind == InputKind::delay       ? kHeardKinds + 1 + input.ticks
                   : input.kind == InputKind::suspicion ? kHeardKinds
                                                        : static_cast<int>(input.heard);
  const int index = (input.node * kAttemptsMax + input.attempt - 1) * kTidings + what;
  return static_cast<std::size_t>(2 + index);
}

Input random_input(std::uint64_t& seed, const Settings& settings) {
  seed = seed * 6364136223846793005U + 1442695040888963407U;
  const auto draw = static_cast<unsigned>(seed >> 33U);
  Input input;
  if (draw % 4 == 0) return input;
  if (draw % 4 == 1) return {InputKind::on_time, 0, 0, Heard::granted};
  const unsigned kind = draw / 512 % 8;
  input.kind = kind == 0 ? InputKind::suspicion : InputKind::reply;
  if (kind == 1) {
    input.kind = InputKind::delay;
    input.ticks = byte(draw / 4096 % static_cast<unsigned>(2 * settings.answer + 1));
  }
  input.node = byte((draw / 4) % static_cast<unsigned>(settings.servers));
  input.attempt = byte(1 + (draw / 16) % static_cast<unsigned>(settings.attempts));
  input.heard = static_cast<Heard>((draw / 64) % kHeardKinds);
  return input;
}

}  // namespace

MachineTable::MachineTable(const Settings& settings, CommandBook& book)
    : settings_(settings), book_(book), machines_(1) {
  const Duration ttl = settings.tick() * settings.ttl;
  const Duration drift = settings.lock == LockKind::quorum
                             ? drift_of(ttl, settings.drift_factor())
                             : drift_share(ttl, settings.drift_factor());
  if (drift != settings.tick() * settings.drift_ticks()) {
    throw std::logic_error("the drift allowance is no whole number of ticks");
  }
}

MachineTable::~MachineTable() = default;

std::unique_ptr<MachineTable::Run> MachineTable::replay(const Root& root,
                                                        const std::vector<Input>& history,
                                                        std::int64_t epoch_ns) {
  ++run_count_;
  auto run = std::make_unique<Run>(settings_, book_, root, epoch_ns);
  run->start();
  for (const Input& input : history) run->apply(input);
  return run;
}

const Transition& MachineTable::start(const Root& root) {
  const std::uint32_t code =
      static_cast<std::uint32_t>(root.kind) + 4U * root.token + (root.accepts_plain ? 256U : 0U);
  const auto found = roots_.find(code);
  if (found != roots_.end()) return transitions_[found->second];
  Run run(settings_, book_, root, kEpochNs);
  Transition transition;
  transition.emissions = run.start();
  transition.target = enter(run, transition.wrong);
  roots_.emplace(code, static_cast<std::uint32_t>(transitions_.size()));
  return transitions_.emplace_back(std::move(transition));
}

const Transition& MachineTable::step(std::uint16_t machine, const Input& input) {
  const std::size_t code = code_of(input);
  const std::uint32_t known = machines_[machine].next[code];
  if (known != 0) return transitions_[known - 1];
  const auto run = replay(machines_[machine].root, machines_[machine].history, kEpochNs);
  Transition transition;
  transition.emissions = run->apply(input);
  transition.target = enter(*run, transition.wrong);
  transitions_.push_back(std::move(transition));
  machines_[machine].next[code] = static_cast<std::uint32_t>(transitions_.size());
  return transitions_.back();
}

std::uint16_t MachineTable::enter(const Run& run, std::string& wrong) {
  Machine machine = run.snapshot();
  wrong = run.wrong();
  const auto found = by_state_.find(machine.state);
  if (found != by_state_.end()) {
    audit(machines_[found->second], run);
    return found->second;
  }
  if (machines_.size() > 0xffff) throw std::length_error("too many machines for a state to name");
  const auto number = static_cast<std::uint16_t>(machines_.size());
  by_state_.emplace(machine.state, number);
  machines_.push_back(std::move(machine));
  return number;
}

void MachineTable::audit(const Machine& known, const Run& run) {
  ++merge_count_;
  for (int walk = 0; walk < kAuditWalks; ++walk) {
    const auto one = replay(known.root, known.history, kEpochNs);
    const auto two = replay(run.root(), run.history(), kOtherEpochNs);
    for (int i = 0; i < kAuditSteps; ++i) {
      const Input input = random_input(audit_seed_, settings_);
      const bool same =
          one->apply(input) == two->apply(input) && one->snapshot().state == two->snapshot().state;
      if (!same) throw std::logic_error("machines were merged that behave differently");
    }
  }
}

std::uint16_t MachineTable::permuted(std::uint16_t machine, int permutation) {
  if (machine == 0 || permutation == 0) return machine;
  const auto slot = static_cast<std::size_t>(permutation);
  if (machines_[machine].permuted[slot] != 0) return machines_[machine].permuted[slot];
  std::vector<Input> history = machines_[machine].history;
  for (Input& input : history) {
    if (input.kind >= InputKind::reply) input.node = kOrders[slot][input.node];
  }
  const auto run = replay(machines_[machine].root, history, kEpochNs);
  std::string wrong;
  const std::uint16_t twin = enter(*run, wrong);
  const Machine& a = machines_[machine];
  const Machine& b = machines_[twin];
  if (a.done != b.done || a.decision != b.decision || a.validity != b.validity || a.due != b.due ||
      a.attempt != b.attempt || a.token != b.token) {
    throw std::logic_error("the order of the nodes changes what a machine does");
  }
  machines_[machine].permuted[slot] = twin;
  return twin;
}

}  // namespace redlock::exhaustive
