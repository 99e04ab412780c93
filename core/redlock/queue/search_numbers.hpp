// The numbers of a wait's requests, among them those of its search, which counts from 1 itself.
//
// Only the latest search is known by them. Pure. One thread; owned by a wait.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "redlock/algorithm/operation.hpp"

namespace redlock {

class SearchNumbers {
 public:
  // For the next request of the wait itself, and for others that go out with it.
  AttemptNumber next() { return ++latest_; }
  [[nodiscard]] AttemptNumber latest() const { return latest_; }

  void begin_search() noexcept { sent_.clear(); }
  // What the search asks next, under a number of the wait.
  [[nodiscard]] std::optional<Request> next_of(Operation& search) {
    sent_.reserve(sent_.size() + 1);
    std::optional<Request> request = search.next_request();
    if (!request) return request;
    const auto same = std::ranges::find(sent_, request->attempt, &Sent::of_search);
    if (same == sent_.end()) {
      sent_.push_back({next(), request->attempt});
      request->attempt = latest_;
    } else {
      request->attempt = same->attempt;
    }
    return request;
  }
  // The search's own number; 0: it is none of its.
  [[nodiscard]] AttemptNumber of_search(AttemptNumber attempt) const {
    const auto found = std::ranges::find(sent_, attempt, &Sent::attempt);
    return found == sent_.end() ? 0 : found->of_search;
  }

 private:
  struct Sent {
    AttemptNumber attempt;
    AttemptNumber of_search;
  };

  std::vector<Sent> sent_;
  AttemptNumber latest_ = 0;
};

}  // namespace redlock
