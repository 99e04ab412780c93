// Whoever is told that it holds a lock has a majority of servers, for as long as it was told.
//
// A removal may take a minority's vote, for it was never counted. A swap may let a majority end
// sooner, but no sooner than its client believes.
#pragma once
#include <optional>

#include "sim/record/record.hpp"

namespace redlock::sim {

class Majority {
 public:
  // The record must outlive it.
  explicit Majority(Record& record) : record_(record) {}

  // The client was told that it holds this. `made_by` is what set the keys anew, where that is to
  // be seen.
  void judge(Contender party, const Hold& hold, std::optional<Verb> made_by);
  // Somebody's command has removed a held lock from a server, or shortened it there.
  void suspect() { suspected_ = true; }
  void after_event();

 private:
  void judge_held(Contender party);
  [[nodiscard]] std::size_t really_set(Contender party, const Hold& hold, Verb made_by);
  // When a majority may be had by others.
  [[nodiscard]] std::int64_t majority_ends(const Hold& hold) const;
  [[nodiscard]] std::int64_t blocked_until(const ServerView& view, const Hold& hold) const;

  Record& record_;
  bool suspected_ = false;
};

}  // namespace redlock::sim
