// The removals that one server would not carry out for the time being: it loads its data, runs
// somebody's script, … They are repeated as soon as it carries out anything else, with a pause
// between two rounds.
//
// Invariants: at most kCarriedMax, the latest, and one for each lock. No I/O. One thread.
#pragma once
#include <cstddef>
#include <deque>

#include "redlock/algorithm/time.hpp"
#include "redlock/net/carried_removals.hpp"
#include "redlock/wire/encoder.hpp"
#include "redlock/wire/session.hpp"

namespace redlock {

// A server that does not want them, or that nobody uses any more, is owed removals for so long.
inline constexpr Duration kOwedFor = Duration::seconds(60);
// Between two rounds of removals that it refuses.
inline constexpr Duration kRepeatPause = Duration::ms(200);

class RefusedRemovals {
 public:
  // Until the server carries out anything, and no longer than `until` or than kOwedFor.
  void owe(const SharedCommand& removal, Instant until, Instant now);
  void owe_all(std::deque<Refused>& refused, Instant now) {
    for (; !refused.empty(); refused.pop_front()) {
      owe(refused.front().removal, refused.front().until, now);
    }
  }
  [[nodiscard]] bool empty() const { return removals_.empty(); }
  [[nodiscard]] const std::deque<Refused>& all() const { return removals_; }
  [[nodiscard]] bool has(const LockName& lock) const;
  // It is time for another round.
  [[nodiscard]] bool due(Instant now) const { return !removals_.empty() && now >= repeat_at_; }
  // Without a pause.
  void make_due() { repeat_at_ = Instant(); }
  // Requires that there is one.
  [[nodiscard]] const Refused& front() const { return removals_.front(); }
  void pop_front() { removals_.pop_front(); }
  void drop_expired(Instant now);
  // Has the server carried out anything since it refused one last?
  [[nodiscard]] bool server_is_well() const { return well_; }
  void set_server_well(bool well) { well_ = well; }
  void forget();

 private:
  std::deque<Refused> removals_;
  Instant repeat_at_;
  bool well_ = false;
};

}  // namespace redlock
