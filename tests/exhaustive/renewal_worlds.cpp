// Which worlds of a lease that is kept alive there are.
#include "exhaustive/renewal_worlds.hpp"

namespace redlock::exhaustive {

std::vector<NamedRenewal> renewal_worlds() {
  const std::string unkept = "a lease is trusted, and no majority keeps its lock for that long";
  const std::string robbed = "a lock is held, and no majority keeps it for that long";
  const std::string behind = "a key is left behind, and nothing will remove it";
  return {
      {{.name = "renewal"}, Size::small, {}},
      {{.name = "renewal-ends", .ticks = 5, .releases = false}, Size::small, {}},
      {{.name = "renewal-ends-loss", .ticks = 4, .losses = 1, .releases = false}, Size::full, {}},
      {{.name = "renewal-ends-cut", .ticks = 4, .cuts = 1, .releases = false}, Size::full, {}},
      {{.name = "renewal-ends-forgotten", .ticks = 4, .forgotten = true, .releases = false},
       Size::small,
       {}},
      {{.name = "renewal-short-scheduler", .renew_max = 6, .ticks = 4, .releases = false},
       Size::small,
       {}},
      {{.name = "renewal-forgotten", .forgotten = true}, Size::small, {}},
      {{.name = "renewal-extends",
        .ticks = 4,
        .tries = 0,
        .forgotten = true,
        .releases = false,
        .extends = 1},
       Size::small,
       {}},
      {{.name = "renewal-extends-released", .tries = 0, .forgotten = true, .extends = 1},
       Size::small,
       {}},
      {{.name = "renewal-extends-cut",
        .ticks = 4,
        .tries = 0,
        .cuts = 1,
        .forgotten = true,
        .releases = false,
        .extends = 1},
       Size::full,
       {}},
      {{.name = "renewal-4-ticks", .ticks = 4}, Size::full, {}},
      {{.name = "renewal-ends-6-ticks", .ticks = 6, .releases = false}, Size::full, {}},
      {{.name = "renewal-loss", .losses = 1}, Size::full, {}},
      {{.name = "renewal-cut", .cuts = 1}, Size::full, {}},
      {{.name = "renewal-forgotten-cut", .cuts = 1, .forgotten = true}, Size::full, {}},
      {{.name = "renewal-forgotten-loss", .losses = 1, .forgotten = true}, Size::full, {}},
      {{.name = "renewal-back-at-once", .losses = 2, .back_at_once = true}, Size::small, unkept},
      {{.name = "renewal-trusted-from-answer", .counts_from_answer = true}, Size::small, unkept},
      {{.name = "renewal-repairs-counted", .forgotten = true, .counts_repairs = true},
       Size::small,
       unkept},
      {{.name = "renewal-repairs-over", .forgotten = true, .repairs_over = true},
       Size::small,
       robbed},
      {{.name = "renewal-repairs-undone",
        .ticks = 4,
        .tries = 0,
        .forgotten = true,
        .releases = false,
        .extends = 1,
        .undoes_repairs = true},
       Size::small,
       unkept},
      {{.name = "renewal-repairs-forgotten", .forgotten = true, .forgets_repairs = true},
       Size::small,
       behind},
  };
}

}  // namespace redlock::exhaustive
