// What a small world is made of, and how its ticks translate into the core's time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "redlock/algorithm/time.hpp"

namespace redlock::exhaustive {

enum class LockKind { quorum, stamp };

// Every quantity of time is a multiple of it, unless stamps count seconds. Small, so that RedLock's
// floor of 2 ms is half a tick.
inline constexpr Duration kTick = Duration::ms(4);
// Of a second, where stamps count those.
inline constexpr int kUnitTicksMax = 4;
// A quarter of the ttl: with ttl = 4 ticks, ttl · factor + 2 ms. See Settings::drift_factor().
inline constexpr int kDriftTicks = 1;

// Faults that use up the budget, as a mask.
enum Fault : std::uint32_t {
  kNoFault = 0,
  kCrash = 1,            // a server loses everything and stays away for longer than any ttl
  kReset = 2,            // a connection breaks; what was sent may or may not be executed
  kKill = 4,             // a client is gone; what it sent may or may not be executed
  kLag = 8,              // a client's process stands still for a while
  kInstantRestart = 16,  // outside the model: a server loses everything and is back at once
  kFlush = 32,           // a server forgets its scripts
};
inline constexpr std::uint32_t kModelFaults = kCrash | kReset | kKill | kLag;

struct Settings {
  std::string name;
  LockKind lock = LockKind::quorum;
  int servers = 3;
  int natives = 2;
  int legacies = 0;
  int attempts = 1;
  int rounds = 1;  // how often each client takes its turn
  int ttl = 3;     // RedLock: the ttl; PidLock: the lease, to which one tick of buffer is added
  int answer = 1;  // until a silent server is given up
  int pause = 0;   // between two attempts
  int gain = 0;    // PidLock: ticks that the server's clock may run ahead; see drift_ticks()
  // PidLock: stamps count whole seconds, each of so many ticks; 0: milliseconds. At most
  // kUnitTicksMax.
  int unit_ticks = 0;
  int slack = 0;   // RedLock: ticks that a slow server's keys may live longer
  int ticks = -1;  // how much time passes at most; negative: as much as it takes
  bool extend = false;
  int extend_ttl = 0;        // 0: the ttl
  bool backoff = false;      // a server whose connection broke may be left alone for a while
  bool handshake = false;    // a connection is of use once its SELECT is confirmed
  bool mixed_fleet = false;  // PidLock: release also what an old client has overwritten
  bool overstay = false;     // outside the model: a holder goes on after its deadline
  std::uint32_t faults = kNoFault;
  int fault_budget = 0;
  // Outside the model: the violation that must be found here. Empty: there must be none.
  std::string expectation{};
  // Mixed fleets: how many of the known impossible cases must be found here.
  int known_cases = 0;

  [[nodiscard]] int clients() const { return natives + legacies; }
  [[nodiscard]] Duration tick() const {
    return unit_ticks > 0 ? Duration::ms(1000 / unit_ticks) : kTick;
  }
  // The longest that a key may live from when it is set, on an exact clock.
  [[nodiscard]] int life() const { return lock == LockKind::quorum ? ttl : ttl + 1; }
  // The allowance for drift. A PidLock's buffer is good for one tick that the server's clock gains,
  // its drift for the rest.
  [[nodiscard]] int drift_ticks() const {
    return lock == LockKind::quorum ? kDriftTicks : std::max(0, gain - 1);
  }
  // Makes the allowance exactly that, so that nothing is left over.
  [[nodiscard]] double drift_factor() const {
    const Duration floor = lock == LockKind::quorum ? Duration::ms(2) : Duration();
    return static_cast<double>((tick() * drift_ticks() - floor).count_ns()) /
           static_cast<double>((tick() * ttl).count_ns());
  }
};

}  // namespace redlock::exhaustive
