// The readers of a shared lock, in the order of the scripts.
#include "redlock/memory/readers.hpp"

#include <algorithm>
#include <cmath>

namespace redlock::memory {

double Readers::now_ms() {
  if (!now_ms_) {
    const Value time = call_.require({"TIME"});
    now_ms_ = number_of(time.elements.at(0).text) * 1000 +
              std::floor(number_of(time.elements.at(1).text) / 1000);
  }
  return *now_ms_;
}

std::optional<double> Readers::score(std::string_view who) {
  const Value found = call_.ask({"ZSCORE", readers_, who});
  if (found.kind != Value::Kind::text) return std::nullopt;
  return real_in(found.text);
}

std::optional<double> Readers::until(std::string_view who, const Value& held) {
  if (held.kind != Value::Kind::text) return std::nullopt;
  if (held.text != kSharedMark && score(held.text) != 0.0) return std::nullopt;
  const std::optional<double> ends = score(who);
  return ends && *ends > now_ms() ? ends : std::nullopt;
}

std::optional<double> Readers::last_until(double now) {
  call_.require({"ZREMRANGEBYSCORE", readers_, "1", whole_text(now)});
  const Value last = call_.require({"ZRANGE", readers_, "-1", "-1", "WITHSCORES"});
  if (last.elements.empty()) return std::nullopt;
  return real_in(last.elements.back().text);
}

void Readers::enter(std::string_view who, std::string_view ttl, bool shared) {
  const double now = now_ms();
  if (!shared) call_.require({"DEL", readers_});
  const double before = shared ? score(who).value_or(0) : 0;
  call_.require({"ZADD", readers_, whole_text(std::max(now + number_of(ttl), before)), who});
  std::string left(ttl);
  if (shared) {
    left = whole_text(last_until(now).value_or(now) - now);
    call_.require({"PEXPIRE", key_, left});
  } else {
    call_.require({"ZSCORE", readers_, who});
    call_.require({"SET", key_, kSharedMark, "PX", left});
  }
  call_.require({"PEXPIRE", readers_, left});
}

bool Readers::go_out(std::string_view who, bool shared) {
  call_.require({"ZREM", readers_, who});
  const bool any = call_.require({"ZCARD", readers_}).integer > 0;
  const double now = any ? now_ms() : 0;
  const std::optional<double> ends = any ? last_until(now) : std::nullopt;
  const std::string left = whole_text(ends.value_or(now) - now);
  bool stays = ends.has_value();
  if (stays && !shared) stays = !call_.ask({"SET", key_, kSharedMark, "PX", left}).is_error();
  if (stays) {
    call_.require({"PEXPIRE", key_, left});
  } else {
    call_.require({"DEL", key_});
  }
  return stays;
}

}  // namespace redlock::memory
