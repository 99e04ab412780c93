// One production machine under way, fed ticks instead of nanoseconds.
//
// It drives the machine as the reactor does: one input, then all requests, in order. One thread.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exhaustive/machine_operation.hpp"

namespace redlock::exhaustive {

class MachineTable::Run {
 public:
  Run(const Settings& settings, CommandBook& book, const Root& root, std::int64_t epoch_ns);

  std::vector<Emission> start();
  std::vector<Emission> apply(const Input& input);

  [[nodiscard]] const Root& root() const { return root_; }
  [[nodiscard]] const std::vector<Input>& history() const { return history_; }
  // Without the bookkeeping fields that belong to the table.
  [[nodiscard]] Machine snapshot() const;
  // What is against the contract, judged by arithmetic of our own; empty when nothing is.
  [[nodiscard]] std::string wrong() const;

 private:
  std::vector<Emission> drain();
  [[nodiscard]] Reply reply_of(const Input& input) const;
  [[nodiscard]] std::string wrong_outcome(const Outcome& outcome) const;
  void count_grant(const Input& input);

  const Settings& settings_;
  CommandBook& book_;
  Root root_;
  Instant now_;
  Instant attempt_start_;
  CountingEntropy entropy_;
  std::unique_ptr<Acquire> acquire_;
  std::unique_ptr<QuorumQuery> query_;
  Operation* operation_ = nullptr;
  std::vector<Input> history_;
  Byte attempt_ = 0;
  Byte granted_ = 0;
  Byte token_ = 0;
  bool undone_ = false;   // this attempt
  bool delayed_ = false;  // a connection was only being made when it asked
};

}  // namespace redlock::exhaustive
