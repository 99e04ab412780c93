// Fences of one resource rise from grant to grant, and on each server with each that it records.
//
// Not judged in plans in which a server loses data: the last fence is what servers remember, so a
// majority that has forgotten it may agree on a smaller one. The lock does not need that memory
// where such a server comes back late, when all leases of then are over; a fence has no such end.
// Nothing else excuses it: neither clocks, however wrong, nor answers that never come.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/record/record.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

// The key beside a lock's own in which servers remember the last one.
[[nodiscard]] inline bool is_fence_key(std::string_view name) {
  return name.ends_with(":redlock:fence");
}

class Fences {
 public:
  // The record must outlive it.
  explicit Fences(Record& record)
      : record_(record),
        judged_(!record.plan.has_forgetful_servers()),
        last_(record.plan.resources) {}

  // The client was granted the lock with this fence; 0: with none, though it had asked for one.
  void judge(Contender party, std::int64_t fence) {
    Grant& last = last_[party.resource];
    if (fence == 0) {
      report(who(party.client) + " was granted the lock without a fence");
    } else if (judged_) {
      record_.note_judged(ViolationKind::fence_not_rising);
      if (last.fence >= fence) {
        report(who(party.client) + " was granted the lock with the fence " + std::to_string(fence) +
               ", " + who(last.client) + " before with " + std::to_string(last.fence));
      }
    }
    if (fence > last.fence) last = {fence, party.client};
  }

  // A client's command has written what the server remembers; null: it was not there before.
  void recorded(std::uint32_t client, std::uint32_t server, const Entry* before,
                const Entry& after) {
    if (!after.expires_ms) {
      record_.report(ViolationKind::no_expiry, who(client) + " left a fence without an expiry");
    }
    if (before == nullptr || number_of(before->value) < number_of(after.value)) return;
    report(who(client) + " made the fence on server " + std::to_string(server) + " smaller");
  }

 private:
  struct Grant {
    std::int64_t fence = 0;
    std::uint32_t client = 0;
  };

  // Digits without a sign, and no more of them than fit.
  [[nodiscard]] static std::int64_t number_of(std::string_view text) {
    std::int64_t number = 0;
    for (const char digit : text) number = 10 * number + (digit - '0');
    return number;
  }
  void report(std::string text) {
    record_.report(ViolationKind::fence_not_rising, std::move(text));
  }

  Record& record_;
  const bool judged_;
  std::vector<Grant> last_;  // the largest, by resource
};

}  // namespace redlock::sim
