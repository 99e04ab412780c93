// Takes a lock by waiting in line: nobody polls, the lock is handed over.
//
//   asking ──granted──────────────────────────────────────────────────────────▶ done
//     │ └─not granted, time left─▶ standing ──a majority of votes, fresh─────────▶ done (granted)
//     └────no time left──▶ done       │  └──the wait is over──▶ done (denied, late, unreachable)
//                                     └──no majority can be stood in line with──▶ polling ──▶ done
//
// `asking` is one plain attempt, so that an uncontended lock costs what it costs without a line; it
// is left out where this pool has waited for the resource lately. `standing` joins every node's
// line with one token, one ticket, and takes votes by answer and by push (line_place.hpp).
// `polling` is what there is where servers refuse subscriptions or scripts: attempts and pauses.
//
// Invariants: validity counts from the majority-th latest of the joins behind which the votes were
// given, sent before the server could set the key; whoever leaves without the lock leaves every
// line that may have been joined. Pure. One thread; lives for one call.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/line_memory.hpp"
#include "redlock/algorithm/line_place.hpp"
#include "redlock/algorithm/operation.hpp"

namespace redlock {

// The servers' clocks say where one stands; when they are so far from ours, the ticket is
// corrected.
inline constexpr Duration kTicketOffMax = Duration::ms(100);
// Votes that are too few to win are offered to earlier tickets, at first after so many round trips.
inline constexpr std::int64_t kOfferAfterRoundTrips = 3;
inline constexpr Duration kOfferPauseMin = Duration::ms(1);
inline constexpr Duration kOfferPauseMax = Duration::seconds(1);

// What is asked for.
struct WaitRequest {
  Resources resources;
  // The wait as a whole; at least one attempt is made. Duration::max(): for ever.
  Duration wait;
  // Of `polling`.
  std::int64_t retry_delay_ms = 0;
  // The local clock, in ms since 1970.
  std::int64_t wall_ms = 0;
};

class InLine final : public Operation {
 public:
  enum class Phase { fresh, asking, standing, polling, done };

  // `entropy` must outlive the operation; `memory` is shared by all waits of a pool.
  InLine(AnswerTimes answer_times, std::shared_ptr<const LockKind> kind, WaitRequest request,
         std::shared_ptr<LineMemory> memory, Entropy& entropy);

  void start(Instant now) override;
  void take_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void take_time(Instant now) override;
  void take_doubt(NodeIndex node, AttemptNumber attempt) override;
  [[nodiscard]] bool listens() const override { return phase_ == Phase::standing; }
  void take_hearing(NodeIndex node, const Hearing& hearing, Instant now) override;
  bool take_push(NodeIndex node, const Push& push, Instant now) override;
  void abort(Instant now) override;
  [[nodiscard]] std::optional<Request> next_request() override;
  [[nodiscard]] std::optional<Instant> next_deadline() const override;
  [[nodiscard]] const Outcome* outcome() const override;
  [[nodiscard]] Outcome take_outcome() noexcept override { return std::move(*outcome_); }

 private:
  [[nodiscard]] Instant wait_end() const { return started_ + request_.wait; }
  [[nodiscard]] Duration left(Instant now) const { return wait_end() - now; }
  // An attempt, or attempts, without the line.
  void begin_plain(Phase phase, const RetryPolicy& retry, Instant now);
  void follow_plain(Instant now);
  void stand(Instant now);
  void review(Instant now);
  void correct_ticket(Instant now);
  void offer_votes(Instant now);
  [[nodiscard]] std::size_t votes() const;
  // What the votes are worth now. Requires a majority of them.
  [[nodiscard]] Duration validity(Instant now) const;
  void grant(Instant now);
  void leave(Decision decision, Instant now);
  void queue_passes(Instant now);
  void finish(Outcome outcome);

  AnswerTimes answer_times_;
  std::shared_ptr<const LockKind> kind_;
  WaitRequest request_;
  std::shared_ptr<LineMemory> memory_;
  Entropy& entropy_;
  Phase phase_ = Phase::fresh;
  Instant started_;
  std::optional<Acquire> plain_;
  // Attempts before the plain one's, which counts from 1 again.
  AttemptNumber attempts_before_ = 0;
  AttemptNumber attempt_ = 0;  // the latest handed out
  Token token_;
  std::int64_t ticket_ = 0;
  bool ticket_corrected_ = false;
  std::vector<LinePlace> places_;
  std::size_t votes_seen_ = 0;
  Duration round_trip_;  // the latest answer's
  Duration offer_pause_;
  Instant offer_at_ = Instant::never();
  bool refreshed_ = false;     // the votes were asked for anew, to win a full ttl
  std::vector<Request> undo_;  // to be handed out, the next one last
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
