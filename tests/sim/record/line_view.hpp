// One resource's line on one server, as it is in the keyspace at a moment.
//
// Written down from what the scripts' comments promise: a sorted set of tokens by ticket, and a
// hash that says of each token where it is heard, of which join, with which ttl, and when the
// server heard of it last; and under no name, behind which join the lock was given to whom. Pure
// values.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/servers.hpp"

namespace redlock::sim {

// Whoever was not heard of for so long is gone; a line's keys last as long.
inline constexpr std::int64_t kUnheardS = 15;
inline constexpr std::int64_t kLineMs = kUnheardS * 1000;

[[nodiscard]] inline bool is_line_key(std::string_view name) {
  return name.find(":redlock:") != std::string_view::npos;
}

struct Stander {
  std::string token;
  std::int64_t ticket = 0;
  // What the waiters' hash says; nothing: it makes no sense.
  struct Told {
    std::string channel;
    std::uint64_t echo = 0;
    std::int64_t ttl_ms = 0;
    std::int64_t heard_s = 0;
    bool skipped = false;  // it yields, so others are served before it
    bool operator==(const Told&) const = default;
  };
  std::optional<Told> told{};

  bool operator==(const Stander&) const = default;
  [[nodiscard]] bool heard_of(std::int64_t now_ms) const {
    return told && now_ms / 1000 - told->heard_s < kUnheardS;
  }
};

struct LineView {
  std::vector<Stander> line;  // in order
  // The lock's key; of another type: some text. Nothing: there is none.
  std::optional<std::string> held;
  std::optional<std::int64_t> held_until_ms;
  // The latest to whom the lock was given, and behind which join.
  std::string given_to;
  std::uint64_t given_by = 0;
  // Of the keys that are there: when they end; nothing: never.
  struct Key {
    bool exists = false;
    std::optional<std::int64_t> until_ms;
  };
  Key line_key;
  Key waiters_key;

  [[nodiscard]] const Stander* find(std::string_view token) const;
  [[nodiscard]] const Stander* first() const { return line.empty() ? nullptr : &line.front(); }
};

// A key that is there; null: it is not.
[[nodiscard]] const Entry* alive_entry(const Keyspace& keyspace, std::string_view name,
                                       std::int64_t now_ms);
// What stands under a lock's key.
[[nodiscard]] std::string_view held_by(const Entry& lock);
// The key of those who stand in line for a lock.
[[nodiscard]] std::string line_key_of(std::string_view key);

[[nodiscard]] LineView look_at_line(const Keyspace& keyspace, std::string_view key,
                                    std::int64_t now_ms);

}  // namespace redlock::sim
