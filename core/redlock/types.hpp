// The plain values that C++ users share with the library's inside: what came of a call, why a
// server gave no answer, what a server and a clock say of themselves.
#pragma once
#include <chrono>
#include <cmath>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A shared library exports what is marked so, and nothing else.
#ifdef REDLOCK_SHARED
#define REDLOCK_EXPORT [[gnu::visibility("default")]]
#else
#define REDLOCK_EXPORT
#endif

namespace redlock {
inline namespace v0 {

// Who may hold a lock together.
enum class LockMode {
  exclusive,  // one client alone
  shared,     // any number of clients that share it: the readers
};

// What a call came to.
enum class Decision {
  granted,  // a majority did what it was asked, and in time
  denied,   // a majority said no: somebody else holds it, or it is not ours
  split,    // a majority answered, and neither granted nor denied it: nobody is known to hold it
  expired_in_flight,  // a majority granted it, but the answers took longer than it lives
  expired_unclaimed,  // a majority granted it in time, but whoever asked came too late or not at
                      // all
  unreachable,        // no majority could be asked
  foreign,            // the key holds something that is no lock of this kind
  aborted,            // the caller gave up
};

// Why a server gave no plain answer.
enum class Fault {
  none,
  resolve,     // the host name has no address: nothing was sent
  refused,     // nobody listens there: nothing was sent
  connect,     // there is no way there: nothing was sent
  tls,         // the connection is not encrypted, or not with whom it should be
  timeout,     // nothing came in time
  closed,      // the connection broke
  protocol,    // what came is no answer to what was asked; the connection is done with
  auth,        // the server does not accept who we are: no password, or a wrong one
  acl,         // the server's ACL forbids the command or the key
  scripts,     // the server runs no scripts, so nothing could be given back; nothing was done
  readonly,    // a replica, which takes no writes
  loading,     // the server is not ready: it loads its data or has lost its master
  oom,         // the server has no memory left
  busy,        // the server runs somebody's endless script
  misconf,     // the server takes no writes because it cannot save them
  noreplicas,  // too few replicas: the server takes no writes, or they do not have the vote
  cluster,     // the server is part of a cluster and the key is elsewhere
  maxclients,  // the server has too many clients
  rejected,    // the server said no in other words
  foreign,     // the key holds something that is no lock of this kind
  guard,       // the server is not what the guard demands: it has no vote, and nothing was sent
  bound,       // one of our own bounds was reached; nothing was sent
  unanswered,  // the outcome was certain before an answer came
};

// The word for a program to compare with; the words never change.
[[nodiscard]] REDLOCK_EXPORT std::string_view to_string(Fault fault);

// What is demanded of each server at every new connection. One that does not meet it has no vote.
struct Guard {
  bool restart = false;   // it has been up for longer than a lock may last
  bool role = false;      // it is no replica
  bool eviction = false;  // it deletes no keys where its memory is full
  bool identity = false;  // it is no server that is named twice

  [[nodiscard]] static constexpr Guard all() { return {true, true, true, true}; }
  [[nodiscard]] constexpr bool any() const { return restart || role || eviction || identity; }
  std::strong_ordering operator<=>(const Guard&) const = default;
};

// More than anybody has behind one server.
inline constexpr std::int64_t kReplicasMax = 16;

// What a server says of itself, as far as it matters to locks. What a server would not say, or is
// too old to know, is empty.
struct ServerFacts {
  std::string software;  // "redis", "valkey"
  std::string version;
  std::string mode;                      // "standalone", "cluster", "sentinel"
  std::string role;                      // "master", "replica", "sentinel"
  std::optional<std::int64_t> replicas;  // are connected to it
  std::string user;                      // who we are to it
  std::string run_id;                    // which process it is, whatever address leads to it
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

// How this machine's clock is steered. Lock times are counted on clocks that NTP's programs make
// run faster or slower until they show the right time.
struct ClockDiscipline {
  bool synchronized = false;
  double slew_ppm = 0;  // made to run so much faster, in millionths; below 0: slower
  std::int64_t error_max_us = 0;
};

enum class SlewRisk {
  none,
  with_another,  // one that is slewed as much the other way would break the locks' promise
  alone,         // it breaks it by itself
};

// A lock's holder and a server may be steered in opposite directions, so each of them may use half
// of what `drift_factor` allows.
[[nodiscard]] inline SlewRisk slew_risk(double slew_ppm, double drift_factor) {
  const double allowed_ppm = drift_factor * 1e6;
  if (std::abs(slew_ppm) > allowed_ppm) return SlewRisk::alone;
  return std::abs(slew_ppm) > allowed_ppm / 2 ? SlewRisk::with_another : SlewRisk::none;
}

// One thing that was done with a lock that was tried on a server.
struct Trial {
  // "take", "extend", "inspect", "wait" (in line, until it is handed over), "release". The words
  // never change.
  std::string deed;
  // Why that cannot be done there; else `Fault::none`.
  Fault fault = Fault::none;
  std::string reason;
};

struct ServerReport {
  std::string server;
  // As they were asked for: within these times each call wants a connection, and its answer.
  std::chrono::milliseconds timeout{};
  std::chrono::milliseconds connect_timeout{};
  // It could not be asked to the end: why. Else `Fault::none`.
  Fault fault = Fault::none;
  std::string reason;
  ServerFacts facts;
  // Why a guard of all parts would let it have no vote, with the longest_ttl of the options; empty:
  // it would not object.
  std::string guard_objection;
  // Up to the first that nothing can be done without.
  std::vector<Trial> trials;
};

}  // namespace v0
}  // namespace redlock
