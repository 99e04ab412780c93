// The requests and replies of shared locks.
#include "redlock/wire/shared_codec.hpp"

#include <string>

#include "redlock/wire/fence_codec.hpp"
#include "redlock/wire/quorum_codec.hpp"

namespace redlock {

void CommandCodec<ShareIfFree>::write(const RequestWriter& request, const ShareIfFree& command) {
  const LockName lock = command.lock();
  const std::string ttl = in_ms(command.ttl);
  if (!command.fence) return request.script(scripts::share_if_free, lock.keys, lock.proof, ttl);
  request.script(scripts::share_if_free, lock.keys, lock.proof, ttl,
                 std::to_string(command.fence->fence), in_ms(command.fence->ttl));
}

ReadReply CommandCodec<ShareIfFree>::read(const ShareIfFree& /*command*/, const RespValue& value) {
  return read_taken(value, 1);
}

ReadReply CommandCodec<ShareIfFree>::read_error(const ShareIfFree& /*command*/,
                                                const RespValue& error) {
  return read_fence_error(error);
}

void CommandCodec<Promote>::write(const RequestWriter& request, const Promote& command) {
  request.script(scripts::promote, command.lock().keys, command.held.view(), command.fresh.view(),
                 in_ms(command.ttl));
}

ReadReply CommandCodec<Promote>::read(const Promote& /*command*/, const RespValue& value) {
  if (value.kind != RespKind::status) return std::nullopt;
  if (value.text == "PROMOTED") return Reply::granted();
  if (value.text == "BUSY 1") return Reply::denied(BusyResource{0});
  return value.text == "LOST" ? ReadReply(Reply::denied()) : std::nullopt;
}

void CommandCodec<Demote>::write(const RequestWriter& request, const Demote& command) {
  request.script(scripts::demote, command.lock().keys, command.token.view());
}

}  // namespace redlock
