// The quorum lock's requests and replies.
#include "redlock/wire/quorum_codec.hpp"

namespace redlock {

void CommandCodec<SetIfAbsent>::write(const RequestWriter& request, const SetIfAbsent& command) {
  if (request.form() == ScriptForm::text) {
    return request.script(scripts::set_if_absent, command.lock().keys, command.token.view(),
                          in_ms(command.ttl));
  }
  request.plain("SET", command.resources.only().view(), command.token.view(), "NX", "PX",
                in_ms(command.ttl));
}

ReadReply CommandCodec<SetIfAbsent>::read(const RespValue& value) {
  if (value.kind == RespKind::status && value.text == "OK") return Reply::granted();
  if (value.kind == RespKind::nil) return Reply::denied();
  return std::nullopt;
}

void CommandCodec<CheckEndless>::write(const RequestWriter& request, const CheckEndless& command) {
  request.plain("PTTL", command.resources.only().view());
}

// PTTL says -2 where there is no key, -1 where it has no end.
ReadReply CommandCodec<CheckEndless>::read(const RespValue& value) {
  if (value.kind != RespKind::integer) return std::nullopt;
  return value.integer == -1 ? Reply::granted() : Reply::denied();
}

void CommandCodec<ExtendIfEqual>::write(const RequestWriter& request,
                                        const ExtendIfEqual& command) {
  request.script(scripts::extend_if_equal, command.lock().keys, command.token.view(),
                 in_ms(command.ttl));
}

void CommandCodec<RotateIfEqual>::write(const RequestWriter& request,
                                        const RotateIfEqual& command) {
  request.script(scripts::swap_if_equal, command.lock().keys, command.held.view(),
                 command.fresh.view(), in_ms(command.ttl));
}

void CommandCodec<CheckEqual>::write(const RequestWriter& request, const CheckEqual& command) {
  request.script(scripts::check_equal, command.lock().keys, command.token.view());
}

void CommandCodec<Inspect>::write(const RequestWriter& request, const Inspect& command) {
  request.script(scripts::inspect, command.lock().keys);
}

// PTTL's word for no key comes first.
ReadReply CommandCodec<Inspect>::read(const RespValue& value) {
  if (value.kind != RespKind::bulk) return std::nullopt;
  return value.text.starts_with("-2 ") ? Reply::denied(value.text) : Reply::granted(value.text);
}

ReadReply CommandCodec<Inspect>::read_error(const Inspect& /*command*/, const RespValue& error) {
  if (!mentions(error, "WRONGTYPE")) return std::nullopt;
  return Reply::unknown(Fault::foreign, "the key has another type");
}

}  // namespace redlock
