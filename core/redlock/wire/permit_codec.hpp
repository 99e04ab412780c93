// How the commands of permits look in RESP.
//
// Pure functions.
#pragma once
#include "redlock/algorithm/permit_commands.hpp"
#include "redlock/wire/command_codec.hpp"

namespace redlock {

template <>
struct CommandCodec<TakeSlot> : ScriptCodec {
  static void write(const RequestWriter& request, const TakeSlot& command);
  static ReadReply read(const TakeSlot& command, const RespValue& value);
};

template <>
struct CommandCodec<StandForPermit> : ScriptCodec {
  static void write(const RequestWriter& request, const StandForPermit& command);
  static ReadReply read(const StandForPermit& command, const RespValue& value);
};

template <>
struct CommandCodec<LeavePermits> : ScriptCodec {
  static void write(const RequestWriter& request, const LeavePermits& command);
};

}  // namespace redlock
