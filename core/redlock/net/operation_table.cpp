// Numbers, and who has which.
#include "redlock/net/operation_table.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "redlock/net/earlier.hpp"

namespace redlock {

namespace {

// Behind it a table's numbers begin. A caller that asks another pool for the outcome of its
// operation must not be given the outcome of another operation.
OperationId fresh_base() {
  constexpr unsigned kBitsOfOneTable = 40;
  static std::atomic<OperationId> tables = 0;
  return tables.fetch_add(1, std::memory_order_relaxed) << kBitsOfOneTable;
}

}  // namespace

OperationTable::OperationTable() : last_id_(fresh_base()) {}

RunningOperation& OperationTable::add(std::unique_ptr<Operation> operation, NodeList nodes) {
  return operations_.emplace_back(unused_id(), std::move(operation), std::move(nodes));
}

const RunningOperation* OperationTable::find(OperationId id) const {
  // Mostly the newest is asked for.
  if (!operations_.empty() && operations_.back().id == id) return &operations_.back();
  const auto found =
      std::ranges::lower_bound(operations_, id, std::ranges::less(), &RunningOperation::id);
  return found == operations_.end() || found->id != id ? nullptr : &*found;
}

RunningOperation* OperationTable::find(OperationId id) {
  return const_cast<RunningOperation*>(std::as_const(*this).find(id));
}

bool OperationTable::undecided(OperationId id) const {
  const RunningOperation* const running = find(id);
  return running != nullptr && !running->decided();
}

bool OperationTable::pending(OperationId id) const {
  const RunningOperation* const running = find(id);
  return running != nullptr && !running->done();
}

bool OperationTable::done(OperationId id) const {
  const RunningOperation* const running = find(id);
  return running != nullptr && running->done();
}

void OperationTable::tell(OperationId id, Completions& completions) noexcept {
  completions.expect();
  RunningOperation* const running = find(id);
  if (running == nullptr || running->done()) return completions.add(id);
  running->completions = &completions;
}

std::optional<Outcome> OperationTable::outage(OperationId id) const {
  const RunningOperation* const running = find(id);
  if (running == nullptr || running->done()) return std::nullopt;
  Outcome outcome;
  outcome.decision = Decision::unreachable;
  outcome.quorum = running->operation->quorum();
  outcome.nodes = running->operation->outage();
  if (outcome.nodes.empty()) return std::nullopt;
  return outcome;
}

std::optional<Instant> OperationTable::next_deadline() const {
  std::optional<Instant> earliest;
  for (const RunningOperation& running : operations_) {
    // What waits for memory goes on whenever there is a turn; its own time is over, and would make
    // one turn follow the other without a pause.
    if (running.interrupted) continue;
    earliest = earlier(earliest, running.operation->next_deadline());
    earliest = earlier(earliest, running.hedged.next_deadline());
  }
  return earliest;
}

void OperationTable::drop_ended() noexcept {
  std::erase_if(operations_, [](const RunningOperation& running) {
    return running.ended && !running.interrupted;
  });
}

void OperationTable::clear() noexcept {
  for (RunningOperation& running : operations_) running.tell();
  operations_.clear();
}

}  // namespace redlock
