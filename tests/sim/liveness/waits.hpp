// Whoever waits for a lock is served as soon as it can be had.
//
// A lock can be had while a majority of servers keeps nothing of it, or only votes of those who
// wait: these flow together. Judged once all faults are over, for who cannot ask cannot be served.
// One thread; one a schedule.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/record/record.hpp"

namespace redlock::sim {

class Waits {
 public:
  // The record must outlive it.
  explicit Waits(Record& record);

  // A call that waits in line begins, and a call ends.
  void begins(Contender party);
  void ends(Contender party);
  // The server is full for a new connection of this client's, or refuses its password: maybe on
  // the one on which it listens. Where those leave no majority that it can hear, it asks now and
  // then instead, like everybody who does not stand in line, and may find the lock taken again each
  // time.
  void turned_away(std::uint32_t client, std::uint32_t server);
  // It has joined there by what it wrote then: nobody does who cannot be told of his turn.
  void joined(const Origin& origin);
  // A process does nothing any more, for good, and its connections stand. Where it waits it is
  // passed over only when it was not heard of for long; who stands behind it is told nothing.
  void falls_silent(Contender party);
  // A process does nothing until then, or something reaches it no sooner.
  void troubled(std::int64_t until_ns);
  // The waits for it, as things are now.
  void review(std::uint32_t resource);

  // From then on whoever was troubled has recovered.
  [[nodiscard]] std::int64_t calm_from_ns() const { return calm_from_ns_; }

 private:
  static constexpr std::int64_t kNotTurned = std::numeric_limits<std::int64_t>::min();
  [[nodiscard]] std::size_t place_of(Contender party) const { return record_.place_of(party); }
  // When the call began; kForever: it does not wait, or was reported in this call.
  [[nodiscard]] std::int64_t since(Contender party) const {
    return reported_[place_of(party)] ? kForever : record_.waits_since_ns(party);
  }
  [[nodiscard]] std::int64_t from(Contender party) const;
  // How long a wait may take that might have ended from then on.
  [[nodiscard]] std::int64_t bound_ns(std::uint32_t resource, std::int64_t from_ns) const;
  // A majority can be had from `at_ns` on, as things are now.
  void can_be_had(std::uint32_t resource, std::int64_t at_ns);
  // Has somebody waited for it so long that he should have it? Says so once for each call.
  [[nodiscard]] std::optional<Contender> in_vain(std::uint32_t resource);
  // Has it been possible that it would?
  [[nodiscard]] bool judges(Contender party) const;
  void review_polling(Contender party);

  Record& record_;
  const Plan& plan_;
  std::vector<bool> reported_;           // by client and resource: in this call
  std::vector<bool> polls_;              // the same: it may have left the line in this call
  std::vector<std::int64_t> turned_ns_;  // by client and server: when it was turned away last
  std::vector<std::int64_t> to_be_had_;  // by resource: from when on
  std::vector<std::int64_t> silent_ns_;  // by resource: until when somebody silent is in its line
  std::int64_t calm_from_ns_ = 0;
  std::int64_t bound_ns_ = 0;
  std::int64_t missed_ns_ = 0;  // so much more until a word that never came is missed
  bool judged_ = false;
};

}  // namespace redlock::sim
