// Reading what nodes say of a lock.
#include "redlock/algorithm/holding.hpp"

#include <algorithm>
#include <charconv>

#include "redlock/algorithm/quorum.hpp"

namespace redlock {

namespace {

constexpr std::int64_t kEndless = -1;

Duration ending(const Holding& holding) { return holding.left.value_or(Duration::max()); }

}  // namespace

std::optional<Holding> holding_of(const NodeReport& report) {
  if (!report.answered || report.reply.answer != Answer::granted) return std::nullopt;
  const std::string_view text = report.reply.text;
  std::int64_t left_ms = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), left_ms);
  const auto blank = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || blank == text.size() || text[blank] != ' ') return std::nullopt;
  Holding holding{Token(std::string(text.substr(blank + 1))), std::nullopt};
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

}  // namespace redlock
