// The conversation in which plain questions are asked, one at a time, and whatever is answered is
// handed on: INFO, ROLE, TIME.
//
//   greeting ─▶ question, held back by a SELECT ─▶ its answer ─▶ the next question … ─▶ broken
//
// Invariants: at most one question is unanswered; an error is an answer, and shows no secret of
// ours. Pure: no clock, no I/O. One thread; lives as long as its connection.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/algorithm/time.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/wire/conversation.hpp"

namespace redlock {

class Examination final : public Conversation {
 public:
  // An answer.
  using Event = RespValue;

  // Writes the greeting.
  explicit Examination(const Endpoint& endpoint) : Conversation(endpoint) {}

  // Requires that nothing is awaited. Nothing happens once it is broken.
  void ask(std::span<const std::string_view> question, Instant answer_by);
  [[nodiscard]] bool awaits() const { return answer_by_.has_value(); }

  [[nodiscard]] bool has_output() const { return !rest().empty() || owes_question(); }
  [[nodiscard]] std::string_view output();
  // What little there is stays as bytes.
  void take_back() noexcept {}
  void drop_expired(Instant /*now*/, std::vector<Event>& /*answers*/) {}
  void begin_answers(Instant answer_by) {
    if (awaits()) answer_by_ = answer_by;
  }
  void on_bytes(std::string_view bytes, std::vector<Event>& answers);
  void fail(Fault fault, const std::string& reason, std::vector<Event>& answers);
  [[nodiscard]] std::optional<Instant> next_deadline() const {
    return broken() ? std::nullopt : answer_by_;
  }
  [[nodiscard]] bool idle() const { return !awaits() && rest().empty() && !greeting(); }

 private:
  [[nodiscard]] bool owes_question() const { return admitted() && !question_.empty() && !broken(); }

  std::string question_;  // as bytes, until it may be sent
  std::optional<Instant> answer_by_;
};

}  // namespace redlock
