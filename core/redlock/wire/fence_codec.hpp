// How fences look in RESP.
//
// Pure functions.
#pragma once
#include "redlock/algorithm/fence_commands.hpp"
#include "redlock/wire/command_codec.hpp"

namespace redlock {

// A FenceVote of what a script has answered as text: recorded is another answer. Nothing where the
// text is none of the scripts'.
[[nodiscard]] std::optional<FenceVote> read_fence_vote(const RespValue& value);
// Nothing larger can be recorded there.
[[nodiscard]] Reply no_larger_fence();
// What an error says about the fence; nothing: it is not about that.
[[nodiscard]] ReadReply read_fence_error(const RespValue& error);

template <>
struct CommandCodec<RaiseFence> : ScriptCodec {
  static void write(const RequestWriter& request, const RaiseFence& command);
  static ReadReply read(const RaiseFence& command, const RespValue& value);
  static ReadReply read_error(const RaiseFence& command, const RespValue& error);
};

}  // namespace redlock
