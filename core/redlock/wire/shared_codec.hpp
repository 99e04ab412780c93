// How the commands of shared locks look in RESP.
//
// Pure functions.
#pragma once
#include "redlock/algorithm/shared_commands.hpp"
#include "redlock/wire/command_codec.hpp"

namespace redlock {

template <>
struct CommandCodec<ShareIfFree> : ScriptCodec {
  static void write(const RequestWriter& request, const ShareIfFree& command);
  static ReadReply read(const ShareIfFree& command, const RespValue& value);
  static ReadReply read_error(const ShareIfFree& command, const RespValue& error);
};

template <>
struct CommandCodec<Promote> : ScriptCodec {
  static void write(const RequestWriter& request, const Promote& command);
  static ReadReply read(const Promote& command, const RespValue& value);
};

template <>
struct CommandCodec<Demote> : ScriptCodec {
  static void write(const RequestWriter& request, const Demote& command);
};

}  // namespace redlock
