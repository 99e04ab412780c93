// Which worlds of two permits there are.
#include "exhaustive/permit_worlds.hpp"

namespace redlock::exhaustive {

std::vector<NamedPermits> permit_worlds() {
  return {
      {{.name = "permits-3-kept", .gives_back = false}, Size::small, {}},
      {{.name = "permits-2", .clients = 2, .tries = 2}, Size::small, {}},
      {{.name = "permits-3"}, Size::full, {}},
      {{.name = "permits-3-again", .tries = 2}, Size::full, {}},
      {{.name = "permits-3-cut", .cuts = 1}, Size::full, {}},
      {{.name = "permits-2-twice", .clients = 2, .calls = 2, .tries = 2}, Size::full, {}},
      {{.name = "permits-counted", .counts_holders = true},
       Size::small,
       "three clients hold two permits at once"},
  };
}

}  // namespace redlock::exhaustive
