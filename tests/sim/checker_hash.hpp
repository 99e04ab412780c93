// Short names for tokens and stamps inside the checker.
#pragma once
#include <cstdint>
#include <string_view>

namespace redlock::sim {

// FNV-1a; collisions among the few values of a schedule do not happen in practice.
[[nodiscard]] constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

// A stamp's fraction, a token whole: what a client knows of its lock before it is granted.
[[nodiscard]] constexpr std::uint64_t token_hash(std::string_view value) {
  const std::size_t dot = value.find('.');
  return hash_text(dot == std::string_view::npos ? value : value.substr(dot + 1));
}

}  // namespace redlock::sim
