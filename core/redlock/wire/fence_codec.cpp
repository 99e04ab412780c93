// The requests and replies of fences.
#include "redlock/wire/fence_codec.hpp"

#include <charconv>
#include <optional>

namespace redlock {

namespace {

// Nothing where the text is none of the scripts'.
std::optional<std::int64_t> read_fence(const RespValue& value) {
  if (value.kind != RespKind::bulk) return std::nullopt;
  std::int64_t fence = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [read_to, error] = std::from_chars(value.text.data(), end, fence);
  if (error != std::errc() || read_to != end || fence < 0) return std::nullopt;
  return fence;
}

// Nothing larger can be recorded there.
Reply exhausted() {
  return Reply::unknown(Fault::foreign, "the last fence there is the largest that there is");
}

ReadReply read_fence_error(const RespValue& error) {
  if (mentions(error, "FENCE")) {
    return Reply::unknown(Fault::foreign, "the key of the fence holds something else");
  }
  return std::nullopt;
}

}  // namespace

void CommandCodec<SetWithFence>::write(const RequestWriter& request, const SetWithFence& command) {
  request.script(scripts::set_with_fence, command.lock().keys, command.token.view(),
                 in_ms(command.ttl), std::to_string(command.proposal), in_ms(command.fence_ttl));
}

ReadReply CommandCodec<SetWithFence>::read(const RespValue& value) {
  if (value.kind == RespKind::status && value.text == "OK") {
    return Reply::granted(FenceVote{true, 0});
  }
  if (value.kind == RespKind::nil) return Reply::denied();
  const std::optional<std::int64_t> last = read_fence(value);
  if (!last) return std::nullopt;
  return *last < kFenceMax ? Reply::granted(FenceVote{false, *last}) : exhausted();
}

ReadReply CommandCodec<SetWithFence>::read_error(const SetWithFence& /*command*/,
                                                 const RespValue& error) {
  if (ReadReply told = read_fence_error(error)) return told;
  return ScriptCodec::read_script_error(error);
}

void CommandCodec<RaiseFence>::write(const RequestWriter& request, const RaiseFence& command) {
  request.script(scripts::raise_fence, command.lock().keys, command.token.view(),
                 std::to_string(command.proposal), in_ms(command.fence_ttl));
}

ReadReply CommandCodec<RaiseFence>::read(const RespValue& value) {
  const std::optional<std::int64_t> last = read_fence(value);
  if (!last) return ScriptCodec::read(value);
  return *last < kFenceMax ? Reply::denied(FenceVote{false, *last}) : exhausted();
}

ReadReply CommandCodec<RaiseFence>::read_error(const RaiseFence& /*command*/,
                                               const RespValue& error) {
  if (ReadReply told = read_fence_error(error)) return told;
  return ScriptCodec::read_script_error(error);
}

}  // namespace redlock
