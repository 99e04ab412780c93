// The operation, made and told again.
#include "exhaustive/asked.hpp"

#include <algorithm>
#include <vector>

#include "exhaustive/machine_operation.hpp"
#include "exhaustive/settings.hpp"
#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/extend.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/vote_repair.hpp"

namespace redlock::exhaustive {

namespace {

constexpr Instant kBeginning = Instant::from_ns(1'000'000'000'000);
// What rounding may leave of an allowance that is exactly one tick.
constexpr Duration kRounding = Duration::us(1);

// The allowance for drift is one tick, whatever the ttl: by the factor and the floor of 2 ms.
std::shared_ptr<const QuorumKind> kind_for(int ttl) {
  const Settings settings{.name = {}, .ttl = ttl};
  return std::make_shared<const QuorumKind>(Resource("r"), span_of(ttl), settings.drift_factor());
}

Reply reply_of(Asked::Said said) {
  switch (said) {
    case Asked::Said::granted:
      return Reply::granted();
    case Asked::Said::denied:
      return Reply::denied();
    case Asked::Said::not_reached:
      return Reply::unknown(redlock::Fault::refused, "refused");
    default:
      return Reply::unknown(redlock::Fault::closed, "closed");
  }
}

void drain(Operation& machine) {
  while (machine.next_request()) {
  }
}

}  // namespace

Instant instant_of(int ticks) { return kBeginning + span_of(ticks); }
Duration span_of(int ticks) { return kTick * ticks; }
int ticks_of(Duration span) {
  const std::int64_t up = (span + kTick - kRounding).count_ns() / kTick.count_ns();
  return static_cast<int>(std::max<std::int64_t>(0, up));
}

void Asked::begin(Kind kind, int by, int now, unsigned nodes) {
  *this = Asked();
  kind_ = kind;
  by_ = by;
  began_ = now;
  nodes_ = nodes;
}

std::unique_ptr<Operation> Asked::fresh(const AskedTerms& terms) const {
  static CountingEntropy entropy;
  const auto times =
      std::make_shared<const std::vector<Duration>>(kAskedServers, span_of(terms.answer));
  const auto kind = kind_for(by_);
  const Token token("0123456789abcdef0123456789abcdef");
  if (kind_ == Kind::extend) {
    return std::make_unique<Extend>(times, kind, token, LossDetail::each);
  }
  if (kind_ == Kind::take) {
    return std::make_unique<Acquire>(times, kind, RetryPolicy::exact(1, Duration()), entropy);
  }
  std::vector<NodeIndex> nodes;
  for (std::size_t node = 0; node < kAskedServers; ++node) {
    if (asks(node)) nodes.emplace_back(node);
  }
  return std::make_unique<VoteRepair>(times, *kind, token, nodes);
}

std::unique_ptr<Operation> Asked::machine(const AskedTerms& terms) const {
  std::unique_ptr<Operation> machine = fresh(terms);
  machine->start(instant_of(began_));
  drain(*machine);
  std::vector<std::size_t> order;
  for (std::size_t node = 0; node < kAskedServers; ++node) {
    if (heard(node)) order.push_back(node);
  }
  std::ranges::stable_sort(order, {}, [this](std::size_t node) { return votes_[node].at; });
  for (const std::size_t node : order) {
    machine->on_reply(NodeIndex(node), 1, reply_of(votes_[node].said), instant_of(votes_[node].at));
  }
  return machine;
}

std::string Asked::bytes() const {
  if (!running()) return "-";
  return std::to_string(static_cast<int>(kind_)) + '.' + std::to_string(by_) + '.' +
         std::to_string(began_);
}

std::string Asked::bytes_of(std::size_t node) const {
  if (!running() || !asks(node)) return "-";
  const Vote& vote = votes_[node];
  return std::to_string(static_cast<int>(vote.said)) + '.' + std::to_string(vote.at);
}

}  // namespace redlock::exhaustive
