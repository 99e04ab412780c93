// Which worlds of one line there are.
#include "exhaustive/line_worlds.hpp"

namespace redlock::exhaustive {

std::vector<NamedLine> line_worlds() {
  const std::string counted = "a vote is counted that is not the client's";
  const std::string unknowing = "the first in line does not know it";
  return {
      {{.name = "line-2", .joins = 3}, Size::small, {}},
      {{.name = "line-2-reset", .joins = 2, .resets = 1}, Size::small, {}},
      {{.name = "line-2-unsubscribed", .joins = 2, .unsubscribed = 1}, Size::small, {}},
      {{.name = "line-2-death", .joins = 2, .deaths = 1}, Size::small, {}},
      {{.name = "line-2-spares", .joins = 3, .spares = 2}, Size::small, {}},
      {{.name = "line-3", .clients = 3, .joins = 1}, Size::small, {}},
      {{.name = "line-2-two-resets", .joins = 3, .resets = 2}, Size::full, {}},
      {{.name = "line-2-all", .joins = 3, .resets = 1, .unsubscribed = 1, .deaths = 1},
       Size::full,
       {}},
      {{.name = "line-3-twice", .clients = 3, .joins = 2}, Size::full, {}},
      {{.name = "line-3-reset", .clients = 3, .joins = 1, .resets = 1}, Size::full, {}},
      {{.name = "line-3-spares", .clients = 3, .joins = 2, .spares = 1}, Size::full, {}},
      {{.name = "line-2-spares-all", .joins = 3, .resets = 1, .deaths = 1, .spares = 1},
       Size::full,
       {}},
      {{.name = "line-3-death", .clients = 3, .joins = 1, .unsubscribed = 1, .deaths = 1},
       Size::full,
       {}},
      {{.name = "line-overtaken-join-served", .joins = 2, .resets = 1, .forgets_echo = true},
       Size::small,
       counted},
      {{.name = "line-older-echo-counts", .clients = 3, .joins = 2, .any_echo_counts = true},
       Size::small,
       counted},
      {{.name = "line-votes-kept", .joins = 2, .keeps_votes = true}, Size::small, counted},
      {{.name = "line-next-not-told", .clients = 3, .joins = 1, .tells_nobody = true},
       Size::small,
       unknowing},
  };
}

}  // namespace redlock::exhaustive
