// The operations under way, by number.
//
// Invariants: numbers rise, are never used twice by a process, and are never 0; the operations
// stand in the order of their numbers. Adding one, and dropping those that have ended, moves the
// others. No I/O. One thread.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "redlock/net/running_operation.hpp"

namespace redlock {

class OperationTable {
 public:
  OperationTable();

  // The number of an operation that is not known here, and never will be.
  [[nodiscard]] OperationId unused_id() { return ++last_id_; }
  RunningOperation& add(std::unique_ptr<Operation> operation, NodeList nodes);
  // Null where it is unknown.
  [[nodiscard]] RunningOperation* find(OperationId id);
  [[nodiscard]] const RunningOperation* find(OperationId id) const;
  // Known, and without an outcome yet.
  [[nodiscard]] bool undecided(OperationId id) const;
  // Known, and not done.
  [[nodiscard]] bool pending(OperationId id) const;
  // Known, and decided or failed.
  [[nodiscard]] bool done(OperationId id) const;
  // Its end is added to `completions`; at once where it is done, or unknown. Requires room there.
  void tell(OperationId id, Completions& completions) noexcept;
  // What it would end with now, where no majority could be asked lately; see Operation. Nothing
  // where it is unknown or done, either.
  [[nodiscard]] std::optional<Outcome> outage(OperationId id) const;
  // The earliest time at which one of them has something to do though nothing came in.
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  // Lets go of those that nobody will collect and that have nothing left to send.
  void drop_ended() noexcept;
  // Lets go of all; what is told of is told to be unknown.
  void clear() noexcept;

  [[nodiscard]] auto begin() { return operations_.begin(); }
  [[nodiscard]] auto end() { return operations_.end(); }
  [[nodiscard]] std::size_t size() const { return operations_.size(); }
  [[nodiscard]] RunningOperation& operator[](std::size_t i) { return operations_[i]; }

 private:
  OperationId last_id_;
  std::vector<RunningOperation> operations_;
};

}  // namespace redlock
