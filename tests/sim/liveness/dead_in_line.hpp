// Whoever is gone does not stay in a line for long.
#pragma once
#include "sim/liveness/waits.hpp"

namespace redlock::sim {

class DeadInLine {
 public:
  // Both must outlive it.
  DeadInLine(Record& record, const Waits& waits) : record_(record), waits_(waits) {}

  // Somebody has joined, and so have all others who live, as often as they must.
  void judge(std::uint32_t server, const LineView& after);

 private:
  Record& record_;
  const Waits& waits_;
};

}  // namespace redlock::sim
