// The worlds of one line that are explored, by name.
#pragma once
#include <vector>

#include "exhaustive/line_world.hpp"
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive {

using NamedLine = Named<LineSettings>;

[[nodiscard]] std::vector<NamedLine> line_worlds();

}  // namespace redlock::exhaustive
