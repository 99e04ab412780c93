// One schedule, as its seed draws it: who takes part, how they behave, what goes wrong and when.
//
// Pure values; drawing is deterministic.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/faults.hpp"
#include "sim/sim_clock.hpp"

namespace redlock::sim {

inline constexpr std::int64_t kHorizonNs = 150 * kMs;  // faults begin before that

// Of the final attempt.
inline constexpr std::int64_t kTtlMaxMs = 400;
inline constexpr std::int64_t kProbeTimeoutMs = 250;

enum class LockKind { quorum, stamp };

// How many locks a process may live with side by side.
inline constexpr std::uint32_t kResourcesMax = 3;
inline constexpr std::uint32_t kNamesMax = 4;  // of sets

[[nodiscard]] inline std::string resource_name(std::uint32_t resource) {
  return resource == 0 ? "lock" : "lock" + std::to_string(resource);
}
[[nodiscard]] inline std::uint32_t resource_named(std::string_view name) {
  const bool numbered = name.size() == 5 && name.starts_with("lock");
  return numbered ? static_cast<std::uint32_t>(name.back() - '0') : 0;
}

// A client, and which of its resources this is about.
struct Contender {
  Contender(std::uint32_t who, std::uint32_t what = 0) : client(who), resource(what) {}
  std::uint32_t client;
  std::uint32_t resource;
};

// What a client does with one resource.
struct Course {
  std::int64_t start_ns = 0;
  std::uint32_t cycles = 1;
  std::int64_t ttl_ms = 100;
  std::int64_t attempts = 1;
  std::int64_t pause_ms = 0;
  std::int64_t hold_ms = 1;  // how long the application works while it holds the lock
  std::uint32_t extends = 0;
  std::int64_t extend_ttl_ms = 0;   // 0: the lock's own
  std::int64_t shorten_ttl_ms = 0;  // it asks for that once in a cycle; 0: it does not
  std::int64_t timeout_ms = 0;      // of its manager; 0: the plan's
  std::int64_t drift_ppm = 0;       // the same
  // Kept alive for so long at most, 0: not at all; and how long the application then works.
  std::int64_t renew_max_ms = 0;
  std::int64_t work_ms = 0;
  // It stands in line for so long at most; negative: it asks, and goes.
  std::int64_t wait_ms = -1;
  bool fence = false;  // it asks for one with the lock
  // In a plan of shared locks, of permits or of sets: whether it shares the lock, and how often it
  // is promoted, demoted or extended.
  bool reads = false;
  std::uint32_t changes = 0;
  // In a plan of sets: the names that it takes at once, a bit each; 0: that of its resource.
  std::uint32_t names = 0;
  bool checks = false;
  bool releases = true;
  bool releases_twice = false;
};

// With the first resource as its own course.
struct ClientPlan : Course {
  bool legacy = false;
  std::int64_t clock_skew_ns = 0;  // of the wall clock, where a client looks at it
  std::int64_t rate_ppm = 0;
  std::vector<Course> beside;    // one a further resource
  std::uint32_t re_entries = 0;  // how often a signal handler calls too while a call waits
  [[nodiscard]] Course& course(std::uint32_t resource) {
    return resource == 0 ? *this : beside[resource - 1];
  }
  [[nodiscard]] const Course& course(std::uint32_t resource) const {
    return resource == 0 ? *this : beside[resource - 1];
  }
};

struct FaultPlan {
  FaultClass fault_class = FaultClass::slow_link;
  std::int64_t from_ns = 0;
  std::int64_t until_ns = 0;
  std::uint32_t client = 0;
  std::uint32_t server = 0;
  bool all_clients = false;
  bool all_servers = false;
  std::uint64_t amount = 0;  // what it means is the class's own affair
};

// So many calls at once of one client that bounds of the core are reached, while a server is
// silent.
struct Crowd {
  std::uint32_t client = 0;
  std::uint32_t server = 0;
  std::int64_t at_ns = 0;
  std::uint32_t checks = 0;
  std::uint32_t releases = 0;
};
// What its releases and checks ask about was never taken.
inline constexpr std::string_view kCrowdToken = "crowd-";

struct Plan {
  LockKind kind = LockKind::quorum;
  Model model = Model::inside;
  std::uint32_t servers = 3;
  std::uint32_t resources = 1;  // that each client locks, all at once
  std::int64_t delay_low_ns = 0;
  std::int64_t delay_high_ns = 0;
  std::int64_t timeout_ms = 20;
  std::int64_t buffer_ms = 1;  // stamp lock
  std::int64_t drift_ppm = 10'000;
  bool stamps_in_seconds = false;
  bool mixed_fleet = false;
  bool password = false;
  std::uint32_t database = 0;
  bool client_name = false;
  // Servers that begin anew and have forgotten everything are in the model: clients have the guard,
  // or would need it.
  bool restarts = false;
  bool guarded = false;
  // Several may be inside at once: those who read, or so many as there are permits.
  bool shared = false;
  std::uint32_t permits = 0;
  // Several names are taken at once.
  bool sets = false;
  std::vector<std::int64_t> server_rates_ppm;
  std::vector<ClientPlan> clients;
  std::vector<FaultPlan> faults;
  std::optional<Crowd> crowd;
  FaultCounts fired_at_start{};

  [[nodiscard]] bool has(FaultClass fault_class) const {
    for (const FaultPlan& fault : faults) {
      if (fault.fault_class == fault_class) return true;
    }
    return false;
  }
  [[nodiscard]] bool has_forgetful_servers() const {
    return std::ranges::any_of(
        faults, [](const FaultPlan& fault) { return loses_data(fault.fault_class); });
  }
  // What is judged is who is inside at once, and nothing else.
  [[nodiscard]] bool admits_several() const { return shared || permits > 0 || sets; }
  // Does anybody wait?
  [[nodiscard]] bool has_lines() const;
  // Does anybody ask for a fence?
  [[nodiscard]] bool has_fences() const;
  [[nodiscard]] const Course& course(Contender who) const {
    return clients[who.client].course(who.resource);
  }
  // What it takes, a bit for each name.
  [[nodiscard]] std::uint32_t names_of(Contender who) const {
    const std::uint32_t names = course(who).names;
    return names != 0 ? names : 1U << who.resource;
  }
  [[nodiscard]] std::int64_t timeout_of(Contender who) const {
    const std::int64_t own_ms = course(who).timeout_ms;
    return own_ms == 0 ? timeout_ms : own_ms;
  }
  [[nodiscard]] double drift_factor_of(Contender who) const {
    const std::int64_t own_ppm = course(who).drift_ppm;
    return own_ppm == 0 ? drift_factor() : static_cast<double>(own_ppm) / 1e6;
  }
  [[nodiscard]] std::int64_t shortest_timeout_ms(std::uint32_t client) const;
  // How long it may connect: as long as the most patient of those that share its connections.
  [[nodiscard]] std::int64_t connect_ms_of(Contender who) const;
  [[nodiscard]] std::int64_t longest_ttl_ms() const;
  // What a guard is told: of the final attempt too.
  [[nodiscard]] std::int64_t guarded_ms() const { return std::max(longest_ttl_ms(), kTtlMaxMs); }
  [[nodiscard]] double drift_factor() const { return static_cast<double>(drift_ppm) / 1e6; }
  // How far each of two clocks may be off, for the one to show no more than the factor allows
  // while the other has shown the whole.
  [[nodiscard]] std::int64_t rate_max_ppm() const {
    constexpr std::int64_t kMillion = 1'000'000;
    return drift_ppm * kMillion / (2 * kMillion - drift_ppm);
  }
  // What a span of one clock may last on another.
  [[nodiscard]] std::int64_t drifted_ns(std::int64_t span_ns) const {
    return span_ns + static_cast<std::int64_t>(static_cast<double>(span_ns) * 2 * drift_factor());
  }
  // Is there such a course?
  [[nodiscard]] bool any_course(auto&& is_so) const {
    return std::ranges::any_of(clients, [&](const ClientPlan& client) {
      for (std::uint32_t i = 0; i < resources; ++i) {
        if (is_so(client.course(i))) return true;
      }
      return false;
    });
  }
};

inline bool Plan::has_lines() const {
  return any_course([](const Course& course) { return course.wait_ms >= 0; });
}

inline bool Plan::has_fences() const {
  return any_course([](const Course& course) { return course.fence; });
}

inline std::int64_t Plan::shortest_timeout_ms(std::uint32_t client) const {
  std::int64_t shortest = timeout_ms;
  for (std::uint32_t i = 0; i < resources; ++i) {
    shortest = std::min(shortest, timeout_of({client, i}));
  }
  return shortest;
}

inline std::int64_t Plan::connect_ms_of(Contender who) const {
  const auto magnitude = [](std::int64_t ms) {
    return std::bit_width(static_cast<std::uint64_t>(ms * kMs));
  };
  const std::int64_t own = timeout_of(who);
  std::int64_t longest = magnitude(own) == magnitude(kProbeTimeoutMs) ? kProbeTimeoutMs : own;
  for (std::uint32_t i = 0; i < resources; ++i) {
    const std::int64_t other = timeout_of({who.client, i});
    if (magnitude(other) == magnitude(own)) longest = std::max(longest, other);
  }
  return std::max(longest, own);
}

// What a caller wants to be in the plan, whatever the seed says.
struct PlanWishes {
  std::optional<FaultClass> fault_class;
  bool inside_only = false;
  // The shape on which speed is measured: RedLock, three servers, two to four clients.
  bool standard_shape = false;
  // Somebody waits in line, where the rest allows it.
  bool lines = false;
  // Somebody asks for a fence, the same.
  bool fences = false;
  // Somebody reads what others write, or all want one of several permits.
  bool shared = false;
  bool permits = false;
  // All want several names at once.
  bool sets = false;
  // Servers restart at once, and clients have the guard; or the same without it, which must show
  // what it is for.
  bool guard = false;
  bool unguarded = false;

  [[nodiscard]] bool restarts() const { return guard || unguarded; }
  [[nodiscard]] bool admits_several() const { return shared || permits || sets; }
};

[[nodiscard]] Plan draw_plan(std::uint64_t seed, const PlanWishes& wishes);

}  // namespace redlock::sim
