// Which lock a command is about: its keys and the proof of ownership.
//
// A view into the command; it must not outlive it. Pure values.
#pragma once
#include <compare>
#include <cstddef>
#include <span>
#include <string_view>

#include "redlock/algorithm/ids.hpp"

namespace redlock {

struct LockName {
  std::span<const Resource> keys;  // one or several
  std::string_view proof;          // empty where the command shows none

  [[nodiscard]] std::strong_ordering operator<=>(const LockName& other) const {
    if (const auto order = keys.size() <=> other.keys.size(); order != 0) return order;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (const auto order = keys[i] <=> other.keys[i]; order != 0) return order;
    }
    return proof <=> other.proof;
  }
  [[nodiscard]] bool operator==(const LockName& other) const {
    return (*this <=> other) == std::strong_ordering::equal;
  }
};

}  // namespace redlock
