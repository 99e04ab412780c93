// Breadth-first over all states that a world can reach, so that what is found is found by a
// shortest schedule.
//
// One thread. Memory: 16 bytes a slot and 8 a state, and the bytes of two levels of states.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "exhaustive/canonical.hpp"
#include "exhaustive/visited.hpp"
#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

struct Finding {
  std::uint64_t count = 0;
  std::vector<std::string> schedule;  // the first one, which is a shortest
};

struct Result {
  std::uint64_t states = 0;
  std::uint64_t moves = 0;
  std::uint64_t ends = 0;  // states where nothing can happen any more
  std::uint32_t depth = 0;
  std::uint64_t grants = 0;  // states in which somebody holds the lock
  bool complete = false;
  double seconds = 0;
  std::size_t memory_bytes = 0;
  std::map<std::string, Finding> known_cases;
  std::map<std::string, Finding> violations;
};

// Did the world show what it is there for, and nothing else?
[[nodiscard]] bool as_expected(const Settings& settings, const Result& result);

struct Progress {
  std::uint64_t states = 0;
  std::size_t frontier = 0;
  std::uint32_t depth = 0;
  double seconds = 0;
};

class Explorer {
 public:
  using Report = std::function<void(const Progress&)>;
  // Stops at `states_max`, or at the first violation that is no known case.
  Explorer(const Settings& settings, std::uint64_t states_max, Report report);

  Result run();
  [[nodiscard]] const World& world() const { return world_; }

 private:
  // The states of one level, one after the other.
  struct Level {
    std::string bytes;
    std::vector<std::pair<std::uint32_t, std::uint16_t>> entries;  // number, length
  };
  void expand(std::uint32_t number, const State& state);
  void look_at(State& next, std::uint32_t parent, const Move& move, const std::string& broken);
  void note(std::map<std::string, Finding>& findings, const std::string& what, std::uint32_t parent,
            const Move& move);
  [[nodiscard]] std::vector<std::string> schedule_of(const std::vector<Move>& moves);
  void tell(bool always);

  World world_;
  Canonical canonical_;
  std::uint64_t states_max_;
  Report report_;
  Visited visited_;
  Level current_;
  Level next_;
  Result result_;
  std::vector<Move> moves_;
  std::int64_t started_ns_ = 0;
  double told_at_ = 0;
};

}  // namespace redlock::exhaustive
