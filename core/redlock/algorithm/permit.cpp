// The names of slots.
#include "redlock/algorithm/permit.hpp"

#include <charconv>
#include <string>

namespace redlock {

namespace {
constexpr std::string_view kLineSuffix = ":redlock:slot";
}  // namespace

Resource permit_line_of(const Resource& resource) {
  return Resource(std::string(resource.view()).append(kLineSuffix));
}

Resource slot_of(const Resource& resource, std::size_t slot) {
  return Resource(
      std::string(resource.view()).append(kLineSuffix).append(":").append(std::to_string(slot)));
}

std::optional<std::size_t> slot_number(const Resource& name) {
  const std::string_view text = name.view();
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !text.substr(0, colon).ends_with(kLineSuffix)) {
    return std::nullopt;
  }
  const std::string_view digits = text.substr(colon + 1);
  std::size_t slot = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), slot);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  const bool usual = digits.size() == 1 || !digits.starts_with('0');
  return whole && usual && slot < kPermitsMax ? std::optional(slot) : std::nullopt;
}

}  // namespace redlock
