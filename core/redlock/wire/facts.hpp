// What servers are asked about themselves, and what their answers say.
//
// Every server is asked everything: what one of them is too old for, or refuses, is among the
// `untold` then. Pure functions.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "redlock/types.hpp"
#include "redlock/wire/codec.hpp"

namespace redlock {

enum class Topic { server, persistence, memory, replication, role, setting, user, cluster, time };

struct Question {
  Topic topic = Topic::server;
  std::array<std::string_view, 3> words{};
  std::size_t size = 0;

  [[nodiscard]] std::span<const std::string_view> request() const {
    return std::span(words).first(size);
  }
};

// In their order; several of the time, for the shortest way.
[[nodiscard]] std::span<const Question> questions();
// Adds what an answer says; of the time nothing.
void read_answer(ServerFacts& facts, const Question& question, const RespValue& answer);
// Adds what a whole INFO says of what a guard may ask.
void read_info(ServerFacts& facts, std::string_view info);
// The answer to a question of the time, in microseconds since 1970; nothing where it is none.
[[nodiscard]] std::optional<std::int64_t> time_in(const RespValue& answer);

}  // namespace redlock
