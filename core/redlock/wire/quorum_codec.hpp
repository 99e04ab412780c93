// How the quorum lock's commands look in RESP: SET, PTTL, and scripts that compare before they act.
//
// Pure functions.
#pragma once
#include "redlock/algorithm/quorum_commands.hpp"
#include "redlock/wire/command_codec.hpp"

namespace redlock {

// What a script that takes locks, and may record a fence, has answered.
[[nodiscard]] ReadReply read_taken(const RespValue& value, std::size_t resource_count);

// As text it is a script that does the same: see Session.
template <>
struct CommandCodec<SetIfAbsent> : PlainCodec {
  static void write(const RequestWriter& request, const SetIfAbsent& command);
  static ReadReply read(const SetIfAbsent& command, const RespValue& value);
};

template <>
struct CommandCodec<SetAllIfAbsent> : ScriptCodec {
  static void write(const RequestWriter& request, const SetAllIfAbsent& command);
  static ReadReply read(const SetAllIfAbsent& command, const RespValue& value);
  static ReadReply read_error(const SetAllIfAbsent& command, const RespValue& error);
};

template <>
struct CommandCodec<CheckEndless> : PlainCodec {
  static void write(const RequestWriter& request, const CheckEndless& command);
  static ReadReply read(const CheckEndless& command, const RespValue& value);
};

template <>
struct CommandCodec<ExtendIfEqual> : ScriptCodec {
  static void write(const RequestWriter& request, const ExtendIfEqual& command);
};

template <>
struct CommandCodec<RotateIfEqual> : ScriptCodec {
  static void write(const RequestWriter& request, const RotateIfEqual& command);
};

template <>
struct CommandCodec<CheckEqual> : ScriptCodec {
  static void write(const RequestWriter& request, const CheckEqual& command);
};

template <>
struct CommandCodec<Inspect> : ScriptCodec {
  static void write(const RequestWriter& request, const Inspect& command);
  static ReadReply read(const Inspect& command, const RespValue& value);
  static ReadReply read_error(const Inspect& command, const RespValue& error);
};

}  // namespace redlock
