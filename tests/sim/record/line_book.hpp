// Whose a token is that waits, and since when it stands in which server's line.
//
// Learnt from the joins that servers have carried out. One thread; one a schedule.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "sim/plan.hpp"
#include "sim/record/deed.hpp"

namespace redlock::sim {

struct Waiter {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  // On one server, by the joins that were carried out there.
  struct Place {
    std::int64_t first_ns = kNever;
    std::int64_t last_ns = 0;
    std::int64_t given_ns = kNever;  // when it had the lock there first
    Origin latest{};
    void note_given(std::int64_t now_ns) { given_ns = std::min(given_ns, now_ns); }
  };
  std::uint64_t token = 0;
  Contender party{0};
  std::int64_t ticket = 0;
  std::int64_t ended_ns = kNever;  // when its process ended
  bool over = false;               // the call has returned
  std::vector<Place> places;       // by server
};

// How often what only lines bring about really happened.
struct LineCounts {
  std::uint64_t waits = 0;       // calls
  std::uint64_t granted = 0;     // of them
  std::uint64_t in_line = 0;     // of these, by joins
  std::uint64_t refused = 0;     // calls that could not stand in line
  std::uint64_t handed = 0;      // votes, by another's command
  std::uint64_t yielded = 0;     // of these, by a join
  std::uint64_t struck_out = 0;  // of a line, by another's command
  std::uint64_t overtaken = 0;   // joins that came too late to change anything
  std::uint64_t unheard = 0;     // pushes that nobody received
};

class LineBook {
 public:
  // The plan must outlive it.
  explicit LineBook(const Plan& plan) : plan_(plan) {}

  Waiter& note_join(const Origin& origin, const Deed& deed, std::int64_t now_ns);
  void note_ended(std::uint32_t client, std::int64_t now_ns);
  // The call of this party, if there is one, has returned.
  void note_over(Contender party);
  // Null: nobody has waited with it. By the token's short name.
  [[nodiscard]] Waiter* find(std::uint64_t token);
  [[nodiscard]] bool empty() const { return waiters_.empty(); }
  [[nodiscard]] const std::deque<Waiter>& all() const { return waiters_; }

 private:
  const Plan& plan_;
  std::deque<Waiter> waiters_;
};

}  // namespace redlock::sim
