// Whether somebody who waits is served as soon as he can be, and in turn.
//
// A lock can be had while a majority of servers keeps nothing of it, or only votes of those who
// wait: these flow together. Judged once all faults are over, for who cannot ask cannot be served.
// One thread; one a schedule.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/plan.hpp"
#include "sim/record/line_book.hpp"

namespace redlock::sim {

class Waits {
 public:
  // The plan must outlive it.
  explicit Waits(const Plan& plan);

  // A call that waits in line begins, and ends.
  void begins(Contender party, std::int64_t now_ns);
  void ends(Contender party);
  // The server is full for a new connection of this client's, or refuses its password: maybe on
  // the one on which it listens. Where those leave no majority that it can hear, it asks now and
  // then instead, like everybody who does not stand in line, and may find the lock taken again each
  // time.
  void turned_away(std::uint32_t client, std::uint32_t server, std::int64_t now_ns);
  // It has joined there by what it wrote then: nobody does who cannot be told of his turn.
  void joined(std::uint32_t client, std::uint32_t server, std::int64_t written_ns);
  // Was this written in the call that is under way?
  [[nodiscard]] bool under_way(Contender party, std::int64_t written_ns) {
    return since(party) != kNobody && since(party) <= written_ns;
  }
  // A majority can be had from `at_ns` on, as things are now.
  void can_be_had(std::uint32_t resource, std::int64_t at_ns, std::int64_t now_ns);
  // A process does nothing any more, for good, and its connections stand. Where it waits it is
  // passed over only when it was not heard of for long; who stands behind it is told nothing.
  void falls_silent(Contender party, std::int64_t now_ns);
  // A process does nothing until then, or something reaches it no sooner.
  void troubled(std::int64_t until_ns);

  // Has somebody waited for it so long that he should have it? Says so once for each call.
  [[nodiscard]] std::optional<Contender> in_vain(std::uint32_t resource, std::int64_t now_ns);
  // Has it been possible that it would?
  [[nodiscard]] bool judges(Contender party, std::int64_t now_ns) const;

  // Is nothing wrong in this plan, so that grants must come in the order of tickets?
  [[nodiscard]] bool quiet() const { return quiet_; }
  // From then on whoever was troubled has recovered.
  [[nodiscard]] std::int64_t calm_from_ns() const { return calm_from_ns_; }
  // Of two who wait for the same: did this one have to be served before the other, who was?
  [[nodiscard]] bool precedes(const Waiter& one, const Waiter& served) const;

 private:
  static constexpr std::int64_t kNobody = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kNotTurned = std::numeric_limits<std::int64_t>::min();
  [[nodiscard]] std::int64_t& since(Contender party) { return since_ns_[place_of(party)]; }
  [[nodiscard]] std::int64_t from(Contender party) const;
  // How long a wait may take that might have ended from then on.
  [[nodiscard]] std::int64_t bound_ns(std::uint32_t resource, std::int64_t from_ns) const;
  [[nodiscard]] std::size_t place_of(Contender party) const {
    return party.client * plan_.resources + party.resource;
  }
  void review_polling(Contender party);

  const Plan& plan_;
  std::vector<std::int64_t> since_ns_;   // by client and resource; kNobody: he does not wait
  std::vector<bool> polls_;              // the same: it may have left the line in this call
  std::vector<std::int64_t> turned_ns_;  // by client and server: when it was turned away last
  std::vector<std::int64_t> to_be_had_;  // by resource: from when on
  std::vector<std::int64_t> silent_ns_;  // by resource: until when somebody silent is in its line
  std::int64_t calm_from_ns_ = 0;
  std::int64_t bound_ns_ = 0;
  std::int64_t missed_ns_ = 0;  // so much more until a word that never came is missed
  bool judged_ = false;
  bool quiet_ = false;
};

}  // namespace redlock::sim
