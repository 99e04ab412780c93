// What one lock is about: one resource, or several that are held together, all or none.
//
// Several are a set: in whatever order they are named, and however often, it is the same lock.
// Invariants: there is at least one; in ascending order, each once. Immutable and shared by its
// copies; any thread.
#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/invariant.hpp"

namespace redlock {

class Resources {
 public:
  // Implicit, because most locks are about one.
  Resources(Resource only) : count_(1), all_(std::make_shared<Resource[]>(1)) {  // NOLINT
    all_[0] = std::move(only);
  }
  // Requires at least one.
  explicit Resources(std::vector<Resource> several) {
    REDLOCK_INVARIANT(!several.empty());
    std::ranges::sort(several);
    // Not std::ranges::unique: clang 14 cannot compile that of g++ 12's library.
    several.erase(std::unique(several.begin(), several.end()), several.end());
    count_ = several.size();
    all_ = std::make_shared<Resource[]>(count_);
    std::ranges::move(several, all_.get());
  }

  [[nodiscard]] std::span<const Resource> all() const { return {all_.get(), count_}; }
  [[nodiscard]] bool single() const { return count_ == 1; }
  // Requires single().
  [[nodiscard]] const Resource& only() const {
    REDLOCK_INVARIANT(single());
    return all_[0];
  }

  [[nodiscard]] bool operator==(const Resources& other) const {
    return std::ranges::equal(all(), other.all());
  }
  [[nodiscard]] std::strong_ordering operator<=>(const Resources& other) const {
    return std::lexicographical_compare_three_way(all().begin(), all().end(), other.all().begin(),
                                                  other.all().end());
  }

 private:
  std::size_t count_;
  std::shared_ptr<Resource[]> all_;
};

}  // namespace redlock
