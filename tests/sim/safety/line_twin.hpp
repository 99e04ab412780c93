// Holds what one command did to a line against what pass and join must do, by a reading of its own.
//
// It sees the line before and after, and what was published meanwhile, and executes nothing. One
// thread; between begins() and ends() one command is carried out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/record/deed.hpp"
#include "sim/record/line_book.hpp"
#include "sim/record/line_view.hpp"

namespace redlock::sim {

class LineTwin {
 public:
  // Of a deed that joins or passes. `serves`: the server lets lines be changed.
  void begins(const Deed& deed, LineView before, std::int64_t now_ms, bool serves);
  // Negative: the server would not publish it.
  void published(std::string_view channel, std::string_view message, std::int64_t receivers);
  // What is wrong; empty: nothing. An answer that refuses proves only that nothing is left without
  // an end.
  [[nodiscard]] std::string ends(std::string_view answer, const LineView& after);

  // To whom the lock was handed on; nothing where it was not. After ends().
  [[nodiscard]] const std::optional<std::string>& handed() const { return handed_; }
  // Is whoever passed still in the line? So it is where the server lets nobody change it.
  [[nodiscard]] bool stays() const { return stays_; }
  // Adds up what has happened.
  void count(const LineView& after, LineCounts& counts) const;

 private:
  struct Published {
    std::string channel;
    std::string message;
    std::int64_t receivers = 0;
  };
  [[nodiscard]] bool was_free() const { return !before_.held || *before_.held == own_.token; }
  // Is anybody to be served? Not what was free already when somebody came who does not take it.
  [[nodiscard]] bool to_be_served() const;
  [[nodiscard]] static const Stander* first_to_ask(const LineView& after);
  [[nodiscard]] bool overtaken() const;
  [[nodiscard]] const Published* told(const Stander& stander, std::string_view word) const;
  [[nodiscard]] bool unreachable(const Stander& stander) const;
  [[nodiscard]] bool anything_refused() const;
  [[nodiscard]] std::string judge_ends(const LineView& after) const;
  [[nodiscard]] std::string judge_overtaken(std::string_view answer, const LineView& after) const;
  [[nodiscard]] std::string judge_struck_out(const LineView& after) const;
  [[nodiscard]] std::string judge_service(const LineView& after) const;
  [[nodiscard]] std::string judge_handed(const LineView& after) const;
  [[nodiscard]] std::string judge_first(const LineView& after) const;
  [[nodiscard]] std::string judge_granted(const LineView& after) const;
  [[nodiscard]] std::string judge_neighbours(const LineView& after) const;
  [[nodiscard]] std::string judge_standing(std::string_view answer, const LineView& after) const;

  bool joins_ = false;
  std::string wish_;
  Stander own_;  // as a join asks for it; of a pass only the token
  LineView before_;
  std::int64_t now_ms_ = 0;
  bool serves_ = true;
  std::vector<Published> published_;
  std::optional<std::string> handed_;
  bool stays_ = false;
};

}  // namespace redlock::sim
