// The small worlds that are explored, by name.
#pragma once
#include <vector>

#include "exhaustive/settings.hpp"

namespace redlock::exhaustive {

enum class Size { small, full };

struct NamedWorld {
  Settings settings;
  Size size = Size::full;
};

[[nodiscard]] std::vector<NamedWorld> all_worlds();

}  // namespace redlock::exhaustive
