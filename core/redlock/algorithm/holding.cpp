// Reading what nodes say of a lock.
#include "redlock/algorithm/holding.hpp"

#include <algorithm>
#include <functional>

#include "redlock/algorithm/quorum.hpp"
#include "redlock/algorithm/take_number.hpp"

namespace redlock {

namespace {

constexpr std::int64_t kEndless = -1;

Duration ending(const Holding& holding) { return holding.left.value_or(Duration::max()); }

bool says(const NodeReport& report, Answer answer) {
  return report.answered && report.reply.answer == answer;
}

}  // namespace

std::optional<Holding> holding_of(const NodeReport& report) {
  if (!says(report, Answer::granted)) return std::nullopt;
  std::string_view text = report.reply.text;
  std::int64_t left_ms = 0;
  std::int64_t waiters = 0;
  if (!take_number(text, left_ms) || !take_number(text, waiters)) return std::nullopt;
  Holding holding{Token(std::string(text)), std::nullopt};
  if (left_ms != kEndless) holding.left = Duration::ms(std::max<std::int64_t>(left_ms, 0));
  return holding;
}

std::optional<Holding> majority_holding(const std::vector<NodeReport>& reports) {
  std::vector<Holding> all;
  for (const NodeReport& report : reports) {
    if (std::optional<Holding> one = holding_of(report)) all.push_back(std::move(*one));
  }
  const std::size_t majority = majority_of(reports.size());
  for (const Holding& candidate : all) {
    std::vector<Holding> same;
    std::ranges::copy_if(all, std::back_inserter(same),
                         [&](const Holding& one) { return one.token == candidate.token; });
    if (same.size() < majority) continue;
    // Of those that hold it, all but a majority may let go first.
    std::ranges::sort(same, std::greater<>(), ending);
    return same[majority - 1];
  }
  return std::nullopt;
}

std::optional<std::int64_t> waiters_of(const NodeReport& report) {
  const bool held = says(report, Answer::granted);
  if (!held && !says(report, Answer::denied)) return std::nullopt;
  std::string_view text = report.reply.text;
  std::int64_t left_ms = 0;
  std::int64_t waiters = 0;
  const bool told = (!held || take_number(text, left_ms)) && take_number(text, waiters);
  return told && waiters >= 0 ? std::optional(waiters) : std::nullopt;
}

std::optional<std::int64_t> majority_waiters(const std::vector<NodeReport>& reports) {
  std::vector<std::int64_t> all;
  for (const NodeReport& report : reports) {
    if (const auto waiters = waiters_of(report)) all.push_back(*waiters);
  }
  const std::size_t majority = majority_of(reports.size());
  if (all.size() < majority) return std::nullopt;
  std::ranges::sort(all, std::greater());
  return all[majority - 1];
}

}  // namespace redlock
