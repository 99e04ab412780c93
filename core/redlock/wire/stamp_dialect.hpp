// How the timestamp lock's commands look in RESP: scripts, because the server's clock judges.
//
// Pure functions.
#pragma once
#include "redlock/algorithm/stamp_commands.hpp"
#include "redlock/wire/dialect.hpp"

namespace redlock {

template <>
struct Dialect<StampTake> : ScriptDialect {
  static void write(const RequestWriter& request, const StampTake& command);
  // The stored stamp, or 0.
  static ReadReply read(const RespValue& value);
  // What stands under the key may be no stamp, or one in another unit.
  static ReadReply read_error(const StampTake& command, const RespValue& error);
};

template <>
struct Dialect<StampUndo> : ScriptDialect {
  static void write(const RequestWriter& request, const StampUndo& command);
};

template <>
struct Dialect<StampRelease> : ScriptDialect {
  static void write(const RequestWriter& request, const StampRelease& command);
};

template <>
struct Dialect<StampCheck> : ScriptDialect {
  static void write(const RequestWriter& request, const StampCheck& command);
};

}  // namespace redlock
