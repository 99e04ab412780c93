// The operations under way that ask whether a lock is ours, so that none of them says yes to what
// was given up while it waited: a signal handler may release the very lock.
//
// Invariants: one entry an operation, until it is collected. No I/O. One thread.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "redlock/algorithm/ids.hpp"
#include "redlock/wire/session.hpp"

namespace redlock {

class RevocableQueries {
 public:
  // Room for one more, so that add() cannot fail once its operation is under way.
  void make_room() { asked_.reserve(asked_.size() + 1); }
  void add(OperationId id, Token about) noexcept {
    asked_.push_back({id, std::move(about), false});
  }
  // A release of this lock begins.
  void give_up(const Token& token) noexcept {
    for (Query& query : asked_) query.given_up |= query.about == token;
  }
  // Forgets the operation. True: what it asks about was given up meanwhile.
  [[nodiscard]] bool take(OperationId id) noexcept {
    const auto found = std::ranges::find(asked_, id, &Query::id);
    if (found == asked_.end()) return false;
    const bool given_up = found->given_up;
    asked_.erase(found);
    return given_up;
  }
  void clear() noexcept { asked_.clear(); }

 private:
  struct Query {
    OperationId id;
    Token about;
    bool given_up;
  };
  std::vector<Query> asked_;
};

}  // namespace redlock
