// What a server says of itself, as far as it matters to locks.
//
// Plain values; what a server would not say, or is too old to know, is empty.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redlock {

struct ServerFacts {
  std::string software;  // "redis", "valkey"
  std::string version;
  std::string mode;    // "standalone", "cluster", "sentinel"
  std::string role;    // "master", "replica", "sentinel"
  std::string user;    // who we are to it
  std::string run_id;  // which process it is, whatever address leads to it
  // Of a node of a cluster: how many of its masters have slots, and how many slots they have.
  std::optional<std::int64_t> cluster_shards;
  std::optional<std::int64_t> cluster_slots;
  std::optional<std::int64_t> uptime_s;
  std::optional<bool> loading;             // it is reading its data
  std::optional<std::int64_t> memory_max;  // 0: no bound
  std::string memory_policy;               // "noeviction"
  std::optional<bool> appends;             // it has an append-only file
  std::string append_sync;                 // "always", "everysec", "no"
  std::optional<bool> saves;               // it writes snapshots
  // From the first packet to the first answer: connecting, TLS, the password, and one round trip.
  std::optional<std::int64_t> first_answer_us;
  // The shortest of several, and how far its clock is ahead of ours, give or take half of that.
  std::optional<std::int64_t> round_trip_us;
  std::optional<std::int64_t> clock_ahead_us;
  // What it refused to say, and in which words.
  std::vector<std::string> untold;
};

}  // namespace redlock
