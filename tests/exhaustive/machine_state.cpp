// The members, one by one.
#include "exhaustive/machine_state.hpp"

#include "exhaustive/private_access.hpp"
#include "redlock/wire/translate.hpp"

namespace redlock::exhaustive {

REDLOCK_EXPOSE(AcquireAttempt, Acquire, AttemptNumber, attempt_);
REDLOCK_EXPOSE(AcquireToken, Acquire, Token, token_);
REDLOCK_EXPOSE(AcquireRound, Acquire, std::optional<Round>, round_);
REDLOCK_EXPOSE(AcquirePhase, Acquire, Acquire::Phase, phase_);
REDLOCK_EXPOSE(AcquireLate, Acquire, bool, late_);
REDLOCK_EXPOSE(AcquireResumeAt, Acquire, Instant, resume_at_);
REDLOCK_EXPOSE(AcquireUndo, Acquire, std::vector<Request>, undo_);
REDLOCK_EXPOSE(QuorumQueryRound, QuorumQuery, std::optional<Round>, round_);
REDLOCK_EXPOSE(RoundCommand, Round, std::shared_ptr<const Command>, command_);
REDLOCK_EXPOSE(RoundAttempt, Round, AttemptNumber, attempt_);
REDLOCK_EXPOSE(RoundStart, Round, Instant, start_);
REDLOCK_EXPOSE(RoundAsked, Round, std::size_t, asked_count_);
using AnswerBy = std::array<Instant, kNodesMax>;
REDLOCK_EXPOSE(RoundAnswerBy, Round, AnswerBy, answer_by_);
REDLOCK_EXPOSE(RoundGrants, Round, Tally, grants_);
REDLOCK_EXPOSE(RoundReach, Round, Tally, reach_);
REDLOCK_EXPOSE(RoundDenials, Round, Tally, denials_);
REDLOCK_EXPOSE(RoundSuspected, Round, NodeSet, suspected_);
REDLOCK_EXPOSE(RoundReports, Round, std::vector<NodeReport>, reports_);
REDLOCK_EXPOSE(RoundForeign, Round, bool, foreign_);
REDLOCK_EXPOSE(TallyCount, Tally, std::uint32_t, node_count_);
REDLOCK_EXPOSE(TallyVoted, Tally, std::bitset<kNodesMax>, voted_);
REDLOCK_EXPOSE(TallyYes, Tally, std::uint32_t, yes_count_);

namespace {

template <class Tag, class Machine>
const auto& member(const Machine& machine) {
  return machine.*pointer_to(Tag{});
}

class Writer {
 public:
  void number(std::int64_t value) { (text_ += std::to_string(value)) += ';'; }
  void count(std::uint64_t value) { (text_ += std::to_string(value)) += ';'; }
  void string(std::string_view value) {
    count(value.size());
    text_ += value;
  }
  void after(Instant at, Instant now) { number((at - now).count_ns()); }
  void tally(const Tally& tally) {
    count(member<TallyCount>(tally));
    count(member<TallyVoted>(tally).to_ullong());
    count(member<TallyYes>(tally));
  }
  void reply(const Reply& reply) {
    number(static_cast<int>(reply.answer));
    number(static_cast<int>(reply.fault));
    payload(reply.payload);
  }
  // What these worlds' servers say: nothing, a reason or a stamp.
  void payload(const ReplyPayload& payload) {
    const auto* const reason = std::get_if<std::string>(&payload);
    const auto* const stored = std::get_if<Token>(&payload);
    count(payload.index());
    string(reason != nullptr ? *reason : stored != nullptr ? stored->view() : std::string_view());
  }
  void reports(const std::vector<NodeReport>& reports) {
    for (const NodeReport& report : reports) {
      number(report.answered ? 1 : 0);
      reply(report.reply);
    }
  }
  void round(const std::optional<Round>& round, Instant now);
  void outcome(const Outcome* outcome, Instant now);
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void Writer::round(const std::optional<Round>& round, Instant now) {
  number(round ? 1 : 0);
  if (!round) return;
  std::string bytes;
  append_request(bytes, *member<RoundCommand>(*round), ScriptForm::sha1);
  string(bytes);
  count(member<RoundAttempt>(*round));
  number((now - member<RoundStart>(*round)).count_ns());
  count(member<RoundAsked>(*round));
  for (std::size_t i = 0; i < member<RoundReports>(*round).size(); ++i) {
    if (!member<RoundGrants>(*round).has_voted(NodeIndex(i))) {
      after(member<RoundAnswerBy>(*round)[i], now);
    }
  }
  tally(member<RoundGrants>(*round));
  tally(member<RoundReach>(*round));
  tally(member<RoundDenials>(*round));
  count(member<RoundSuspected>(*round).to_ullong());
  reports(member<RoundReports>(*round));
  payload(round->granted_payload());
  number(member<RoundForeign>(*round) ? 1 : 0);
}

void Writer::outcome(const Outcome* outcome, Instant now) {
  number(outcome != nullptr ? 1 : 0);
  if (outcome == nullptr) return;
  number(static_cast<int>(outcome->decision));
  string(outcome->token.view());
  number(outcome->validity.count_ns());
  number((now - outcome->decided_at).count_ns());
  reports(outcome->nodes);
}

std::uint8_t view_of(const std::optional<Round>& round, std::size_t node) {
  if (!round) return 0;
  const NodeReport& report = member<RoundReports>(*round)[node];
  if (!report.answered) return 0;
  return static_cast<std::uint8_t>(1 + static_cast<int>(report.reply.answer) * 16 +
                                   static_cast<int>(report.reply.fault));
}

}  // namespace

std::uint8_t node_view(const Acquire& machine, std::size_t node) {
  return view_of(member<AcquireRound>(machine), node);
}

std::uint8_t node_view(const QuorumQuery& machine, std::size_t node) {
  return view_of(member<QuorumQueryRound>(machine), node);
}

std::string machine_state(const Acquire& machine, Instant now) {
  Writer writer;
  writer.count(member<AcquireAttempt>(machine));
  writer.string(member<AcquireToken>(machine).view());
  writer.round(member<AcquireRound>(machine), now);
  const Acquire::Phase phase = member<AcquirePhase>(machine);
  writer.number(static_cast<int>(phase));
  writer.number(member<AcquireLate>(machine) ? 1 : 0);
  if (phase == Acquire::Phase::pausing) writer.after(member<AcquireResumeAt>(machine), now);
  writer.count(member<AcquireUndo>(machine).size());
  writer.outcome(machine.outcome(), now);
  return writer.take();
}

std::string machine_state(const QuorumQuery& machine, Instant now) {
  Writer writer;
  writer.round(member<QuorumQueryRound>(machine), now);
  writer.outcome(machine.outcome(), now);
  return writer.take();
}

}  // namespace redlock::exhaustive
