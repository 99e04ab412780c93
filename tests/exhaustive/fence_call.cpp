// The machine, made and told again.
#include "exhaustive/fence_call.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/fenced_acquire.hpp"
#include "redlock/algorithm/quorum_kind.hpp"

namespace redlock::exhaustive {

namespace {

constexpr Instant kBegin = Instant::from_ns(1'000'000'000'000);
// Too short for any clock: time passes only for a raise that waits for silent servers.
constexpr Duration kAnswerTime = Duration::ns(1);

// Every draw is another, of each call, and the same in every replay.
class NamedEntropy final : public Entropy {
 public:
  explicit NamedEntropy(std::uint8_t name) : next_(static_cast<std::uint8_t>(name << 4U)) {}
  void fill(std::span<std::byte> bytes) override {
    ++next_;
    for (std::byte& b : bytes) b = static_cast<std::byte>(next_);
  }

 private:
  std::uint8_t next_;
};

void add_report(std::string& bytes, const NodeReport& report) {
  bytes += report.answered ? std::to_string(static_cast<int>(report.reply.answer)) : "-";
  if (const auto* const vote = report.reply.said<FenceVote>()) {
    bytes += vote->recorded ? "!" : '<' + std::to_string(vote->last);
  }
  bytes += ',';
}

void add_outcome(std::string& bytes, const std::optional<Outcome>& outcome) {
  if (!outcome) return;
  bytes += std::to_string(static_cast<int>(outcome->decision)) + '=' +
           std::to_string(outcome->fence.value_or(0)) + ';';
}

}  // namespace

std::string short_name(const Token& token) { return std::string(token.view().substr(0, 2)); }

std::vector<Request> FenceCall::begin(const FenceTerms& terms) {
  *this = FenceCall();
  terms_ = terms;
  running_ = true;
  return replay();
}

std::vector<Request> FenceCall::hear(std::size_t node, AttemptNumber attempt, const Reply& reply) {
  return tell({node, attempt, reply});
}

std::vector<Request> FenceCall::turn() { return tell({}); }

std::vector<Request> FenceCall::tell(const Told& told) {
  told_.push_back(told);
  return replay();
}

// What it asks for last is what is new.
std::vector<Request> FenceCall::replay() {
  NamedEntropy entropy(terms_.name);
  const auto times = std::make_shared<const std::vector<Duration>>(kFenceServers, kAnswerTime);
  const FenceProposals fences{terms_.wall_us, kBegin, Duration::seconds(3600)};
  const auto kind = std::make_shared<const QuorumKind>(Resource("r"), Duration::seconds(10), 0.01,
                                                       std::string(), fences);
  auto made = std::make_unique<Acquire>(times, kind,
                                        RetryPolicy::exact(terms_.attempts, Duration()), entropy);
  const Acquire& acquire = *made;
  FencedAcquire machine(times, kind, fences, std::move(made));
  Instant now = kBegin;
  machine.start(now);
  std::vector<Request> asked;
  const auto drain = [&] {
    asked.clear();
    while (auto request = machine.next_request()) asked.push_back(*std::move(request));
  };
  drain();
  for (const Told& told : told_) {
    if (told.node) {
      machine.on_reply(NodeIndex(*told.node), told.attempt, told.reply, now);
    } else {
      now = std::max(now, machine.next_deadline().value());
      machine.on_time(now);
    }
    drain();
  }
  const Acquire::Snapshot inner = acquire.snapshot();
  const FencedAcquire::Snapshot outer = machine.snapshot();
  outcome_ = outer.outcome;
  acquired_ = inner.outcome;
  token_ = short_name(inner.token);
  const std::optional<Instant> deadline = machine.next_deadline();
  const auto answered = [](const NodeReport& report) { return report.answered; };
  const bool waits = outer.round && std::ranges::all_of(outer.round->reports, answered);
  has_turn_ = deadline && (*deadline <= now || waits);
  bytes_ = std::to_string(terms_.name) + '.' + std::to_string(static_cast<int>(inner.phase)) + '.' +
           std::to_string(inner.attempt) + '.' + token_ + '.';
  bytes_ += std::to_string(outer.raises) + '.' + std::to_string(outer.proposal) + '.' +
            std::to_string(outer.last) + '.';
  for (std::size_t node = 0; node < kFenceServers; ++node) {
    bytes_of_[node].clear();
    if (inner.round) add_report(bytes_of_[node], inner.round->reports[node]);
    if (outer.round) add_report(bytes_of_[node], outer.round->reports[node]);
  }
  add_outcome(bytes_, inner.outcome);
  add_outcome(bytes_, outer.outcome);
  return asked;
}

}  // namespace redlock::exhaustive
