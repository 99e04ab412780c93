// Judging what INFO says.
#include "redlock/wire/objection.hpp"

#include <algorithm>
#include <array>

#include "redlock/wire/facts.hpp"

namespace redlock {

namespace {

using namespace std::string_view_literals;

constexpr std::array kAsksAll{"INFO"sv};
constexpr std::array kAsksServer{"INFO"sv, "server"sv};
constexpr std::array kAsksReplication{"INFO"sv, "replication"sv};
constexpr std::array kAsksMemory{"INFO"sv, "memory"sv};

Objection objection(std::string reason) { return {Fault::guard, "guard: " + std::move(reason)}; }

Objection untold(std::string_view field) {
  return objection("INFO does not tell " + std::string(field));
}

// A lock of its former life may live for that long yet, where it lived for `up_s` at least.
std::optional<Objection> objection_to_age(std::int64_t uptime_s, Duration longest_ttl) {
  // A difference of two clocks that both show whole seconds.
  const Duration up = Duration::seconds(std::max<std::int64_t>(uptime_s, 1) - 1);
  if (up >= longest_ttl) return std::nullopt;
  const auto rounded_up_s = [](Duration time) { return (time.count_ms() + 999) / 1000; };
  Objection young =
      objection("restarted " + std::to_string(uptime_s) + " s ago, locks may last " +
                std::to_string(rounded_up_s(longest_ttl)) + " s: it has no vote for " +
                std::to_string(rounded_up_s(longest_ttl - up)) + " s more");
  young.passes = true;
  young.again_after = std::max(longest_ttl - up, kLookAgainAfter);
  return young;
}

}  // namespace

std::span<const std::string_view> guard_question(const GuardDemands& demands) {
  const Guard& guard = demands.parts;
  const bool server = guard.restart || guard.identity;
  const bool replication = guard.role || demands.replicas > 0;
  if (static_cast<int>(server) + static_cast<int>(replication) + static_cast<int>(guard.eviction) >
      1) {
    return kAsksAll;
  }
  if (replication) return kAsksReplication;
  if (guard.eviction) return kAsksMemory;
  return kAsksServer;
}

std::optional<Objection> objection_to(const ServerFacts& facts, const Guard& guard,
                                      Duration longest_ttl) {
  // What does not pass goes first.
  if (guard.role) {
    if (facts.role.empty()) return untold("role");
    if (facts.role != "master") return objection("it is a " + facts.role);
  }
  if (guard.eviction) {
    if (!facts.memory_max) return untold("maxmemory");
    if (*facts.memory_max != 0 && facts.memory_policy.empty()) return untold("maxmemory_policy");
    if (*facts.memory_max != 0 && facts.memory_policy != "noeviction") {
      return objection("it may delete locks when its memory is full (maxmemory-policy " +
                       facts.memory_policy + ")");
    }
  }
  if (guard.identity && facts.run_id.empty()) return untold("run_id");
  if (guard.restart) {
    if (!facts.uptime_s) return untold("uptime_in_seconds");
    return objection_to_age(*facts.uptime_s, longest_ttl);
  }
  return std::nullopt;
}

std::optional<Objection> objection_to(const RespValue& answer, const GuardDemands& demands,
                                      const Secrets& secrets, ServerFacts& facts) {
  if (answer.kind == RespKind::error) {
    const std::string_view asker = demands.parts.any() ? "guard: " : "replicas: ";
    Objection refused{.reason =
                          std::string(asker) + "INFO was refused: " + secrets.shown(answer.text)};
    refused.fault = fault_of(answer.text);
    return refused;
  }
  read_info(facts, answer.text);
  std::optional<Objection> guarded = objection_to(facts, demands.parts, demands.longest_ttl);
  if (guarded && !guarded->passes) return guarded;
  std::optional<Objection> few = objection_to_replicas(facts, demands.replicas);
  return few ? few : guarded;
}

std::optional<Objection> objection_to_replicas(const ServerFacts& facts, std::int64_t demanded) {
  if (demanded == 0) return std::nullopt;
  const auto few = [](std::string reason) {
    return Objection{Fault::noreplicas, "replicas: " + std::move(reason)};
  };
  if (!facts.replicas) return few("INFO does not tell connected_slaves");
  if (*facts.replicas >= demanded) return std::nullopt;
  return few("it has " + std::to_string(*facts.replicas) + ", " + std::to_string(demanded) +
             " must have each vote");
}

Objection same_server_as(std::string_view other, std::string_view run_id) {
  return objection("it is the same server as " + std::string(other) + " (run_id " +
                   std::string(run_id) + ")");
}

}  // namespace redlock
