// How one node's line stands for one wait: whether the vote is ours, and when to join again.
//
//   deaf ──channel──▶ due ──join sent──▶ joining ──answer──▶ standing, or voted
//     ▲                ▲                    │                    │
//     └─channel lost   └────timer, next─────┴──no answer, error──┘
//
// A vote counts from the answer to the latest join, or from a push that carries its echo: a later
// join may give the vote of an earlier one away, and does so before it is answered.
// Invariants: a vote is void from the moment the next join is handed out. Pure. One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/line.hpp"
#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// The first in line asks at least this often: an old client that gives the lock back tells nobody.
inline constexpr Duration kFirstAsksEvery = Duration::seconds(1);
// Behind the moment at which the key that stands there ends.
inline constexpr Duration kAfterTheEnd = Duration::ms(2);
// After trouble it is tried again: at first so soon, then twice as late each time.
inline constexpr Duration kTroublePauseFirst = Duration::ms(50);
inline constexpr Duration kTroublePauseMax = Duration::seconds(1);

class LinePlace {
 public:
  void take_hearing(const Hearing& hearing, Instant now);
  // Requires can_join(). Handed out: `attempt` is its echo, its answer is due at `answer_by`.
  void note_joined(AttemptNumber attempt, Instant now, Instant answer_by);
  // The answer to a join; one that is not the latest's is ignored, and does not change the report.
  void take_reply(AttemptNumber attempt, const Reply& reply, Instant now);
  void take_push(const Push& push, Instant now);
  // An answer that is overdue is none.
  void take_time(Instant now);
  // To be joined again, whatever its timer says.
  void hurry() { join_at_ = Instant(); }
  // An entry older than that is refreshed when its turn comes near.
  void set_ttl(Duration ttl) { ttl_ = ttl; }

  [[nodiscard]] bool can_join(Instant now) const {
    return !channel_.empty() && !refused_ && !unanswered_ && now >= join_at_;
  }
  [[nodiscard]] const std::string& channel() const { return channel_; }
  [[nodiscard]] bool voted() const { return voted_; }
  // When the latest join was sent; the key that its vote stands for lives at least a ttl from then.
  [[nodiscard]] Instant joined_at() const { return joined_at_; }
  // Was the vote given in the answer to the latest join?
  // Can it never be stood in line here? The server refuses subscriptions or scripts.
  [[nodiscard]] bool refused() const { return refused_; }
  // Has it been told yet whether pushes can be heard here?
  [[nodiscard]] bool settled() const { return report_.answered; }
  // May there be anything of ours on this node?
  [[nodiscard]] bool may_hold() const { return joined_before_ || may_be_joined_; }
  [[nodiscard]] const NodeReport& report() const { return report_; }
  [[nodiscard]] const std::optional<Standing>& standing() const { return standing_; }
  // When it has something to do though nothing comes; never: nothing.
  [[nodiscard]] Instant next_deadline() const;

 private:
  void trouble(const Reply& reply, Instant now);
  void stand(const Standing& standing, Instant now);
  [[nodiscard]] static Instant first_asks_at(std::optional<Duration> left, Instant now);

  Duration ttl_;
  std::string channel_;
  bool refused_ = false;
  bool unanswered_ = false;
  bool voted_ = false;
  bool joined_before_ = false;  // an earlier join may have arrived
  bool may_be_joined_ = false;  // the latest may have
  AttemptNumber attempt_ = 0;   // of the latest join
  Instant joined_at_;
  Instant answer_by_;
  Instant join_at_ = Instant::never();
  Duration pause_ = kTroublePauseFirst;
  std::optional<Standing> standing_;
  NodeReport report_;
};

}  // namespace redlock
