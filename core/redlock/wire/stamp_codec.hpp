// How the timestamp lock's commands look in RESP: scripts, because the server's clock judges.
//
// Pure functions.
#pragma once
#include "redlock/algorithm/stamp_commands.hpp"
#include "redlock/wire/command_codec.hpp"

namespace redlock {

template <>
struct CommandCodec<StampAcquire> : ScriptCodec {
  static void write(const RequestWriter& request, const StampAcquire& command);
  // The stored stamp, or 0.
  static ReadReply read(const StampAcquire& command, const RespValue& value);
  // What stands under the key may be no stamp, or one in another unit.
  static ReadReply read_error(const StampAcquire& command, const RespValue& error);
};

template <>
struct CommandCodec<StampUndo> : ScriptCodec {
  static void write(const RequestWriter& request, const StampUndo& command);
};

template <>
struct CommandCodec<StampRelease> : ScriptCodec {
  static void write(const RequestWriter& request, const StampRelease& command);
};

template <>
struct CommandCodec<StampCheck> : ScriptCodec {
  static void write(const RequestWriter& request, const StampCheck& command);
};

}  // namespace redlock
