// What waits for the next connection, and what takes its place.
#include "redlock/net/carried_removals.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace redlock {

void CarriedRemovals::carry(CarriedRemoval removal) {
  if (removals_.size() >= kCarriedMax) removals_.pop_front();
  removals_.push_back(std::move(removal));
}

void CarriedRemovals::pop_front() {
  if (removals_.front().again) sent_again_.push_back(removals_.front().removal);
  removals_.pop_front();
}

bool CarriedRemovals::was_sent_again(const SharedCommand& removal) const {
  return std::ranges::any_of(sent_again_, [&](const SharedCommand& again) {
    return lock_name(*again) == lock_name(*removal);
  });
}

SharedCommand CarriedRemovals::in_place_of_carried(const SharedCommand& command) {
  if (!is_removal(*command)) return command;
  const LockName lock = lock_name(*command);
  const auto same = [&](const CarriedRemoval& carried) {
    return lock_name(*carried.removal) == lock;
  };
  if (std::ranges::none_of(removals_, same)) return command;
  SharedCommand again = std::make_shared<const Command>(*undo_of(*command));
  std::erase_if(removals_, same);
  return again;
}

std::deque<CarriedRemoval> CarriedRemovals::behind(std::vector<Refused> doubtful) const {
  std::deque<CarriedRemoval> all;
  for (Refused& older : doubtful) all.push_back({std::move(older.removal)});
  all.insert(all.end(), removals_.begin(), removals_.end());
  while (all.size() > 2 * kCarriedMax) all.pop_front();
  return all;
}

void CarriedRemovals::forget() {
  removals_.clear();
  sent_again_.clear();
}

}  // namespace redlock
