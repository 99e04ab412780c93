// Keys that their client has given up are gone when it comes back.
//
// A key is overdue when its client came back to the server, for the same resource, and that server
// has carried out what it brought, but not the removal that belongs before it. No time is measured,
// so it holds whatever the network and the servers do meanwhile. Excused is what the
// documents say: a take that arrived behind its own removal, a removal that was not answered on two
// connections that ended, or on one that the process closed at its request's end, and, for a while,
// one that the server refused. One thread; one a schedule.
#pragma once
#include <cstdint>

#include "sim/record/record.hpp"

namespace redlock::sim {

class Leftovers {
 public:
  // The record must outlive it.
  explicit Leftovers(Record& record) : record_(record) {}

  // A crowd of removals begins, and is over. What was to be removed before may have been forgotten.
  void crowd_begins(std::uint32_t client) { crowd_ = {client, kForever}; }
  void crowd_ends(std::uint32_t client) { crowd_ = {client, record_.now_ns}; }
  // A take of its client has been carried out there.
  void came_back(const Origin& origin, const Deed& deed);

 private:
  enum class Kind { none, undone, released };
  [[nodiscard]] Kind given_up(const Origin& origin, std::uint64_t taking, std::uint64_t token);
  // `token` stands there: what should have been done to it long ago?
  [[nodiscard]] Kind overdue(const Origin& origin, std::uint64_t taking, std::uint64_t token);
  // Counts the keys that could have been found so and had not been asked about before.
  void note_occasions(const Origin& origin, std::uint64_t taking);
  void note_unaccepted(const Origin& origin, KnownToken& key) const;
  [[nodiscard]] bool excused(const Origin& origin, KnownToken& key) const;
  [[nodiscard]] bool forgotten_in_crowd(const Origin& origin, const KnownToken& key) const;
  [[nodiscard]] bool ended_with(const Origin& origin, std::uint64_t token) const;
  void report(const Origin& origin, Kind kind, const std::string& what);

  Record& record_;
  struct CrowdEnd {
    std::uint32_t client = 0;
    std::int64_t at_ns = -1;
  };
  CrowdEnd crowd_;
};

}  // namespace redlock::sim
