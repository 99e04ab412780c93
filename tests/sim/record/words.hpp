// How the checker writes clients and times.
#pragma once
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace redlock::sim {

[[nodiscard]] inline std::string who(std::uint32_t client) {
  return "client " + std::to_string(client);
}

[[nodiscard]] inline std::string in_ms(std::int64_t ns) {
  std::array<char, 32> text;
  const int size =
      std::snprintf(text.data(), text.size(), "%.3f ms", static_cast<double>(ns) / 1e6);
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace redlock::sim
