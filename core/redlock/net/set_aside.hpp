// Connections that no conversation uses any more, and that stay open for what undoes a join there.
//
// A join may be unanswered for as long as its wait goes on, on the next connection meanwhile. What
// undoes it is said on the one that it went out on; what is read there is thrown away.
// Invariants: at most kSetAsideMax of a server, the latest. One thread.
#pragma once
#include <cstddef>
#include <deque>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "redlock/os/transport.hpp"
#include "redlock/wire/encoder.hpp"
#include "redlock/wire/session.hpp"

namespace redlock {

// Connections that were given up and are kept for what undoes a join there, of one server: the
// latest, behind which nothing of the wait is under way.
inline constexpr std::size_t kSetAsideMax = 2;

// A connection that no conversation uses any more, and what its server may not have read of it.
struct SetAside {
  ConnectionId connection = 0;
  std::size_t unanswered_bytes = 0;
};

// Lets go of it, behind what its server has not read. Throws std::bad_alloc, and it is as open as
// before.
void close_link(Transport& transport, const SetAside& link);

class SetAsideJoins {
 public:
  // Both must outlive it.
  SetAsideJoins(Transport& transport, RequestEncoder& encoder)
      : transport_(transport), encoder_(encoder) {}

  // Keeps the connection that `set_aside()` gives, for what undoes these joins. The removals are
  // unanswered there.
  template <class Give>
  void add(std::vector<OpenJoin> joins, std::vector<Refused> removals, Give set_aside) {
    links_.push_back({{}, std::move(joins), std::move(removals)});
    links_.back().link = set_aside();
    if (links_.size() > kSetAsideMax && close(links_.front().link)) links_.pop_front();
  }
  // Says it on the connections on which it may undo a join.
  void undo(const SharedCommand& removal);
  // Closes those on which the server has answered: what it answered there it has carried out, and
  // what undoes that may travel on the connection that there is now. Or it has refused it: so
  // `repeat(removal)` takes what was unanswered.
  template <class Repeat>
  void close_answered(Repeat repeat) {
    for (auto aside = links_.begin(); aside != links_.end();) {
      const bool answered = has_news(aside->link);
      for (; answered && !aside->removals.empty(); aside->removals.pop_back()) {
        repeat(aside->removals.back());
      }
      aside = answered && close(aside->link) ? links_.erase(aside) : std::next(aside);
    }
  }
  // The operation is decided or over. Where it is decided against the lock, its undo has been said.
  void withdraw(OperationId operation) noexcept;
  // They belong to the parent process.
  void forget() { links_.clear(); }

 private:
  struct Link {
    SetAside link;
    std::vector<OpenJoin> joins;
    std::vector<Refused> removals;
  };

  // Sends there what it takes.
  void say(SetAside& link, std::string_view bytes);
  // Has its server answered there, or closed it?
  [[nodiscard]] bool has_news(const SetAside& link);
  // False: there is no memory for that, and it is as open as before.
  [[nodiscard]] bool close(const SetAside& link) noexcept;

  Transport& transport_;
  RequestEncoder& encoder_;
  std::deque<Link> links_;  // oldest first
};

}  // namespace redlock
