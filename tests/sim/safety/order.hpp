// Whoever is granted a lock in quiet is the first of those who wait for it.
#pragma once
#include "sim/record/record.hpp"

namespace redlock::sim {

class Order {
 public:
  // The record must outlive it.
  explicit Order(Record& record);

  // The client was granted the lock `value`.
  void judge(Contender party, std::string_view value);

 private:
  // Of two who wait for the same: did this one have to be served before the other, who was?
  [[nodiscard]] bool precedes(const Waiter& one, const Waiter& served) const;

  Record& record_;
  const bool quiet_;  // nothing is wrong in this plan, so grants come in the order of tickets
};

}  // namespace redlock::sim
