// What servers say unasked to those who stand in line, and how often those must say something.
//
// Pure values; how they look on the wire is line_codec's affair.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// The server forgets who was not heard of for so long; line scripts repeat it, in seconds.
inline constexpr Duration kUnheardMax = Duration::seconds(15);
// So everybody says at least this often that he is still there.
inline constexpr Duration kHeartbeat = Duration::seconds(10);

// What a server says unasked to one token.
struct Push {
  enum class Kind {
    granted,  // the key holds the token now
    next,     // it is the first in line now, or stands behind one to whom what is free was offered
    slot,     // that slot of a resource with permits is free; it stands in line no more
  };
  Kind kind = Kind::next;
  Token token;
  // Of `granted`: the join behind which it was.
  std::uint64_t echo = 0;
  // Of `next`: how long the key that stands there has to live, or the one in front has to claim it;
  // nothing: without end. Not positive: there is none.
  std::optional<Duration> left;
  // Of `slot`, from 0.
  std::size_t slot = 0;
};

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
