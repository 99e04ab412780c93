// The resources that were waited for lately.
#include "redlock/queue/line_memory.hpp"

#include <algorithm>

namespace redlock {

bool LineMemory::waited_lately(const Resources& resources, Instant now) const {
  return std::ranges::any_of(waited_, [&](const Waited& waited) {
    return now - waited.at < kWaitedFor && waited.resources == resources;
  });
}

void LineMemory::note_waited(const Resources& resources, Instant now) {
  std::erase_if(waited_, [&](const Waited& waited) { return waited.resources == resources; });
  if (waited_.size() == kWaitedMax) waited_.pop_front();
  waited_.push_back({resources, now});
}

}  // namespace redlock
