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
  void add_few_server_worlds();
  void add_script_worlds();
  void add_handshake_worlds();
  void add_stamp_worlds();
  void add_mixed_worlds();
  void add_second_worlds();
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

// One server and two: a majority is all of them.
void Catalogue::add_few_server_worlds() {
  for (const int servers : {1, 2}) {
    const std::string name = "redlock-n" + std::to_string(servers);
    for (const auto& [fault_name, fault] : kEachFault) {
      add(servers == 1 ? Size::small : Size::full, {.name = name + "-" + fault_name,
                                                    .servers = servers,
                                                    .attempts = servers == 1 ? 2 : 1,
                                                    .backoff = true,
                                                    .faults = fault,
                                                    .fault_budget = 1});
    }
    add(Size::full, {.name = name + "-extend-faults",
                     .servers = servers,
                     .ttl = 2,
                     .extend = true,
                     .faults = kModelFaults,
                     .fault_budget = 1});
  }
  for (const int servers : {1, 2, 3}) {
    add(servers < 3 ? Size::small : Size::full,
        {.name = "redlock-n" + std::to_string(servers) + "-at-once-two-faults",
         .servers = servers,
         .attempts = servers < 3 ? 2 : 1,
         .ticks = 0,
         .backoff = true,
         .faults = kCrash | kReset | kKill,
         .fault_budget = 2});
  }
}

// Servers that forget their scripts.
void Catalogue::add_script_worlds() {
  add(Size::small, {.name = "pidlock-2-scripts",
                    .lock = LockKind::stamp,
                    .servers = 1,
                    .attempts = 2,
                    .faults = kFlush,
                    .fault_budget = 2});
  add(Size::full, {.name = "pidlock-2-scripts-reset",
                   .lock = LockKind::stamp,
                   .servers = 1,
                   .attempts = 2,
                   .faults = kFlush | kReset,
                   .fault_budget = 2});
  add(Size::small, {.name = "redlock-n1-scripts",
                    .servers = 1,
                    .natives = 1,
                    .attempts = 2,
                    .rounds = 2,
                    .extend = true,
                    .faults = kFlush | kReset,
                    .fault_budget = 2});
  add(Size::full, {.name = "redlock-1-scripts",
                   .natives = 1,
                   .rounds = 2,
                   .ticks = 1,
                   .extend = true,
                   .faults = kFlush,
                   .fault_budget = 1});
}

// Connections that hold everything back until a SELECT is confirmed, if it ever is.
void Catalogue::add_handshake_worlds() {
  add(Size::small, {.name = "redlock-n1-handshake",
                    .servers = 1,
                    .attempts = 2,
                    .backoff = true,
                    .handshake = true,
                    .faults = kModelFaults,
                    .fault_budget = 1});
  add(Size::full, {.name = "redlock-1-handshake",
                   .natives = 1,
                   .attempts = 2,
                   .backoff = true,
                   .handshake = true,
                   .faults = kReset,
                   .fault_budget = 1});
  add(Size::full, {.name = "redlock-n2-handshake", .servers = 2, .ttl = 2, .handshake = true});
  add(Size::small, {.name = "pidlock-2-handshake",
                    .lock = LockKind::stamp,
                    .servers = 1,
                    .gain = 1,
                    .handshake = true,
                    .faults = kModelFaults,
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
  add(Size::full,
      {.name = "pidlock-2-rounds", .lock = LockKind::stamp, .servers = 1, .rounds = 2, .gain = 2});
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

// Stamps of whole seconds; a lease and its buffer are two of them.
void Catalogue::add_second_worlds() {
  add(Size::small, {.name = "pidlock-2-seconds",
                    .lock = LockKind::stamp,
                    .servers = 1,
                    .attempts = 2,
                    .gain = 1,
                    .unit_ticks = 2,
                    .faults = kModelFaults,
                    .fault_budget = 1});
  add(Size::small, {.name = "mixed-1-2-seconds",
                    .lock = LockKind::stamp,
                    .servers = 1,
                    .natives = 1,
                    .legacies = 2,
                    .unit_ticks = 2,
                    .known_cases = 1});
  add(Size::full, {.name = "mixed-1-2-seconds-fleet",
                   .lock = LockKind::stamp,
                   .servers = 1,
                   .natives = 1,
                   .legacies = 2,
                   .attempts = 2,
                   .unit_ticks = 2,
                   .mixed_fleet = true,
                   .known_cases = 3});
}

}  // namespace

std::vector<NamedWorld> all_worlds() {
  Catalogue catalogue;
  catalogue.add_quorum_worlds();
  catalogue.add_crowded_quorum_worlds();
  catalogue.add_few_server_worlds();
  catalogue.add_script_worlds();
  catalogue.add_handshake_worlds();
  catalogue.add_stamp_worlds();
  catalogue.add_mixed_worlds();
  catalogue.add_second_worlds();
  return catalogue.take();
}

}  // namespace redlock::exhaustive
