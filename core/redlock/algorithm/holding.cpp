// Counting what nodes say of a lock.
#include "redlock/algorithm/holding.hpp"

#include <algorithm>
#include <functional>

namespace redlock {

namespace {

std::optional<Holding> majority_holding(const std::vector<LockState>& all, std::size_t majority) {
  const auto ending = [](const Holding& holding) { return holding.left.value_or(Duration::max()); };
  for (const LockState& candidate : all) {
    std::vector<Holding> same;
    for (const LockState& one : all) {
      const bool both = candidate.holding && one.holding;
      if (both && one.holding->token == candidate.holding->token) same.push_back(*one.holding);
    }
    if (same.size() < majority) continue;
    // Of those that hold it, all but a majority may let go first.
    std::ranges::sort(same, std::greater<>(), ending);
    return same[majority - 1];
  }
  return std::nullopt;
}

// So many of a majority at least.
std::optional<std::int64_t> majority_count(const std::vector<LockState>& all,
                                           std::optional<std::int64_t> LockState::* what,
                                           std::size_t majority) {
  std::vector<std::int64_t> counts;
  for (const LockState& one : all) {
    if (one.*what) counts.push_back(*(one.*what));
  }
  if (counts.size() < majority) return std::nullopt;
  std::ranges::sort(counts, std::greater());
  return counts[majority - 1];
}

std::vector<Waiter> majority_line(const std::vector<LockState>& all, std::size_t majority) {
  struct Named {
    Waiter waiter;
    std::size_t times;
  };
  std::vector<Named> named;
  for (const LockState& one : all) {
    for (const Waiter& waiter : one.line) {
      const auto known = std::ranges::find(named, waiter.token,
                                           [](const Named& entry) { return entry.waiter.token; });
      if (known == named.end()) {
        named.push_back({waiter, 1});
      } else {
        ++known->times;
        known->waiter.waited = std::max(known->waiter.waited, waiter.waited);
      }
    }
  }
  std::erase_if(named, [majority](const Named& entry) { return entry.times < majority; });
  std::ranges::sort(named, std::greater<>(),
                    [](const Named& entry) { return entry.waiter.waited; });
  std::vector<Waiter> line;
  line.reserve(named.size());
  for (Named& entry : named) line.push_back(std::move(entry.waiter));
  return line;
}

// May something be there that it did not say? What is no lock's is in a lock's place.
bool left_it_open(const NodeReport& report) {
  if (!report.answered) return true;
  if (report.reply.answer == Answer::unknown) return report.reply.fault != Fault::foreign;
  return report.reply.answer == Answer::granted && !seen_by(report).holding;
}

// How often each token was said, in the order of their first votes.
struct Votes {
  Holding holding;
  std::size_t count = 1;
};

std::vector<Votes> votes_in(const std::vector<NodeReport>& reports) {
  std::vector<Votes> all;
  for (const NodeReport& report : reports) {
    std::optional<Holding> holding = seen_by(report).holding;
    if (!holding) continue;
    const auto known = std::ranges::find(all, holding->token,
                                         [](const Votes& votes) { return votes.holding.token; });
    if (known == all.end()) {
      all.push_back({std::move(*holding)});
      continue;
    }
    ++known->count;
    std::optional<Duration>& left = known->holding.left;
    // Nothing is said of a lock by a key that never expires.
    if (holding->left) left = std::max(left.value_or(Duration()), *holding->left);
  }
  return all;
}

}  // namespace

LockState seen_by(const NodeReport& report) {
  const auto* const seen = report.reply.said<std::shared_ptr<const LockState>>();
  return seen == nullptr ? LockState() : **seen;
}

LockState seen_by_majority(const Outcome& inspected) {
  // Nobody was asked: such is what a child of a fork finds.
  if (inspected.quorum.grants() == 0) return {};
  const std::vector<NodeReport>& reports = inspected.nodes;
  std::vector<LockState> all;
  all.reserve(reports.size());
  for (const NodeReport& report : reports) all.push_back(seen_by(report));
  const std::size_t majority = inspected.quorum.grants();
  return {majority_holding(all, majority), majority_count(all, &LockState::waiters, majority),
          majority_line(all, majority), majority_count(all, &LockState::readers, majority)};
}

std::vector<Holding> maybe_held(const Outcome& inspected) {
  const std::vector<NodeReport>& reports = inspected.nodes;
  const std::size_t majority = inspected.quorum.grants();
  const auto silent = static_cast<std::size_t>(std::ranges::count_if(reports, left_it_open));
  std::vector<Votes> all = votes_in(reports);
  const auto wins = [majority](const Votes& votes) { return votes.count >= majority; };
  std::vector<Holding> held;
  if (std::ranges::any_of(all, wins)) return held;
  for (std::size_t count = majority; count > 0 && count + silent >= majority; --count) {
    for (Votes& votes : all) {
      if (votes.count == count) held.push_back(std::move(votes.holding));
    }
  }
  return held;
}

std::vector<Token> to_take_away(const Outcome& inspected) {
  std::vector<Holding> held = maybe_held(inspected);
  std::optional<Holding> of_majority = seen_by_majority(inspected).holding;
  if (of_majority) held.push_back(std::move(*of_majority));
  std::vector<Token> tokens;
  for (Holding& holding : held) {
    if (holding.left) tokens.push_back(std::move(holding.token));
  }
  return tokens;
}

}  // namespace redlock
