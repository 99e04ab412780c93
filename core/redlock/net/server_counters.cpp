// Counting, reading, and what histograms tell.
#include "redlock/net/server_counters.hpp"

#include <algorithm>
#include <numeric>

namespace redlock {

std::optional<Duration> percentile(const RoundTrips& of, unsigned percent) {
  const std::uint64_t all = std::accumulate(of.begin(), of.end(), std::uint64_t{0});
  if (all == 0) return std::nullopt;
  std::size_t i = 0;
  for (std::uint64_t below = of[0]; below * 100 < all * percent; below += of[i]) ++i;
  return Duration::us(kRoundTripBoundsUs[i]);
}

void ServerCounters::note_errors(Fault fault, std::uint64_t count, Instant now) noexcept {
  errors_[static_cast<std::size_t>(fault)].fetch_add(count, std::memory_order_relaxed);
  troubled_at_ns_.store(now.since_epoch_ns(), std::memory_order_relaxed);
}

void ServerCounters::note_round_trip(Duration took) noexcept {
  std::size_t i = 0;
  while (i + 1 < kRoundTripBoundsUs.size() && took > Duration::us(kRoundTripBoundsUs[i])) ++i;
  add_one(round_trips_[i]);
}

void ServerCounters::notice_fork() noexcept {
  if (!watch_.forked()) return;
  watch_.start_over();
  requests_ = connects_ = 0;
  for (Counter& counter : errors_) counter = 0;
  for (Counter& counter : round_trips_) counter = 0;
  troubled_at_ns_ = 0;
}

ServerNumbers ServerCounters::read() const noexcept {
  const auto value = [](const Counter& counter) { return counter.load(std::memory_order_relaxed); };
  ServerNumbers numbers;
  numbers.requests = value(requests_);
  numbers.connects = value(connects_);
  std::ranges::transform(errors_, numbers.errors.begin(), value);
  std::ranges::transform(round_trips_, numbers.round_trips.begin(), value);
  const std::int64_t troubled_at_ns = troubled_at_ns_.load(std::memory_order_relaxed);
  if (troubled_at_ns != 0) numbers.troubled_at = Instant::from_ns(troubled_at_ns);
  return numbers;
}

std::shared_ptr<ServerCounters> ServerBook::counters_of(const std::string& server) {
  const auto known = counters_.find(server);
  if (known != counters_.end()) return known->second;
  if (counters_.size() >= kServersCounted) {
    std::erase_if(counters_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  return counters_.emplace(server, std::make_shared<ServerCounters>()).first->second;
}

}  // namespace redlock
