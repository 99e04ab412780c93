// Short names for tokens and stamps inside the checker.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sim/mix.hpp"

namespace redlock::sim {

// Word by word; collisions among the few values of a schedule do not happen in practice.
[[nodiscard]] inline std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ text.size();
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = text.size() < sizeof(word) ? text.size() : sizeof(word);
    std::memcpy(&word, text.data(), size);
    hash = mix64(hash ^ word);
    text.remove_prefix(size);
  }
  return hash;
}

// A stamp's fraction, a token whole: what a client knows of its lock before it is granted.
[[nodiscard]] inline std::uint64_t token_hash(std::string_view value) {
  const std::size_t dot = value.find('.');
  return hash_text(dot == std::string_view::npos ? value : value.substr(dot + 1));
}

}  // namespace redlock::sim
