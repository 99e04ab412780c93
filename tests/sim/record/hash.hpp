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
  std::uint64_t word = 0;
  for (; text.size() >= sizeof(word); text.remove_prefix(sizeof(word))) {
    std::memcpy(&word, text.data(), sizeof(word));
    hash = mix64(hash ^ word);
  }
  if (text.empty()) return hash;
  word = 0;
  std::memcpy(&word, text.data(), text.size());
  return mix64(hash ^ word);
}

// A stamp's fraction, a token whole: what a client knows of its lock before it is granted.
[[nodiscard]] inline std::uint64_t token_hash(std::string_view value) {
  const std::size_t dot = value.find('.');
  return hash_text(dot == std::string_view::npos ? value : value.substr(dot + 1));
}

}  // namespace redlock::sim
