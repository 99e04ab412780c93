// What the machines say of themselves, one by one.
#include "exhaustive/machine_state.hpp"

#include "redlock/wire/translate.hpp"

namespace redlock::exhaustive {

namespace {

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
    count(tally.voted().to_ullong());
    count(tally.yes_count());
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
  void round(const std::optional<Round::Snapshot>& round, Instant now);
  void outcome(const std::optional<Outcome>& outcome, Instant now);
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void Writer::round(const std::optional<Round::Snapshot>& round, Instant now) {
  number(round ? 1 : 0);
  if (!round) return;
  std::string bytes;
  append_request(bytes, round->command, ScriptForm::sha1);
  string(bytes);
  count(round->attempt);
  number((now - round->start).count_ns());
  count(round->asked_count);
  for (const std::optional<Instant>& answer_by : round->answer_by) {
    if (answer_by) after(*answer_by, now);
  }
  tally(round->grants);
  tally(round->reach);
  tally(round->denials);
  count(round->suspected.to_ullong());
  reports(round->reports);
  payload(round->granted_payload);
  number(round->foreign ? 1 : 0);
}

void Writer::outcome(const std::optional<Outcome>& outcome, Instant now) {
  number(outcome ? 1 : 0);
  if (!outcome) return;
  number(static_cast<int>(outcome->decision));
  string(outcome->token.view());
  number(outcome->validity.count_ns());
  number((now - outcome->decided_at).count_ns());
  reports(outcome->nodes);
}

std::uint8_t view_of(const std::optional<Round::Snapshot>& round, std::size_t node) {
  if (!round || !round->reports[node].answered) return 0;
  const Reply& reply = round->reports[node].reply;
  return static_cast<std::uint8_t>(1 + static_cast<int>(reply.answer) * 16 +
                                   static_cast<int>(reply.fault));
}

}  // namespace

std::uint8_t node_view(const Acquire& machine, std::size_t node) {
  return view_of(machine.snapshot().round, node);
}

std::uint8_t node_view(const QuorumQuery& machine, std::size_t node) {
  return view_of(machine.snapshot().round, node);
}

std::string machine_state(const Acquire& machine, Instant now) {
  const Acquire::Snapshot state = machine.snapshot();
  Writer writer;
  writer.count(state.attempt);
  writer.string(state.token.view());
  writer.round(state.round, now);
  writer.number(static_cast<int>(state.phase));
  writer.number(state.late ? 1 : 0);
  if (state.resume_at) writer.after(*state.resume_at, now);
  writer.count(state.undo_count);
  writer.outcome(state.outcome, now);
  return writer.take();
}

std::string machine_state(const QuorumQuery& machine, Instant now) {
  const QuorumQuery::Snapshot state = machine.snapshot();
  Writer writer;
  writer.round(state.round, now);
  writer.outcome(state.outcome, now);
  return writer.take();
}

}  // namespace redlock::exhaustive
