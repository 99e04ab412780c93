// How the line's commands look in RESP, and what servers publish.
//
// Pure functions.
#pragma once
#include <optional>
#include <string_view>

#include "redlock/algorithm/line.hpp"
#include "redlock/algorithm/line_commands.hpp"
#include "redlock/wire/command_codec.hpp"

namespace redlock {

template <>
struct CommandCodec<ReleaseAndHandOver> : ScriptCodec {
  static void write(const RequestWriter& request, const ReleaseAndHandOver& command);
};

template <>
struct CommandCodec<Enqueue> : ScriptCodec {
  static void write(const RequestWriter& request, const Enqueue& command);
  static ReadReply read(const Enqueue& command, const RespValue& value);
};

// A policy as the scripts know it.
[[nodiscard]] std::string_view word_of(ClaimPolicy policy);
// PTTL says -1 of a key without end, -2 where there is none, and 0 in a key's last millisecond.
[[nodiscard]] std::optional<Duration> left_of(std::int64_t pttl);
// The text of a reply to an Enqueue; nothing where it is none.
[[nodiscard]] std::optional<QueuePosition> parse_queue_position(std::string_view text);
// What a server published for us; nothing where it is none of ours.
[[nodiscard]] std::optional<Push> parse_push(std::string_view text);

}  // namespace redlock
