// Times as people write and read them: "30s", "1.5", "500ms", "27.3 s".
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace redlock::cli {

// A number with ms, s, m, h or d behind it, seconds without; what is too long is the longest there
// is. Throws std::invalid_argument, which begins with `name`.
[[nodiscard]] std::chrono::milliseconds time_from(std::string_view name, std::string_view text);
// The same, or "forever".
[[nodiscard]] std::chrono::milliseconds wait_from(std::string_view name, std::string_view text);

// "850 ms", "27.3 s", "2 min 05 s", "3 h 20 min".
[[nodiscard]] std::string time_text(std::chrono::milliseconds time);

// "0.21 ms", with three digits that tell.
[[nodiscard]] std::string ms_text(std::int64_t us);

}  // namespace redlock::cli
