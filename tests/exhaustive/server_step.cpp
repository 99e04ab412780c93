// Runs a step on a server that holds nothing but the one key.
#include "exhaustive/server_step.hpp"

#include <stdexcept>

#include "exhaustive/machine_operation.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/translate.hpp"

namespace redlock::exhaustive {

namespace {

constexpr std::string_view kForeignFraction = "99999999999999999999";

std::uint32_t code_of(int command, const KeyView& view, int phase) {
  static_assert(kUnitTicksMax <= 4);
  return static_cast<std::uint32_t>(command) | static_cast<std::uint32_t>(view.standing) << 4U |
         static_cast<std::uint32_t>(phase) << 6U | static_cast<std::uint32_t>(view.token) << 8U |
         (view.persistent ? 1U << 15U : 0U) | static_cast<std::uint32_t>(view.left + 128) << 16U;
}

}  // namespace

ServerStep::ServerStep(const Settings& settings, const CommandBook& book)
    : settings_(settings),
      book_(book),
      ms_per_tick_(settings.tick().count_ms()),
      unit_ms_(settings.unit_ticks > 0 ? 1000 : 1) {}

const StepResult& ServerStep::run(int command, const KeyView& before, int own_left, int phase) {
  const std::uint32_t code = code_of(command, before, phase) | static_cast<std::uint32_t>(own_left)
                                                                   << 24U;
  const auto found = known_.find(code);
  if (found != known_.end()) return found->second;
  return known_.emplace(code, execute(command, before, own_left, phase)).first->second;
}

std::string ServerStep::value_of(const KeyView& view, std::int64_t now_ms) const {
  if (settings_.lock == LockKind::quorum) {
    return view.standing == Standing::own ? book_.token(view.token) : "somebody else's token";
  }
  std::string stamp = std::to_string((now_ms + view.left * ms_per_tick_) / unit_ms_);
  if (view.standing == Standing::plain) return stamp;
  stamp += '.';
  if (view.standing == Standing::own) return stamp + book_.token(view.token);
  return stamp += kForeignFraction;
}

// The stamp of a command's own value is a constant, so it is the clock that is moved.
std::int64_t ServerStep::now_before(int own_left, int phase) const {
  const int unit = settings_.unit_ticks;
  const int beyond = unit > 0 ? ((phase + own_left) % unit + unit) % unit : 0;
  return kOwnStampMs + (beyond - own_left) * ms_per_tick_;
}

StepResult ServerStep::execute(int command_number, const KeyView& before, int own_left, int phase) {
  const BookedCommand& booked = book_.at(command_number);
  const bool own = before.standing == Standing::own && before.token == booked.token;
  const std::int64_t now_ms = now_before(own ? before.left : own_left, phase);
  sim::Server server(engine_);
  server.set_time(now_ms * 1'000'000, 0);
  std::string value;
  if (before.standing != Standing::nothing) {
    value = value_of(before, now_ms);
    sim::Entry entry{0, key_of_round(0), value, sim::ValueType::string, std::nullopt};
    // A slow server's key has outlived its nominal time; to the server it is about to go.
    if (!before.persistent)
      entry.expires_ms = now_ms + std::max<int>(before.left, 0) * ms_per_tick_;
    server.keyspace().put(std::move(entry));
  }
  sim::ServerSession session = server.accept(1);
  std::string answer;
  server.receive(session, booked.bytes, answer);
  RespReader reader;
  reader.feed(answer);
  const std::optional<RespValue> resp = reader.next();
  const std::optional<Reply> reply = resp ? reply_to(booked.command, *resp) : std::nullopt;
  if (!reply || reply->answer == redlock::Answer::unknown) {
    throw std::logic_error("a server answered what was not expected: " + answer);
  }
  StepResult result;
  result.granted = reply->answer == redlock::Answer::granted;
  if (const sim::Entry* entry = server.keyspace().find(0, key_of_round(0))) {
    result.after = view_of(*entry, booked, now_ms, before, value);
    const bool told = settings_.lock != LockKind::stamp || booked.role != Role::take ||
                      !result.granted || *reply->said<Token>() == Token(entry->value);
    if (!told) throw std::logic_error("the server stored another stamp than it told");
  }
  result.changed = result.after.standing != before.standing || result.after.token != before.token ||
                   result.after.left != before.left || result.after.persistent != before.persistent;
  return result;
}

KeyView ServerStep::view_of(const sim::Entry& entry, const BookedCommand& command,
                            std::int64_t now_ms, const KeyView& before,
                            const std::string& value_before) const {
  KeyView after = before;
  after.persistent = !entry.expires_ms;
  if (entry.value != value_before || before.standing == Standing::nothing) {
    after.standing = Standing::own;
    after.token = static_cast<std::uint8_t>(command.token);
    const std::string& token = book_.token(command.token);
    if (!entry.value.ends_with(token)) throw std::logic_error("a value that is nobody's");
  }
  // A stamp says by itself when it ends; without one, only the expiry does.
  std::int64_t end_ms = entry.expires_ms.value_or(now_ms + before.left * ms_per_tick_);
  if (settings_.lock == LockKind::stamp) {
    // Of whole seconds a stamp says less than the expiry.
    const std::int64_t told = std::stoll(entry.value);
    if (unit_ms_ == 1) end_ms = told;
    if (end_ms / unit_ms_ != told) throw std::logic_error("a stamp of another second");
  }
  const bool same_end = end_ms == now_ms + std::max<int>(before.left, 0) * ms_per_tick_;
  if (!same_end || after.standing != before.standing) {
    after.left = static_cast<std::int8_t>((end_ms - now_ms) / ms_per_tick_);
  }
  if (!after.persistent && settings_.lock == LockKind::stamp && *entry.expires_ms != end_ms &&
      after.standing == Standing::own) {
    throw std::logic_error("a stamp that does not end with its key");
  }
  return after;
}

}  // namespace redlock::exhaustive
