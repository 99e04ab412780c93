// What joins and removals do to a line, and whom they serve, is what the scripts promise.
#pragma once
#include <utility>

#include "sim/record/record.hpp"
#include "sim/safety/line_twin.hpp"

namespace redlock::sim {

class LineService {
 public:
  // The record must outlive it.
  explicit LineService(Record& record) : record_(record) {}

  // A command is executed from now on; those that join or pass are judged.
  void begins(const Origin& origin, const Deed& deed);
  void published(std::string_view channel, std::string_view message, std::int64_t receivers) {
    if (judging_) twin_.published(channel, message, receivers);
  }
  // Is one being executed? Asked once, at its end.
  [[nodiscard]] bool end() { return std::exchange(judging_, false); }
  void judge(const Origin& origin, std::string_view answer, const LineView& after);
  // The lock was handed on by a token that nobody has waited with.
  void handed_to_nobody(const Origin& origin);
  // What the command did.
  [[nodiscard]] const LineTwin& twin() const { return twin_; }

 private:
  Record& record_;
  LineTwin twin_;
  bool judging_ = false;
};

}  // namespace redlock::sim
