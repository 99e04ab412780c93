// One question to every node at once, and what they answered.
//
// Four tallies run side by side, by the rule of the lock's kind: who granted, which decides the
// lock; who could be asked at all, which tells "not given" from "the servers are down"; who denied,
// which tells "held by somebody else" from "nobody won"; and who did not deny, for without a
// majority of them nobody has what was asked about. Invariants: a node counts once; only replies to
// this round's attempt count. Pure. One thread; a machine makes one per attempt.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/quorum.hpp"
#include "redlock/algorithm/quorum_rule.hpp"

namespace redlock {

// How long each node of a manager may take to answer; one entry a node.
// Shared, because an operation may outlive the manager that began it.
using AnswerTimes = std::shared_ptr<const std::vector<Duration>>;

class Round {
 public:
  // `answer_times` has 1 to kNodesMax entries.
  Round(AnswerTimes answer_times, QuorumRule quorum, std::shared_ptr<const Command> command,
        AttemptNumber attempt, Instant start);

  // The question for the next node that has not been asked yet.
  [[nodiscard]] std::optional<Request> next_request();
  // False: the reply is not to this round, or the node has answered already.
  bool on_reply(NodeIndex node, AttemptNumber attempt, Reply reply);
  // This node's silence is not waited for while a majority answers without it.
  void on_suspicion(NodeIndex node, AttemptNumber attempt);
  // This node's answer time begins when it is connected to, by then at the latest.
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by);
  // From its deadline on a silent node counts as one that gave no answer.
  void on_time(Instant now);

  // Lost also when a majority has answered and the silent nodes that are not in doubt can no
  // longer complete one: split votes must not wait for a server that stands still.
  [[nodiscard]] Verdict grants() const;
  [[nodiscard]] Verdict reach() const { return reach_.verdict(); }
  [[nodiscard]] Verdict denials() const { return denials_.verdict(); }
  // Lost: so many denied it that no majority has it, whatever the others would say.
  [[nodiscard]] Verdict possession() const { return undenied_.verdict(); }
  // What came with the latest grant; nothing where there is none.
  [[nodiscard]] const ReplyPayload& granted_payload() const;
  // Did a node find something under the key that is no lock of this kind?
  [[nodiscard]] bool foreign() const { return foreign_; }
  // The earliest deadline of a silent node; nothing when all have answered.
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  [[nodiscard]] Instant start() const { return start_; }
  [[nodiscard]] bool complete() const { return grants_.complete(); }
  // May the node have carried out the command? Not when it was not asked, denied it, or was
  // never reached.
  [[nodiscard]] bool may_hold(NodeIndex node) const;
  [[nodiscard]] const std::vector<NodeReport>& reports() const { return reports_; }

  // Two rounds with one snapshot have one future.
  struct Snapshot {
    Command command;
    AttemptNumber attempt;
    Instant start;
    std::size_t asked_count;
    std::vector<std::optional<Instant>> answer_by;  // by node; nothing where it has voted
    Tally grants;
    Tally reach;
    Tally denials;
    NodeSet suspected;
    std::vector<NodeReport> reports;
    ReplyPayload granted_payload;
    bool foreign;

    bool operator==(const Snapshot&) const = default;
  };
  [[nodiscard]] Snapshot snapshot() const;

 private:
  void record(NodeIndex node, Reply reply);

  AnswerTimes answer_times_;
  std::shared_ptr<const Command> command_;
  AttemptNumber attempt_;
  Instant start_;
  std::array<Instant, kNodesMax> answer_by_;
  std::size_t asked_count_ = 0;
  Tally grants_;
  Tally reach_;
  Tally denials_;
  Tally undenied_;
  NodeSet suspected_;
  std::vector<NodeReport> reports_;
  std::optional<NodeIndex> latest_grant_;
  bool foreign_ = false;
};

}  // namespace redlock
