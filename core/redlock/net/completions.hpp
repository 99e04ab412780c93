// The operations of one caller that are done and were not looked at yet, in the order in which they
// came to their end.
//
// A caller with many operations under way is told which of them are done, and need not ask each of
// them in every turn. An operation that is collected before it is done does not come here; one that
// a fork has taken does.
// Invariants: telling needs no memory, for room was made before the operation began. It outlives
// the operations that are told here. No I/O. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "redlock/wire/session.hpp"

namespace redlock {

class Completions {
 public:
  // Room for one more, before its operation begins.
  void make_room() {
    const std::size_t wanted = done_.size() + awaited_ + 1;
    if (wanted > done_.capacity()) done_.reserve(2 * wanted);
  }
  // One more is under way. Requires make_room().
  void expect() noexcept { ++awaited_; }
  // One of those is done, or will never be.
  void add(OperationId id) noexcept {
    --awaited_;
    done_.push_back(id);
  }
  void leave_out() noexcept { --awaited_; }

  [[nodiscard]] std::size_t size() const { return done_.size() - taken_; }
  // The next one; nothing when there is none.
  [[nodiscard]] std::optional<OperationId> next() noexcept {
    if (taken_ == done_.size()) return std::nullopt;
    const OperationId id = done_[taken_++];
    if (taken_ == done_.size()) {
      done_.clear();
      taken_ = 0;
    }
    return id;
  }

 private:
  std::vector<OperationId> done_;
  std::size_t taken_ = 0;    // of them, from the front
  std::size_t awaited_ = 0;  // may be added without more memory
};

}  // namespace redlock
