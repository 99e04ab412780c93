// The removals of one server that wait for a connection: what could not be sent goes first on the
// next one, or as soon as this one has room for it.
//
// Invariants: at most kCarriedMax, the latest; behind a connection that was replaced, twice as
// many. No I/O. One thread.
#pragma once
#include <cstddef>
#include <deque>
#include <vector>

#include "redlock/wire/encoder.hpp"
#include "redlock/wire/session.hpp"

namespace redlock {

inline constexpr std::size_t kCarriedMax = kAwaitedMax;
// So many are unanswered at a time, unless it is the last chance.
inline constexpr std::size_t kCarriedAtOnceMax = kAwaitedBesidesRemovalsMax / 2;

// A removal for the next connection.
struct CarriedRemoval {
  SharedCommand removal;
  bool again = false;  // it was sent before, and whether it arrived is unknown
};

class CarriedRemovals {
 public:
  void carry(CarriedRemoval removal);
  [[nodiscard]] bool empty() const { return removals_.empty(); }
  [[nodiscard]] const std::deque<CarriedRemoval>& all() const { return removals_; }
  // Requires that there is one.
  [[nodiscard]] const SharedCommand& front() const { return removals_.front().removal; }
  // The first has been handed to the conversation.
  void pop_front();
  // A connection is opened: nothing was sent again on it.
  void begin_connection() { sent_again_.clear(); }
  [[nodiscard]] bool was_sent_again(const SharedCommand& removal) const;
  // Behind its own repetition a removal would find nothing, and be called unsuccessful. What was
  // tried before is tried again in the form for that: meanwhile an old client may have taken the
  // lock. Gives what is to be asked instead of `command`.
  [[nodiscard]] SharedCommand in_place_of_carried(const SharedCommand& command);
  // Those that are `doubtful`, and then the newer ones that are here.
  [[nodiscard]] std::deque<CarriedRemoval> behind(std::vector<Refused> doubtful) const;
  void replace_by(std::deque<CarriedRemoval> removals) { removals_ = std::move(removals); }
  void forget();

 private:
  std::deque<CarriedRemoval> removals_;
  std::vector<SharedCommand> sent_again_;  // on this connection
};

}  // namespace redlock
