// How the line's commands look in RESP, and what servers publish.
//
// Pure functions.
#pragma once
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
  static ReadReply read(const RespValue& value);
};

}  // namespace redlock
