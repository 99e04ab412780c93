// The requests and replies of permits.
#include "redlock/wire/permit_codec.hpp"

#include <memory>
#include <string>

#include "redlock/algorithm/permit.hpp"
#include "redlock/wire/line_codec.hpp"
#include "redlock/wire/read_number.hpp"

namespace redlock {

namespace {

// A digit for each slot.
bool read_slots(std::string_view text, std::size_t permits, SlotSet& free) {
  if (text.size() != permits || text.find_first_not_of("01") != std::string_view::npos) {
    return false;
  }
  for (std::size_t slot = 0; slot < permits; ++slot) free[slot] = text[slot] == '1';
  return true;
}

}  // namespace

void CommandCodec<TakeSlot>::write(const RequestWriter& request, const TakeSlot& command) {
  request.script(scripts::permit_take, command.lock().keys, command.token.view(),
                 in_ms(command.ttl), std::to_string(command.permits));
}

ReadReply CommandCodec<TakeSlot>::read(const TakeSlot& command, const RespValue& value) {
  if (value.kind == RespKind::status && value.text == "OK") return Reply::granted();
  if (value.kind != RespKind::bulk) return std::nullopt;
  const auto view = std::make_shared<PermitView>();
  std::string_view text = value.text;
  std::int64_t pttl = 0;
  if (!read_number(text, pttl) || !read_slots(text, command.permits, view->free)) {
    return std::nullopt;
  }
  view->position.left = left_of(pttl);
  return Reply::denied(std::shared_ptr<const PermitView>(view));
}

void CommandCodec<StandForPermit>::write(const RequestWriter& request,
                                         const StandForPermit& command) {
  request.script(scripts::permit_join, command.lock().keys, command.token.view(),
                 in_ms(command.ttl), std::to_string(command.entry.ticket), command.entry.channel,
                 std::to_string(command.entry.echo), word_of(ClaimPolicy::observe),
                 std::to_string(command.permits));
}

ReadReply CommandCodec<StandForPermit>::read(const StandForPermit& command,
                                             const RespValue& value) {
  if (value.kind != RespKind::bulk) return std::nullopt;
  const std::size_t blank = value.text.rfind(' ');
  if (blank == std::string::npos) return std::nullopt;
  const std::string_view text = value.text;
  const auto position = parse_queue_position(text.substr(0, blank));
  const auto view = std::make_shared<PermitView>();
  if (!position || !read_slots(text.substr(blank + 1), command.permits, view->free)) {
    return std::nullopt;
  }
  view->position = *position;
  return Reply::denied(std::shared_ptr<const PermitView>(view));
}

void CommandCodec<LeavePermits>::write(const RequestWriter& request, const LeavePermits& command) {
  request.script(scripts::permit_leave, command.lock().keys, command.token.view());
}

}  // namespace redlock
