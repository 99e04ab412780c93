// How the commands of fences look in RESP.
//
// Pure functions.
#pragma once
#include "redlock/algorithm/fence_commands.hpp"
#include "redlock/wire/command_codec.hpp"

namespace redlock {

template <>
struct CommandCodec<SetWithFence> : ScriptCodec {
  static void write(const RequestWriter& request, const SetWithFence& command);
  static ReadReply read(const RespValue& value);
  static ReadReply read_error(const SetWithFence& command, const RespValue& error);
};

template <>
struct CommandCodec<RaiseFence> : ScriptCodec {
  static void write(const RequestWriter& request, const RaiseFence& command);
  static ReadReply read(const RespValue& value);
  static ReadReply read_error(const RaiseFence& command, const RespValue& error);
};

}  // namespace redlock
