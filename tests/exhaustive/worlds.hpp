// The small worlds that are explored, by name.
#pragma once
#include <string>
#include <vector>

#include "exhaustive/settings.hpp"

namespace redlock::exhaustive {

enum class Size { small, full };

struct NamedWorld {
  Settings settings;
  Size size = Size::full;
};

// Of another kind of world.
template <class OtherSettings>
struct Named {
  OtherSettings settings;
  Size size = Size::full;
  // What is to be found there, because something is broken on purpose; empty: nothing.
  std::string expectation;
};

[[nodiscard]] std::vector<NamedWorld> all_worlds();

}  // namespace redlock::exhaustive
