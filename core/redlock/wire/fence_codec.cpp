// The requests and replies of fences.
#include "redlock/wire/fence_codec.hpp"

#include <charconv>
#include <optional>

namespace redlock {

std::optional<FenceVote> read_fence_vote(const RespValue& value) {
  if (value.kind != RespKind::bulk) return std::nullopt;
  std::int64_t last = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [read_to, error] = std::from_chars(value.text.data(), end, last);
  if (error != std::errc() || read_to != end || last < 0) return std::nullopt;
  return FenceVote{false, last};
}

Reply no_larger_fence() {
  return Reply::unknown(Fault::foreign, "the last fence there is the largest that there is");
}

ReadReply read_fence_error(const RespValue& error) {
  if (!mentions(error, "FENCE") && !mentions(error, "WRONGTYPE")) return std::nullopt;
  return Reply::unknown(Fault::foreign, "the key of the fence holds something else");
}

void CommandCodec<RaiseFence>::write(const RequestWriter& request, const RaiseFence& command) {
  request.script(scripts::raise_fence, command.lock().keys, command.token.view(),
                 std::to_string(command.proposal.fence), in_ms(command.proposal.ttl));
}

ReadReply CommandCodec<RaiseFence>::read(const RaiseFence& command, const RespValue& value) {
  if (value.kind == RespKind::status) {
    if (value.text == "LOST") return Reply::denied();
    const bool ours = value.text == "RAISED " + std::to_string(command.proposal.fence);
    return ours ? ReadReply(Reply::granted()) : std::nullopt;
  }
  const std::optional<FenceVote> vote = read_fence_vote(value);
  if (!vote) return std::nullopt;
  return vote->last < kFenceMax ? Reply::denied(*vote) : no_larger_fence();
}

ReadReply CommandCodec<RaiseFence>::read_error(const RaiseFence& /*command*/,
                                               const RespValue& error) {
  if (ReadReply told = read_fence_error(error)) return told;
  return ScriptCodec::read_script_error(error);
}

}  // namespace redlock
