// How one node's line stands for one wait: whether the vote is ours, and when to join again.
//
//   unsubscribed ──channel──▶ due ──join sent──▶ joining ──answer, push──▶ standing, or voted
//     ▲                ▲                    │                          │
//     └─channel lost   └──timer, `next`─────┴──no answer, an error─────┘
//
// A vote counts from the answer to the latest join, or from a push that carries its echo: a later
// join may give the vote of an earlier one away, and does so before it is answered.
// Invariants: a vote is void from the moment the next join is handed out. Pure. One thread.
#pragma once
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
// The others do, for each position in front of them so much later, for who was to ask may be gone
// too.
inline constexpr Duration kEachPositionAsksLater = Duration::ms(100);
// But no later than so: a position is known as it was when joining, and those in front may have
// been served, or have died.
inline constexpr Duration kOthersAskWithin = Duration::ms(500);
// After trouble it is tried again: at first so soon, then twice as late each time.
inline constexpr Duration kTroublePauseFirst = Duration::ms(50);
inline constexpr Duration kTroublePauseMax = Duration::seconds(1);
// A subscription that ends so often, each time so soon, is one that something does not let stand.
inline constexpr int kBriefSubscriptionsMax = 5;
inline constexpr Duration kBriefSubscription = Duration::seconds(1);
// A wait in which too few servers answer stays in line for so long, or for two answer times if that
// is longer. Of a short wait it is half of what is left, but at least one answer time.
inline constexpr Duration kTooFewFor = Duration::seconds(1);

class NodeQueueState {
 public:
  // Whose turn comes near joins again where the latest join is older than `stale_after`, so that
  // what is handed over lives for long enough.
  // With `confirms` a vote that is pushed is joined for at once, and counts from the answer to
  // that.
  NodeQueueState(Duration stale_after, NodeReport known, bool confirms = false);

  void on_subscription(const SubscriptionState& subscription_state, Instant now);
  // Requires can_join(). Handed out: `attempt` is its echo, its answer is due at `answer_by`. One
  // that does not claim is given no vote that is free.
  void note_joined(AttemptNumber attempt, Instant now, Instant answer_by, bool claims = true);
  // Its answer may come until then, for its connection is only being made.
  void on_delay(AttemptNumber attempt, Instant answer_by);
  // The answer to a join; one that is not the latest's, or comes late, is ignored.
  void on_reply(AttemptNumber attempt, const Reply& reply, Instant now);
  void on_push(const Push& push, Instant now);
  // An answer that is overdue is none.
  void on_time(Instant now);
  // A vote that is worth nothing any more, and that no join can renew until its server is heard.
  void forget_vote();
  // What was said to a request for the vote that was no join.
  void note_shortage(const Reply& reply) {
    if (reply.fault == Fault::noreplicas) shortage_ = reply;
  }
  // That a vote was to be had, and replicas lacked it, is what is reported at last: not that it was
  // left to others meanwhile.
  void tell_shortage() {
    if (shortage_) report(*shortage_);
  }
  // To be joined again, whatever its timer says.
  void hurry() { join_at_ = Instant(); }
  // The latest join says what is not so any more. To be joined again, once it is answered; a vote
  // that it was given is one all the same.
  void say_anew() {
    outdated_ = true;
    if (!voted_) hurry();
  }

  // Could its server tell us of our turn? Not where it is down, lets us stand in no line, or where
  // the subscription is only being opened anew.
  [[nodiscard]] bool can_be_asked() const { return !channel_.empty() && !refused_; }
  [[nodiscard]] bool can_join(Instant now) const {
    return can_be_asked() && !unanswered_ && now >= join_at_;
  }
  [[nodiscard]] const std::string& channel() const { return channel_; }
  [[nodiscard]] bool voted() const { return voted_; }
  // By another's release, and not in the answer to our own join.
  [[nodiscard]] bool handed_over() const { return voted_ && handed_over_; }
  // The same, also where it had to be asked for once more then.
  [[nodiscard]] bool was_told() const { return voted_ && (handed_over_ || told_); }
  // When the latest join was sent: the key that its vote stands for lives at least a ttl from then.
  [[nodiscard]] Instant joined_at() const { return joined_at_; }
  // The server does not let us stand in line: it refuses subscriptions or scripts.
  [[nodiscard]] bool refused() const { return refused_ || unsubscribed_; }
  // It could not be asked the last time, or did not answer.
  [[nodiscard]] bool troubled() const {
    return report_.answered && report_.reply.answer == Answer::unknown;
  }
  [[nodiscard]] bool joining() const { return unanswered_; }
  [[nodiscard]] bool awaits(AttemptNumber attempt) const {
    return unanswered_ && attempt == attempt_;
  }
  // Does somebody else have the vote, as far as we know?
  [[nodiscard]] bool held_by_another(Instant now) const { return position_ && now < held_until_; }
  // Was the vote free, and not claimed?
  [[nodiscard]] bool hedged() const { return position_ && !claims_ && held_until_ == Instant(); }
  // Is anything expected to be known soon that is not?
  [[nodiscard]] bool pending() const {
    return joining() || (!report_.answered && channel_.empty());
  }
  // May there be anything of ours on this node?
  [[nodiscard]] bool may_hold() const { return joined_before_ || may_be_joined_; }
  [[nodiscard]] const NodeReport& report() const { return report_; }
  // In the answer to the latest join, where that was not granted.
  [[nodiscard]] const std::optional<QueuePosition>& position() const { return position_; }
  // When the latest join's answer is due; never: it is not awaited.
  [[nodiscard]] Instant answer_by() const { return unanswered_ ? answer_by_ : Instant::never(); }
  // When it has something to do though nothing comes; never: nothing.
  [[nodiscard]] Instant next_deadline() const;

  // What tells two of them apart that were told of one channel, while time stands still.
  struct Snapshot {
    bool voted;
    bool handed_over;
    bool joining;
    bool may_hold;
    bool outdated;
    bool claims;
    Instant join_at;
    Instant next_at;

    bool operator==(const Snapshot&) const = default;
  };
  [[nodiscard]] Snapshot snapshot() const {
    return {voted_, handed_over(), unanswered_, may_hold(), outdated_, claims_, join_at_, next_at_};
  }

 private:
  void vote(bool handed_over);
  void stand(const QueuePosition& position, Instant now);
  void report(Reply reply) { report_ = {true, std::move(reply)}; }
  void on_trouble(Reply reply, Instant now);

  Duration stale_after_;
  std::optional<Reply> shortage_;  // of replicas, since nobody is known to have the vote
  bool confirms_;
  bool told_ = false;  // a push gave it to us, since it was asked for at first
  std::string channel_;
  // Why there is none, or why nobody is asked though there is one.
  Reply silence_ = Reply::unknown(Fault::timeout, "it cannot be asked again");
  Instant heard_at_;             // when its channel was told last
  int brief_subscriptions_ = 0;  // one behind the other
  bool refused_ = false;         // for good
  bool unsubscribed_ = false;    // its subscriptions are refused, and none was let in since
  bool unanswered_ = false;
  bool voted_ = false;
  bool handed_over_ = false;
  bool joined_before_ = false;  // an earlier join may have arrived
  bool may_be_joined_ = false;  // the latest may have
  bool outdated_ = false;       // the latest says what is not so any more
  AttemptNumber attempt_ = 0;   // of the latest join
  Instant joined_at_;
  Instant answer_by_;
  Instant join_at_ = Instant::never();
  Instant next_at_ = Instant::never();  // what was pushed since the latest join says so
  Duration pause_ = kTroublePauseFirst;
  bool claims_ = true;  // the latest join does
  std::optional<QueuePosition> position_;
  Instant held_until_;  // while standing; never: without end
  NodeReport report_;
};

}  // namespace redlock
