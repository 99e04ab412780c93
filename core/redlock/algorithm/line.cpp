// Reading what servers say to those who stand in line.
#include "redlock/algorithm/line.hpp"

#include <algorithm>

#include "redlock/algorithm/take_number.hpp"

namespace redlock {

namespace {

// PTTL says -1 of a key without end, -2 where there is none, and 0 in a key's last millisecond.
std::optional<Duration> left_of(std::int64_t pttl) {
  if (pttl == -1) return std::nullopt;
  return Duration::ms(pttl < 0 ? 0 : std::max<std::int64_t>(pttl, 1));
}

}  // namespace

std::optional<QueuePosition> parse_queue_position(std::string_view text) {
  std::int64_t pttl = 0;
  QueuePosition standing;
  const bool whole = take_number(text, pttl) && take_number(text, standing.place) &&
                     take_number(text, standing.server_ms) && text.empty();
  if (!whole || standing.place < 0) return std::nullopt;
  standing.left = left_of(pttl);
  return standing;
}

std::optional<Push> parse_push(std::string_view text) {
  constexpr std::string_view kGranted = "granted ";
  constexpr std::string_view kNext = "next ";
  Push push;
  std::int64_t pttl = 0;
  if (text.starts_with(kGranted)) {
    text.remove_prefix(kGranted.size());
    push.kind = Push::Kind::granted;
    if (!take_number(text, push.echo)) return std::nullopt;
  } else if (text.starts_with(kNext)) {
    text.remove_prefix(kNext.size());
    if (!take_number(text, pttl)) return std::nullopt;
    push.left = left_of(pttl);
  } else {
    return std::nullopt;
  }
  push.token = Token(std::string(text));
  return push.token.empty() ? std::nullopt : std::optional(push);
}

}  // namespace redlock
