// Which worlds of shared locks and of several resources at once there are.
#include "exhaustive/holding_worlds.hpp"

namespace redlock::exhaustive {

namespace {

HolderSettings reader(int changes = 0, int extends = 0) {
  return {.mode = LockMode::shared, .changes = changes, .extends = extends};
}
HolderSettings writer(int changes = 0, int extends = 0) {
  return {.changes = changes, .extends = extends};
}
HolderSettings of(std::string resources) { return {.resources = std::move(resources)}; }

}  // namespace

std::vector<NamedHolding> holding_worlds() {
  const std::string met = "two are inside, and one of them alone";
  return {
      {{.name = "shared-2", .clients = {reader(2), writer(1)}}, Size::small, {}},
      {{.name = "shared-2-cut", .clients = {reader(1), writer(1)}, .cuts = 1}, Size::small, {}},
      {{.name = "shared-3", .clients = {reader(1), reader(), writer()}}, Size::small, {}},
      {{.name = "shared-2-ticks", .clients = {reader(1, 1), writer()}, .ticks = 3}, Size::full, {}},
      {{.name = "shared-2-late", .clients = {reader(1), writer()}, .cuts = 1, .ticks = 2},
       Size::full,
       {}},
      {{.name = "shared-2-cuts", .clients = {reader(1), writer()}, .cuts = 2}, Size::full, {}},
      {{.name = "shared-3-cut", .clients = {reader(1), reader(), writer()}, .cuts = 1},
       Size::full,
       {}},
      {{.name = "shared-3-tick", .clients = {reader(1), reader(), writer()}, .ticks = 1},
       Size::full,
       {}},
      {{.name = "shared-3-death", .clients = {reader(1), reader(), writer()}, .deaths = 1},
       Size::full,
       {}},
      {{.name = "shared-3-both", .clients = {reader(1), reader(1), writer()}}, Size::full, {}},
      {{.name = "sets-2", .clients = {of("xy"), of("yz")}}, Size::small, {}},
      {{.name = "sets-3", .clients = {of("xy"), of("yz"), of("y")}}, Size::small, {}},
      {{.name = "sets-2-all", .clients = {of("xy"), of("yz")}, .cuts = 1, .ticks = 2, .deaths = 1},
       Size::full,
       {}},
      {{.name = "sets-3-cut", .clients = {of("xy"), of("yz"), of("y")}, .cuts = 1}, Size::full, {}},
      {{.name = "sets-3-tick", .clients = {of("xy"), of("yz"), of("y")}, .ticks = 1},
       Size::full,
       {}},
      {{.name = "shared-gap", .clients = {reader(1), writer()}, .leaves_gap = true},
       Size::small,
       met},
      {{.name = "shared-strangers", .clients = {reader(1), reader()}, .counts_strangers = true},
       Size::small,
       met},
      {{.name = "shared-stays-alone", .clients = {writer(1), reader()}, .stays_alone = true},
       Size::small,
       met},
      {{.name = "shared-counts-late",
        .clients = {reader(), writer()},
        .ticks = 3,
        .counts_late = true},
       Size::small,
       met},
      {{.name = "sets-one-by-one", .clients = {of("xy"), of("yz")}, .one_by_one = true},
       Size::small,
       "a refusal leaves something"},
      {{.name = "sets-what-is-free", .clients = {of("xy"), of("yz")}, .takes_what_is_free = true},
       Size::small,
       "a server grants a set that it has a part of"},
  };
}

}  // namespace redlock::exhaustive
