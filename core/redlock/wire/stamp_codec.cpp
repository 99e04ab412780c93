// The timestamp lock's requests and replies.
#include "redlock/wire/stamp_codec.hpp"

namespace redlock {

namespace {

std::string_view ms_per_unit(StampUnit unit) { return unit == StampUnit::seconds ? "1000" : "1"; }

std::string_view accepts_plain(StampProof proof) {
  return proof == StampProof::exact_or_plain ? "1" : "0";
}

// What is in the way of a stamp; empty: nothing of the key's.
std::string_view obstacle_to(const StampAcquire& command, const RespValue& error) {
  if (mentions(error, "WRONGTYPE")) return "the key has another type";
  if (mentions(error, kForeignError)) return "the value is no timestamp";
  const bool in_seconds = command.unit == StampUnit::seconds;
  if (mentions(error, kTooFineError)) {
    return in_seconds ? "the stamp seems to be in milliseconds, and seconds are expected"
                      : "the stamp seems to be in microseconds, and milliseconds are expected";
  }
  if (!mentions(error, kTooCoarseError)) return {};
  return "the stamp seems to be in seconds, and milliseconds are expected";
}

}  // namespace

void CommandCodec<StampAcquire>::write(const RequestWriter& request, const StampAcquire& command) {
  request.script(scripts::stamp_take, command.lock().keys, in_ms(command.lease),
                 command.token.view(), ms_per_unit(command.unit));
}

ReadReply CommandCodec<StampAcquire>::read(const StampAcquire& /*command*/,
                                           const RespValue& value) {
  if (value.kind == RespKind::bulk) return Reply::granted(Token(value.text));
  if (value.kind == RespKind::integer && value.integer == 0) return Reply::denied();
  return std::nullopt;
}

ReadReply CommandCodec<StampAcquire>::read_error(const StampAcquire& command,
                                                 const RespValue& error) {
  const std::string_view obstacle = obstacle_to(command, error);
  if (obstacle.empty()) return std::nullopt;
  return Reply::unknown(Fault::foreign, std::string(obstacle));
}

void CommandCodec<StampUndo>::write(const RequestWriter& request, const StampUndo& command) {
  request.script(scripts::stamp_undo, command.lock().keys, command.token.view());
}

void CommandCodec<StampRelease>::write(const RequestWriter& request, const StampRelease& command) {
  request.script(scripts::stamp_release, command.lock().keys, command.stamp.view(),
                 in_ms_exactly(command.margin), ms_per_unit(command.unit),
                 accepts_plain(command.proof));
}

void CommandCodec<StampCheck>::write(const RequestWriter& request, const StampCheck& command) {
  request.script(scripts::stamp_check, command.lock().keys, command.stamp.view(),
                 accepts_plain(command.proof));
}

}  // namespace redlock
