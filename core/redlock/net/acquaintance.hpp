// What connections to a server have shown of it that matters to the next ones: whether it has ever
// answered, and whether it can be told the client's name.
//
// Until a server has answered the name once, it is said where nothing else is unanswered, and no
// command behind it: a proxy that closes the connection there has nothing left to carry out, and is
// connected to again without. That is kept only where such a connection was answered, and not for
// ever. Pure. One thread.
#pragma once
#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/wire/handshake.hpp"

namespace redlock {

// A server that closed the connection at the client's name is not told it for so long.
inline constexpr Duration kNameLeftOutFor = Duration::seconds(600);

class Acquaintance {
 public:
  // How the next connection tells the name; `new_name`: where it is not known whether it can.
  [[nodiscard]] NameManner manner(Instant now, NameManner new_name) const {
    if (now < left_out_until_) return NameManner::left_out;
    return takes_names_ ? NameManner::travels : new_name;
  }
  // Has it ever said anything?
  [[nodiscard]] bool has_answered() const { return has_answered_; }

  // It said something, on a connection on which it has answered the name or not.
  void note_answer(bool named) {
    has_answered_ = true;
    takes_names_ = takes_names_ || named;
    lives_without_ = lives_without_ || !named;
  }
  // It closed the connection at the name; the next one is there at once.
  void note_closed_at_name(Instant now) {
    left_out_until_ = now + kNameLeftOutFor;
    lives_without_ = takes_names_ = false;
  }
  // A connection ended so before anything was said on it.
  void note_unanswered(Fault fault) {
    if (fault == Fault::closed) takes_names_ = false;
    if (!lives_without_) left_out_until_ = Instant();
  }

 private:
  bool has_answered_ = false;
  bool takes_names_ = false;
  bool lives_without_ = false;  // it has answered on a connection without a name
  Instant left_out_until_;
};

}  // namespace redlock
