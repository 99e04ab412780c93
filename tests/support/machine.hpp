// Helpers to drive one algorithm by hand, one event at a time.
#pragma once
#include <initializer_list>
#include <memory>
#include <vector>

#include "redlock/algorithm/operation.hpp"
#include "redlock/algorithm/round.hpp"

namespace redlock::test {

// Where a test's time begins; t(5) is 5 ms later.
inline constexpr Instant kStart = Instant::from_ns(7'000'000'000);
constexpr Instant t(std::int64_t ms) { return kStart + Duration::ms(ms); }
inline constexpr Duration kOneNs = Duration::ns(1);

inline AnswerTimes answer_times(std::initializer_list<std::int64_t> times_ms) {
  std::vector<Duration> times;
  for (const std::int64_t ms : times_ms) times.push_back(Duration::ms(ms));
  return std::make_shared<const std::vector<Duration>>(std::move(times));
}

inline AnswerTimes answer_times(std::size_t node_count, Duration each) {
  return std::make_shared<const std::vector<Duration>>(node_count, each);
}

inline std::vector<Request> drain(Operation& operation) {
  std::vector<Request> requests;
  while (auto request = operation.next_request()) requests.push_back(std::move(*request));
  return requests;
}

// The requests that carry one kind of command.
template <class Kind>
std::vector<Request> only(const std::vector<Request>& requests) {
  std::vector<Request> matching;
  for (const Request& request : requests) {
    if (std::holds_alternative<Kind>(*request.command)) matching.push_back(request);
  }
  return matching;
}

inline std::vector<std::size_t> nodes_of(const std::vector<Request>& requests) {
  std::vector<std::size_t> nodes;
  for (const Request& request : requests) nodes.push_back(request.node.value());
  return nodes;
}

}  // namespace redlock::test
