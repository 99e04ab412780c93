// Which worlds of a lock that comes with a fence there are.
#include "exhaustive/fence_worlds.hpp"

namespace redlock::exhaustive {

std::vector<NamedFence> fence_worlds() {
  const std::string fallen = "a fence is not larger than an earlier one";
  return {
      {{.name = "fence-2"}, Size::small, {}},
      {{.name = "fence-2-late", .cuts = 1, .cut_from = 1}, Size::small, {}},
      {{.name = "fence-2-cut", .cuts = 1}, Size::full, {}},
      {{.name = "fence-2-again", .attempts = 2}, Size::full, {}},
      {{.name = "fence-2-twice", .calls = 2}, Size::full, {}},
      {{.name = "fence-2-two-cuts", .cuts = 2}, Size::full, {}},
      {{.name = "fence-3", .clocks = {10, 15, 30}}, Size::full, {}},
      {{.name = "fence-raised-at-strays", .cuts = 1, .raises_strays = true}, Size::small, fallen},
      {{.name = "fence-counted-up", .clocks = {10, 5}, .counts_up = true}, Size::small, fallen},
      {{.name = "fence-forgotten", .losses = 1}, Size::small, fallen},
  };
}

}  // namespace redlock::exhaustive
