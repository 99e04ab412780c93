// The worlds of one line that are explored, by name.
#pragma once
#include <string>
#include <vector>

#include "exhaustive/line_world.hpp"
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive {

struct NamedLine {
  LineSettings settings;
  Size size = Size::full;
  // What is to be found there, because something is broken on purpose; empty: nothing.
  std::string expectation;
};

[[nodiscard]] std::vector<NamedLine> line_worlds();

}  // namespace redlock::exhaustive
