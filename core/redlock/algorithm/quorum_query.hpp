// Asks every node the same thing once: release, extend, check, and their stamp twins.
//
// States: asking → done. Done as soon as the verdict is certain; nothing is undone, because
// every command it is used with is harmless where it went through unnoticed.
// Pure. One thread; lives for one call.
#pragma once
#include <memory>
#include <optional>

#include "redlock/algorithm/operation.hpp"
#include "redlock/algorithm/round.hpp"

namespace redlock {

// What a caller wants to know beside whether it was granted.
enum class LossDetail {
  none,    // lost is lost: do not wait for more answers
  reason,  // wait until it is known whether that is proven, and a majority could be asked at all
  each,    // wait for what every node says, or until its time is over
};

// So many said no that no majority has what was asked about, whatever the others would say. What
// was not granted may have met nothing but trouble.
[[nodiscard]] bool proven_denied(const Outcome& outcome);
// What a release came to for whoever held the lock by what was removed. Granted: no majority has it
// any longer, though some of them may have lost it before. Denied: none had it.
// Unreachable: neither is known, and it may be held still.
[[nodiscard]] Decision taken_away(const Outcome& released);

class QuorumQuery : public Operation {
 public:
  QuorumQuery(AnswerTimes answer_times, QuorumRule quorum, Command command, LossDetail detail);

  [[nodiscard]] QuorumRule quorum() const override { return quorum_; }
  void start(Instant now) override;
  void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override;
  void on_time(Instant now) override;
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) override;
  void abort(Instant now) override;
  [[nodiscard]] std::optional<Request> next_request() override;
  [[nodiscard]] std::optional<Instant> next_deadline() const override;
  [[nodiscard]] const Outcome* outcome() const override;
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

  // What tells two machines of one recipe apart.
  struct Snapshot {
    std::optional<Round::Snapshot> round;
    std::optional<Outcome> outcome;

    bool operator==(const Snapshot&) const = default;
  };
  [[nodiscard]] Snapshot snapshot() const;

 protected:
  // Called once, with a granted outcome, before it is given out.
  virtual void complete_grant(Outcome& /*outcome*/, Instant /*started*/) {}

 private:
  void decide(Instant now);
  void finish(Decision decision, Instant now);

  AnswerTimes answer_times_;
  std::shared_ptr<const Command> command_;
  QuorumRule quorum_;
  LossDetail detail_;
  std::optional<Round> round_;
  std::optional<Outcome> outcome_;
};

}  // namespace redlock
