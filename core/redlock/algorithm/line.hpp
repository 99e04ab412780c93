// What servers say to those who stand in line: in an answer to a join, and unasked.
//
// Pure values; how they look on the wire is line_codec's and subscription's affair.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// The server forgets who was not heard of for so long; line scripts repeat it, in seconds.
inline constexpr Duration kUnheardMax = Duration::seconds(15);
// So everybody says at least this often that he is still there.
inline constexpr Duration kHeartbeat = Duration::seconds(10);

// How a place in line is, in the answer to a join that was not granted.
struct QueuePosition {
  // How long the key that stands there has to live, 0 where none does; nothing: without end, or it
  // is no lock.
  std::optional<Duration> left;
  // From 0, who is served next.
  std::int64_t place = 0;
  // The server's clock, in ms since 1970.
  std::int64_t server_ms = 0;
};

// The text of a reply to a join as QueuePosition; nothing where it is none.
[[nodiscard]] std::optional<QueuePosition> parse_queue_position(std::string_view text);

// What a server says unasked to one token.
struct Push {
  enum class Kind {
    granted,  // the key holds the token now
    next,     // it is the first in line now, or stands behind one to whom what is free was offered
  };
  Kind kind = Kind::next;
  Token token;
  // Of `granted`: the join behind which it was.
  std::uint64_t echo = 0;
  // Of `next`: how long the key that stands there has to live, or the one in front has to take it;
  // nothing: without end. Not positive: there is none.
  std::optional<Duration> left;
};

// What a server published for us; nothing where it is none of ours.
[[nodiscard]] std::optional<Push> parse_push(std::string_view text);

// Whether pushes of a node's server can be heard.
struct SubscriptionState {
  // From now on under this name, as the server has confirmed. Empty: not, and why.
  std::string channel;
  Fault fault = Fault::none;
  std::string reason;
  // Its server lets us in to ask, but nobody to listen, and has no words for that.
  bool turns_away = false;
};

}  // namespace redlock
