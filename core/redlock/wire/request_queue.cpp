// What a connection owes answers to, and what of it must be undone.
#include "redlock/wire/request_queue.hpp"

#include <set>

namespace redlock {

bool RequestQueue::has_room_for(const Command& command) const {
  const std::size_t room = is_removal(command) ? kAwaitedMax : kAwaitedBesidesRemovalsMax;
  return size() < room && !is_full();
}

// Counted only where there are so many that it could matter.
bool RequestQueue::is_full() const {
  constexpr std::size_t kFewest = kQueuedBytesMax / (kResourceBytesMax + kTokenBytesMax);
  if (unwritten_ < kFewest) return false;
  std::size_t bytes = 0;
  for (std::size_t i = written_; i < size(); ++i) {
    const LockName name = lock_name(*requests_[i].command);
    for (const Resource& key : name.keys) bytes += key.view().size();
    bytes += name.proof.size();
  }
  return bytes >= kQueuedBytesMax;
}

void RequestQueue::erase(std::size_t position) {
  if (position == 0) {
    requests_.pop_front();
  } else {
    requests_.erase(begin() + static_cast<std::ptrdiff_t>(position));
  }
  --written_;
}

void RequestQueue::mark_needless_cleanups() noexcept {
  const auto is_needless = [](const AwaitedRequest& request) {
    return request.useless && is_acquisition(*request.command);
  };
  if (std::none_of(unwritten(), end(), is_needless)) return;
  for (auto request = unwritten(); request != end(); ++request) {
    if (request->origin.operation != 0 || !is_removal(*request->command)) continue;
    request->useless = std::any_of(unwritten(), end(), [&](const AwaitedRequest& acquisition) {
      return is_needless(acquisition) && !traits_of(*acquisition.command).enqueues &&
             lock_name(*acquisition.command) == lock_name(*request->command);
    });
  }
}

std::vector<OperationId> RequestQueue::askers() const {
  std::vector<OperationId> ids;
  for (const AwaitedRequest& request : requests_) {
    if (request.origin.operation != 0) ids.push_back(request.origin.operation);
  }
  return ids;
}

std::optional<Instant> RequestQueue::earliest_deadline() const {
  if (empty()) return std::nullopt;
  Instant earliest = Instant::never();
  for (const AwaitedRequest& request : requests_) earliest = std::min(earliest, request.answer_by);
  return earliest;
}

std::vector<OperationId> RequestQueue::open_acquisitions() const {
  std::vector<OperationId> takers;
  std::set<LockName> removed;
  for (auto request = requests_.rbegin(); request != requests_.rend(); ++request) {
    if (!undo_of(*request->command)) continue;
    const LockName name = lock_name(*request->command);
    if (is_removal(*request->command)) {
      removed.insert(name);
    } else if (!removed.contains(name) && !traits_of(*request->command).enqueues) {
      takers.push_back(request->origin.operation);
    }
  }
  return takers;
}

std::vector<OpenJoin> RequestQueue::open_joins() const {
  std::vector<OpenJoin> joins;
  for (std::size_t i = 0; i < written_; ++i) {
    const AwaitedRequest& request = requests_[i];
    if (!traits_of(*request.command).enqueues || removal_follows(*request.command)) continue;
    joins.push_back(
        {request.origin.operation, std::make_shared<const Command>(*undo_of(*request.command))});
  }
  return joins;
}

bool RequestQueue::removal_follows(const Command& command) const {
  return !is_removal(command) && std::ranges::any_of(requests_, [&](const AwaitedRequest& later) {
    return is_removal(*later.command) && lock_name(*later.command) == lock_name(command);
  });
}

std::vector<std::size_t> RequestQueue::removals() const {
  std::vector<std::size_t> found;
  std::set<LockName> seen;
  for (std::size_t i = size(); i-- > 0;) {
    const AwaitedRequest& request = requests_[i];
    if (!is_removal(*request.command)) continue;
    if (seen.insert(lock_name(*request.command)).second) found.push_back(i);
  }
  std::ranges::reverse(found);
  return found;
}

std::vector<Refused> RequestQueue::unsettled() const {
  std::vector<Refused> unsettled;
  for (const std::size_t position : removals()) {
    const AwaitedRequest& request = requests_[position];
    unsettled.push_back(
        {std::make_shared<const Command>(*undo_of(*request.command)), request.repeat_until});
  }
  return unsettled;
}

}  // namespace redlock
