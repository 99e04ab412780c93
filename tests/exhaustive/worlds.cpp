// The catalogue.
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive {

namespace {
const std::string kTwoHolders = "two clients hold the lock at once";

// Every fault of the model by itself: one of each in one world would be ten times the states.
const std::vector<std::pair<std::string, std::uint32_t>> kEachFault{
    {"crash", kCrash}, {"reset", kReset}, {"kill", kKill}, {"lag", kLag}};

class Catalogue {
 public:
  void add(Size size, Settings settings) { worlds_.push_back({std::move(settings), size}); }
  void add_quorum_worlds();
  void add_crowded_quorum_worlds();
  void add_stamp_worlds();
  void add_mixed_worlds();
  [[nodiscard]] std::vector<NamedWorld> take() { return std::move(worlds_); }

 private:
  std::vector<NamedWorld> worlds_;
};

void Catalogue::add_quorum_worlds() {
  add(Size::small, {
                       .name = "redlock-1-extend",
                       .natives = 1,
                       .extend = true,
                   });
  add(Size::small,
      {.name = "redlock-1-extend-shorter", .natives = 1, .extend = true, .extend_ttl = 2});
  for (const auto& [name, fault] : kEachFault) {
    add(Size::full, {.name = "redlock-1-retry-" + name,
                     .natives = 1,
                     .attempts = 2,
                     .backoff = true,
                     .faults = fault,
                     .fault_budget = 1});
  }
  add(Size::full, {.name = "redlock-1-extend-faults",
                   .natives = 1,
                   .ttl = 2,
                   .extend = true,
                   .faults = kModelFaults,
                   .fault_budget = 1});
  add(Size::full, {.name = "redlock-2"});
  add(Size::full, {.name = "redlock-2-short-ttl", .ttl = 2});
  for (const auto& [name, fault] : kEachFault) {
    add(Size::full, {.name = "redlock-2-" + name, .ttl = 2, .faults = fault, .fault_budget = 1});
  }
}

void Catalogue::add_crowded_quorum_worlds() {
  add(Size::small, {.name = "redlock-2-restart",
                    .faults = kInstantRestart,
                    .fault_budget = 1,
                    .expectation = kTwoHolders});
  add(Size::small, {.name = "redlock-2-overstay", .overstay = true, .expectation = kTwoHolders});
  add(Size::full, {
                      .name = "redlock-2-extend",
                      .ttl = 2,
                      .ticks = 2,
                      .extend = true,
                  });
  add(Size::full, {.name = "redlock-2-retry-at-once", .attempts = 2, .ticks = 0});
  add(Size::full, {.name = "redlock-3-at-once", .natives = 3, .ticks = 0});
  add(Size::full, {.name = "redlock-3-at-once-faults",
                   .natives = 3,
                   .ticks = 0,
                   .faults = kCrash | kReset | kKill,
                   .fault_budget = 1});
}

void Catalogue::add_stamp_worlds() {
  add(Size::small, {.name = "pidlock-2-faults",
                    .lock = LockKind::stamp,
                    .servers = 1,
                    .attempts = 2,
                    .gain = 2,
                    .faults = kModelFaults,
                    .fault_budget = 1});
  add(Size::small, {.name = "pidlock-3-faults",
                    .lock = LockKind::stamp,
                    .servers = 1,
                    .natives = 3,
                    .gain = 2,
                    .faults = kModelFaults,
                    .fault_budget = 1});
  add(Size::small,
      {.name = "pidlock-4", .lock = LockKind::stamp, .servers = 1, .natives = 4, .gain = 2});
  add(Size::full, {.name = "pidlock-4-faults",
                   .lock = LockKind::stamp,
                   .servers = 1,
                   .natives = 4,
                   .gain = 2,
                   .faults = kModelFaults,
                   .fault_budget = 1});
  add(Size::full, {.name = "pidlock-3-retry",
                   .lock = LockKind::stamp,
                   .servers = 1,
                   .natives = 3,
                   .attempts = 2,
                   .gain = 2});
  add(Size::full, {.name = "pidlock-2-rounds",
                   .lock = LockKind::stamp,
                   .servers = 1,
                   .attempts = 2,
                   .rounds = 2,
                   .gain = 2});
  add(Size::small, {.name = "pidlock-2-restart",
                    .lock = LockKind::stamp,
                    .servers = 1,
                    .faults = kInstantRestart,
                    .fault_budget = 1,
                    .expectation = kTwoHolders});
  add(Size::small, {.name = "pidlock-2-overstay",
                    .lock = LockKind::stamp,
                    .servers = 1,
                    .overstay = true,
                    .expectation = kTwoHolders});
}

void Catalogue::add_mixed_worlds() {
  add(Size::full, {.name = "mixed-2-1",
                   .lock = LockKind::stamp,
                   .servers = 1,
                   .natives = 2,
                   .legacies = 1,
                   .attempts = 2,
                   .ttl = 2,
                   .known_cases = 2});
  add(Size::small, {.name = "mixed-1-2",
                    .lock = LockKind::stamp,
                    .servers = 1,
                    .natives = 1,
                    .legacies = 2,
                    .attempts = 2,
                    .ttl = 2,
                    .known_cases = 2});
  add(Size::full, {.name = "mixed-1-2-fleet",
                   .lock = LockKind::stamp,
                   .servers = 1,
                   .natives = 1,
                   .legacies = 2,
                   .attempts = 2,
                   .ttl = 2,
                   .mixed_fleet = true,
                   .known_cases = 3});
}

}  // namespace

std::vector<NamedWorld> all_worlds() {
  Catalogue catalogue;
  catalogue.add_quorum_worlds();
  catalogue.add_crowded_quorum_worlds();
  catalogue.add_stamp_worlds();
  catalogue.add_mixed_worlds();
  return catalogue.take();
}

}  // namespace redlock::exhaustive
