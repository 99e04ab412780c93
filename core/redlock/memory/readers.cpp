// The readers of a shared lock, in the order of the scripts.
#include "redlock/memory/readers.hpp"

#include <algorithm>
#include <cmath>

namespace redlock::memory {

double Readers::now_ms() {
  const Value time = call_.require({"TIME"});
  return number_of(time.elements.at(0).text) * 1000 +
         std::floor(number_of(time.elements.at(1).text) / 1000);
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
  const Value last = call_.require({"ZRANGE", readers_, "-1", "-1"});
  if (last.elements.empty()) return std::nullopt;
  return score(last.elements.front().text);
}

void Readers::enter(std::string_view who, std::string_view ttl, bool shared) {
  const double now = now_ms();
  if (!shared) call_.require({"DEL", readers_});
  const double ends = std::max(now + number_of(ttl), score(who).value_or(0));
  call_.require({"ZADD", readers_, whole_text(ends), who});
  const std::string left = whole_text(last_until(now).value_or(now) - now);
  if (!shared) call_.require({"SET", key_, kSharedMark, "PX", left});
  call_.require({"PEXPIRE", key_, left});
  call_.require({"PEXPIRE", readers_, left});
}

bool Readers::go_out(std::string_view who, bool shared) {
  const double now = now_ms();
  call_.require({"ZREM", readers_, who});
  const std::optional<double> ends = last_until(now);
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
