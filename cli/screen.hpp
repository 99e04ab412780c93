// A terminal that is drawn on as a whole and left as it was.
//
// While it lives the terminal shows its other screen and gives keys one by one, unechoed.
#pragma once
#include <termios.h>

#include <string>
#include <vector>

namespace redlock::cli {

class Screen {
 public:
  // Are standard input and output a terminal that can be drawn on?
  [[nodiscard]] static bool there();

  // Requires there().
  Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  // The lines that fit, each cut at the right margin; the last line is kept for `bottom`.
  void draw(const std::vector<std::string>& lines, const std::string& bottom) const;
  // The key that was pressed next, without waiting; 0: none, -1: the terminal is gone.
  [[nodiscard]] static int key();
  // Gives the terminal back and stops, until somebody lets us go on.
  void stop();

 private:
  void enter() const;
  void leave() const;

  termios before_{};
};

}  // namespace redlock::cli
