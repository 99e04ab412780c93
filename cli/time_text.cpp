// Reading and writing times.
#include "cli/time_text.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace redlock::cli {

namespace {

using std::chrono::milliseconds;

struct Unit {
  std::string_view name;
  double ms;
};
constexpr std::array<Unit, 6> kUnits{
    {{"ms", 1}, {"s", 1e3}, {"", 1e3}, {"m", 60e3}, {"h", 3600e3}, {"d", 86400e3}}};

[[noreturn]] void complain(std::string_view name, std::string_view wanted) {
  throw std::invalid_argument(std::string(name) + " must be " + std::string(wanted));
}

milliseconds parse(std::string_view name, std::string_view text, std::string_view wanted) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  // Not negative, not a number, or nothing at all.
  if (error != std::errc() || !(number >= 0)) complain(name, wanted);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& known : kUnits) {
    if (unit != known.name) continue;
    const double ms = number * known.ms;
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    if (ms >= static_cast<double>(kMax)) return milliseconds::max();
    return milliseconds(static_cast<std::int64_t>(ms));
  }
  complain(name, wanted);
}

std::string printed(const char* format, auto... values) {
  std::array<char, 64> buffer{};
  const int size = std::snprintf(buffer.data(), buffer.size(), format, values...);
  return {buffer.data(), static_cast<std::size_t>(size)};
}

}  // namespace

milliseconds time_from(std::string_view name, std::string_view text) {
  return parse(name, text, "a time such as 30s, 500ms or 5m");
}

milliseconds wait_from(std::string_view name, std::string_view text) {
  if (text == "forever") return milliseconds::max();
  return parse(name, text, "a time such as 30s, 500ms or 5m, or forever");
}

std::string ms_text(std::int64_t us) { return printed("%.3g ms", static_cast<double>(us) / 1000); }

std::string time_text(milliseconds time) {
  const std::int64_t ms = time.count();
  const std::int64_t seconds = ms / 1000;
  if (ms < 1000) return std::to_string(ms) + " ms";
  if (ms < 60'000) return std::to_string(seconds) + "." + std::to_string(ms % 1000 / 100) + " s";
  if (seconds < 3600) {
    return printed("%lld min %02lld s", static_cast<long long>(seconds / 60),
                   static_cast<long long>(seconds % 60));
  }
  return printed("%lld h %02lld min", static_cast<long long>(seconds / 3600),
                 static_cast<long long>(seconds / 60 % 60));
}

}  // namespace redlock::cli
