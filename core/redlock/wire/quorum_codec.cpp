// The quorum lock's requests and replies.
#include "redlock/wire/quorum_codec.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "redlock/algorithm/holding.hpp"
#include "redlock/wire/fence_codec.hpp"
#include "redlock/wire/read_number.hpp"

namespace redlock {

namespace {

constexpr std::int64_t kEndless = -1;

// "<ms waited> <length of the token>:<token>", which is taken off.
std::optional<Waiter> read_waiter(std::string_view& text) {
  std::int64_t waited_ms = 0;
  if (!read_number(text, waited_ms)) return std::nullopt;
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || digits == text.size() || *end != ':') return std::nullopt;
  text.remove_prefix(digits + 1);
  if (size > text.size()) return std::nullopt;
  Waiter waiter{Token(std::string(text.substr(0, size))),
                Duration::ms(std::max<std::int64_t>(waited_ms, 0))};
  text.remove_prefix(size);
  return waiter;
}

// "redlock:shared 3": how many hold it.
void read_readers(LockState& seen) {
  const std::string_view held = seen.holding->token.view();
  if (!held.starts_with(kSharedMark) || held.size() < kSharedMark.size() + 2) return;
  const char* const end = held.data() + held.size();
  std::int64_t readers = 0;
  const auto [read_to, error] = std::from_chars(held.data() + kSharedMark.size() + 1, end, readers);
  if (error != std::errc() || read_to != end || held[kSharedMark.size()] != ' ') return;
  seen.readers = readers;
  seen.holding->token = Token(std::string(kSharedMark));
}

// Null where the text is none of the script's.
std::shared_ptr<const LockState> read_seen(std::string_view text, bool held) {
  std::int64_t left_ms = 0;
  std::int64_t waiters = 0;
  std::size_t named = 0;
  if (!read_number(text, left_ms) || !read_number(text, waiters) || !read_number(text, named) ||
      named > kNamedInLine) {
    return nullptr;
  }
  const auto seen = std::make_shared<LockState>();
  for (; named > 0; --named) {
    std::optional<Waiter> waiter = read_waiter(text);
    if (!waiter) return nullptr;
    seen->line.push_back(std::move(*waiter));
  }
  if (waiters >= 0) seen->waiters = waiters;
  if (!held) return seen;
  seen->holding.emplace(Holding{Token(std::string(text)), std::nullopt});
  if (left_ms != kEndless) seen->holding->left = Duration::ms(std::max<std::int64_t>(left_ms, 0));
  read_readers(*seen);
  return seen;
}

// Of "BUSY 1", from 0.
std::optional<std::size_t> busy_place(const RespValue& value, std::size_t count) {
  constexpr std::string_view kBusy = "BUSY ";
  if (value.kind != RespKind::status || !value.text.starts_with(kBusy)) return std::nullopt;
  const char* const end = value.text.data() + value.text.size();
  std::size_t place = 0;
  const auto [read_to, error] = std::from_chars(value.text.data() + kBusy.size(), end, place);
  if (error != std::errc() || read_to != end || place < 1 || place > count) return std::nullopt;
  return place - 1;
}

}  // namespace

ReadReply read_taken(const RespValue& value, std::size_t resource_count) {
  if (value.kind == RespKind::status && value.text == "OK") {
    return Reply::granted(FenceVote{true, 0});
  }
  if (const auto place = busy_place(value, resource_count)) {
    return Reply::denied(BusyResource{*place});
  }
  const std::optional<FenceVote> vote = read_fence_vote(value);
  if (!vote) return std::nullopt;
  return vote->last < kFenceMax ? Reply::granted(*vote) : no_larger_fence();
}

void CommandCodec<SetIfAbsent>::write(const RequestWriter& request, const SetIfAbsent& command) {
  if (request.form() == ScriptForm::text) {
    return request.script(scripts::set_if_absent, command.lock().keys, command.token.view(),
                          in_ms(command.ttl));
  }
  request.plain("SET", command.resources.only().view(), command.token.view(), "NX", "PX",
                in_ms(command.ttl));
}

ReadReply CommandCodec<SetIfAbsent>::read(const SetIfAbsent& /*command*/, const RespValue& value) {
  if (value.kind == RespKind::status && value.text == "OK") return Reply::granted();
  if (value.kind == RespKind::nil) return Reply::denied();
  return std::nullopt;
}

void CommandCodec<SetAllIfAbsent>::write(const RequestWriter& request,
                                         const SetAllIfAbsent& command) {
  const LockName lock = command.lock();
  const std::string ttl = in_ms(command.ttl);
  if (!command.fence) return request.script(scripts::set_all_if_absent, lock.keys, lock.proof, ttl);
  request.script(scripts::set_all_if_absent, lock.keys, lock.proof, ttl,
                 std::to_string(command.fence->fence), in_ms(command.fence->ttl));
}

ReadReply CommandCodec<SetAllIfAbsent>::read(const SetAllIfAbsent& command,
                                             const RespValue& value) {
  return read_taken(value, command.resources.all().size());
}

ReadReply CommandCodec<SetAllIfAbsent>::read_error(const SetAllIfAbsent& /*command*/,
                                                   const RespValue& error) {
  return read_fence_error(error);
}

void CommandCodec<CheckEndless>::write(const RequestWriter& request, const CheckEndless& command) {
  request.plain("PTTL", command.resources.only().view());
}

// PTTL says -2 where there is no key, -1 where it has no end.
ReadReply CommandCodec<CheckEndless>::read(const CheckEndless& /*command*/,
                                           const RespValue& value) {
  if (value.kind != RespKind::integer) return std::nullopt;
  return value.integer == -1 ? Reply::granted() : Reply::denied();
}

void CommandCodec<ExtendIfEqual>::write(const RequestWriter& request,
                                        const ExtendIfEqual& command) {
  request.script(one_or_all(command, scripts::extend_if_equal, scripts::extend_all),
                 command.lock().keys, command.token.view(), in_ms(command.ttl));
}

void CommandCodec<RotateIfEqual>::write(const RequestWriter& request,
                                        const RotateIfEqual& command) {
  request.script(one_or_all(command, scripts::swap_if_equal, scripts::swap_all),
                 command.lock().keys, command.held.view(), command.fresh.view(),
                 in_ms(command.ttl));
}

void CommandCodec<CheckEqual>::write(const RequestWriter& request, const CheckEqual& command) {
  request.script(one_or_all(command, scripts::check_equal, scripts::check_all), command.lock().keys,
                 command.token.view());
}

void CommandCodec<Inspect>::write(const RequestWriter& request, const Inspect& command) {
  request.script(scripts::inspect, command.lock().keys);
}

// PTTL's word for no key comes first.
ReadReply CommandCodec<Inspect>::read(const Inspect& /*command*/, const RespValue& value) {
  if (value.kind != RespKind::bulk) return std::nullopt;
  const bool held = !value.text.starts_with("-2 ");
  Reply reply = held ? Reply::granted() : Reply::denied();
  if (std::shared_ptr<const LockState> seen = read_seen(value.text, held)) {
    reply.payload = std::move(seen);
  }
  return reply;
}

ReadReply CommandCodec<Inspect>::read_error(const Inspect& /*command*/, const RespValue& error) {
  if (!mentions(error, "WRONGTYPE")) return std::nullopt;
  return Reply::unknown(Fault::foreign, "the key has another type");
}

}  // namespace redlock
