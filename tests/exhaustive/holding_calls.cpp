// Making machines, and telling them again what they were told.
#include "exhaustive/holding_calls.hpp"

#include <stdexcept>
#include <utility>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/extend.hpp"
#include "redlock/algorithm/quorum_kind.hpp"

namespace redlock::exhaustive {

namespace {

constexpr Instant kBegin = Instant::from_ns(1'000'000'000'000);
// An answer counts in the tick behind the question, and not in the next.
constexpr Duration kAnswerTime = Duration::ms(kTickMs + kTickMs / 2);

// The only draw of a call is its token.
class OneToken final : public Entropy {
 public:
  explicit OneToken(TokenCode code) : code_(code) {}
  void fill(std::span<std::byte> bytes) override {
    for (std::byte& b : bytes) b = static_cast<std::byte>(code_);
  }

 private:
  TokenCode code_;
};

Resources resources_of(const std::string& letters) {
  std::vector<Resource> all;
  for (const char letter : letters) all.emplace_back(std::string(1, letter));
  return Resources(std::move(all));
}

QuorumKind kind_of(const CallRecipe& recipe) {
  const QuorumKind kind(resources_of(recipe.resources), Duration::ms(kHoldingTtlMs), 0.01, {}, {},
                        recipe.mode);
  return recipe.kind == CallKind::promote ? kind.promoting(token_of(recipe.held)) : kind;
}

struct Machine {
  explicit Machine(const CallRecipe& recipe) : entropy(recipe.fresh) {
    const auto times = std::make_shared<const std::vector<Duration>>(kHoldingServers, kAnswerTime);
    const auto kind = std::make_shared<const QuorumKind>(kind_of(recipe));
    if (recipe.kind == CallKind::extend) {
      extend = std::make_unique<Extend>(times, kind, token_of(recipe.held));
      operation = extend.get();
    } else {
      acquire = std::make_unique<Acquire>(times, kind, RetryPolicy::jittered(1, 0), entropy);
      operation = acquire.get();
    }
  }
  [[nodiscard]] std::optional<Round::Snapshot> round() const {
    return acquire ? acquire->snapshot().round : extend->snapshot().round;
  }
  [[nodiscard]] std::string phase() const {
    if (!acquire) return "e";
    const Acquire::Snapshot state = acquire->snapshot();
    if (state.undo_count != 0) throw std::logic_error("an undo was kept back");
    return std::to_string(static_cast<int>(state.phase)) + (state.late ? "l" : "");
  }

  OneToken entropy;
  std::unique_ptr<Acquire> acquire;
  std::unique_ptr<Extend> extend;
  Operation* operation = nullptr;
};

Reply reply_of(Vote vote) {
  switch (vote) {
    case Vote::granted:
      return Reply::granted();
    case Vote::busy:
      return Reply::denied(BusyResource{});
    case Vote::denied:
      return Reply::denied();
    case Vote::closed:
      break;
  }
  return Reply::unknown(Fault::closed, "the link was cut");
}

HoldingCalls::Call call_of(const Machine& machine, Instant now) {
  HoldingCalls::Call call;
  const std::optional<Round::Snapshot> round = machine.round();
  call.bytes = machine.phase() + std::to_string((now - round->start).count_ms());
  for (std::size_t i = 0; i < kHoldingServers; ++i) {
    const NodeReport& report = round->reports[i];
    if (!report.answered) continue;
    const int kind =
        static_cast<int>(report.reply.answer) * 32 + static_cast<int>(report.reply.payload.index());
    call.heard[i] = static_cast<std::uint8_t>(1 + kind);
  }
  const Outcome* const outcome = machine.operation->outcome();
  if (outcome == nullptr) return call;
  call.done = true;
  call.granted = outcome->decision == Decision::granted;
  call.validity_ms = call.granted ? outcome->validity.count_ms() : 0;
  call.lost = machine.acquire && is_lost_promotion(*outcome);
  call.bytes += 'd' + std::to_string(static_cast<int>(outcome->decision)) + 'v' +
                std::to_string(call.validity_ms);
  return call;
}

}  // namespace

Token token_of(TokenCode code) {
  OneToken entropy(code);
  return random_token(entropy);
}

const HoldingCalls::Step& HoldingCalls::begin(const CallRecipe& recipe) {
  // A token is drawn for one call alone, and a lock is extended by one recipe.
  const auto code = static_cast<std::uint32_t>(recipe.fresh) << 8U | recipe.held | 1U << 31U;
  const auto [known, is_new] = steps_.try_emplace(code);
  if (is_new) {
    recipes_.push_back(recipe);
    known->second = run(static_cast<std::uint16_t>(recipes_.size() - 1), {});
  }
  return steps_.at(code);
}

const HoldingCalls::Step& HoldingCalls::hear(std::uint16_t call, std::size_t node, Vote vote) {
  return tell(call, {static_cast<std::uint8_t>(node), vote});
}

const HoldingCalls::Step& HoldingCalls::turn(std::uint16_t call) { return tell(call, {}); }

const HoldingCalls::Step& HoldingCalls::tell(std::uint16_t call, const Told& told) {
  const auto code = static_cast<std::uint32_t>(call) << 8U |
                    static_cast<std::uint32_t>(told.node) << 4U |
                    static_cast<std::uint32_t>(told.vote);
  const auto [known, is_new] = steps_.try_emplace(code);
  if (is_new) {
    std::vector<Told> history = calls_[call].history;
    history.push_back(told);
    known->second = run(calls_[call].recipe, std::move(history));
  }
  return steps_.at(code);
}

// What it asks for last is what is new.
HoldingCalls::Step HoldingCalls::run(std::uint16_t recipe, std::vector<Told> history) {
  Machine machine(recipes_[recipe]);
  Instant now = kBegin;
  Step step;
  const auto drain = [&] {
    step.asks.clear();
    while (auto request = machine.operation->next_request()) {
      step.asks.push_back({static_cast<std::uint8_t>(request->node.value()),
                           servers_.number_of(*request->command), request->wants_answer});
    }
  };
  machine.operation->start(now);
  drain();
  for (const Told& told : history) {
    if (told.node < kHoldingServers) {
      machine.operation->on_reply(NodeIndex(told.node), kOnlyAttempt, reply_of(told.vote), now);
    } else {
      now = now + Duration::ms(kTickMs);
      machine.operation->on_time(now);
    }
    drain();
  }
  Known known{call_of(machine, now), recipe, std::move(history)};
  known.call.bytes = std::to_string(recipe) + '.' + known.call.bytes;
  step.call = enter(std::move(known));
  return step;
}

std::uint16_t HoldingCalls::enter(Known known) {
  std::string bytes = known.call.bytes;
  for (const std::uint8_t heard : known.call.heard) bytes += static_cast<char>(heard);
  if (calls_.size() > 0xffff) throw std::length_error("too many calls for a state to name");
  const auto number = static_cast<std::uint16_t>(calls_.size());
  const auto [entry, is_new] = numbers_.emplace(std::move(bytes), number);
  if (is_new) calls_.push_back(std::move(known));
  return entry->second;
}

}  // namespace redlock::exhaustive
