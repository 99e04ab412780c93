// What the step before still had to send when an operation of several steps went on to the next
// one.
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "redlock/algorithm/command.hpp"

namespace redlock {

// Takes all that `next` still gives. The room comes first: a request that was taken from the step
// is nowhere else. Nothing without a command stays behind where `next` throws.
template <typename Next>
void take_over(std::deque<Request>& left, const Next& next) {
  try {
    for (;;) {
      left.push_back({NodeIndex(0), 0, nullptr, {}, false});
      std::optional<Request> request = next();
      if (!request) break;
      left.back() = std::move(*request);
    }
  } catch (...) {
    if (!left.empty() && left.back().command == nullptr) left.pop_back();
    throw;
  }
  left.pop_back();
}

[[nodiscard]] inline std::optional<Request> take_first(std::deque<Request>& left) {
  std::optional<Request> request;
  if (left.empty()) return request;
  request = std::move(left.front());
  left.pop_front();
  return request;
}

}  // namespace redlock
