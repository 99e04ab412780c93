// Whether a call must be granted though something is wrong elsewhere.
//
// A majority is enough when it is reachable, answers in time, and has nothing to do with anybody
// else: backing off from servers that were in trouble, and the silence of those that still are,
// must not cost it. Judged by the plan of faults, not by what the client noticed. One thread; one a
// schedule.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/record/record.hpp"

namespace redlock::sim {

class Availability {
 public:
  static constexpr std::uint32_t kServersMax = 32;

  // The record must outlive it.
  explicit Availability(Record& record);

  // A call begins. Servers are of no use to it where some key stands, or a connection leads
  // nowhere.
  void call_begins(Contender party);
  // Somebody (a client, or nobody) changed what the server keeps of the resource.
  void key_set(std::uint32_t server, Contender party);
  // It was given there to a lease of the party's own that it had before, in whose line it still
  // stood: in its own way, until that is released or over.
  void key_set_for_earlier_lease(std::uint32_t server, Contender party) {
    call_of(party).occupied |= bit(server);
  }
  // A connection between the two was struck.
  void struck(std::uint32_t client, std::uint32_t server);
  // What the server says to a client that asks for a channel to listen to: whoever was refused asks
  // for none for a while, and nobody stands in a line where he cannot be told of his turn.
  void asked_to_be_heard(std::uint32_t client, std::uint32_t server, std::string_view answer);
  // In its latest call it stands in line there: it asks by that alone, and when it waits again
  // too.
  void stands_in_line(Contender party, std::uint32_t server) {
    call_of(party).stands |= bit(server);
    stood_[index_of(party)] = true;
  }
  // Servers have answered the party's latest call: what was before that is forgotten.
  void answered(Contender party, const Outcome& outcome);
  // It is not about the call any more: the client stood still, and took the silence for the
  // servers'.
  void excuse(Contender party) {
    call_of(party).excused = true;
    stood_still_ns_[party.client] = record_.now_ns;
  }

  // A take is over.
  void judge(Contender party, const Outcome& outcome);

 private:
  struct Call {
    std::int64_t began_ns = 0;
    std::uint32_t occupied = 0;  // by servers' bits
    std::uint32_t cut_off = 0;
    std::uint32_t stands = 0;
    bool by_the_line = false;  // it makes no plain attempt first
    bool excused = true;
  };
  static constexpr std::int64_t kSubscribed = std::numeric_limits<std::int64_t>::min();
  [[nodiscard]] std::size_t index_of(Contender party) const { return record_.place_of(party); }
  [[nodiscard]] Call& call_of(Contender party) { return calls_[index_of(party)]; }
  static std::uint32_t bit(std::uint32_t server) { return std::uint32_t{1} << server; }
  [[nodiscard]] std::size_t place_of(Contender party, std::uint32_t server) const {
    return index_of(party) * plan_.servers + server;
  }
  // The call is over: had it to be granted?
  [[nodiscard]] bool owed(Contender party) const;
  [[nodiscard]] bool time_enough(Contender party) const;
  // Servers that were not asked in its latest call, for it could not hear them.
  [[nodiscard]] std::uint32_t unasked(Contender party) const;
  // Servers of which nothing has been heard since they were in trouble.
  [[nodiscard]] std::uint32_t suspected(Contender party) const;
  [[nodiscard]] std::uint32_t in_trouble(Contender party, std::int64_t from_ns) const;

  Record& record_;
  const Plan& plan_;
  std::vector<Call> calls_;                    // by client and resource
  std::vector<std::int64_t> struck_ns_;        // by client and server, in whatever call
  std::vector<std::int64_t> stood_still_ns_;   // by client, in whatever call
  std::vector<std::int64_t> unsubscribed_ns_;  // by client and server: when it was refused
  std::vector<bool> stood_;                    // by client and resource: in line
  std::vector<std::int64_t>
      trusted_ns_;  // by client, resource and server: when an answer was asked
  std::int64_t settle_ns_;
  bool judged_;
};

}  // namespace redlock::sim
