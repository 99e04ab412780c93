// Drawing, in the escape sequences that every terminal of today knows.
#include "cli/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "cli/signals.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";  // the other screen, no cursor
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

// All of it, or as much as the terminal takes before it is gone.
void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = write(STDOUT_FILENO, text.data(), text.size());
    if (size <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

}  // namespace

bool Screen::there() {
  // There is no other thread.
  const char* const kind = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && kind != nullptr &&
         *kind != '\0' && std::string_view(kind) != "dumb";
}

Screen::Screen() {
  (void)tcgetattr(STDIN_FILENO, &before_);
  enter();
}

Screen::~Screen() { leave(); }

void Screen::enter() const {
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  print(kEnter);
}

void Screen::leave() const {
  print(kLeave);
  (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

void Screen::draw(const std::vector<std::string>& lines, const std::string& bottom) const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    size.ws_row = 24;
    size.ws_col = 80;
  }
  const std::size_t count = std::min<std::size_t>(lines.size(), size.ws_row - 1U);
  std::string out(kHome);
  for (std::size_t i = 0; i < count; ++i) {
    out.append(padded(lines[i], size.ws_col)).append(kClearLine).append("\r\n");
  }
  out.append(padded(bottom, size.ws_col - 1U)).append(kClearLine).append(kClearBelow);
  print(out);
}

int Screen::key() {
  char byte = 0;
  const ssize_t size = read(STDIN_FILENO, &byte, 1);
  if (size == 1) return static_cast<unsigned char>(byte);
  return size == 0 ? 0 : -1;
}

void Screen::stop() {
  leave();
  stop_self(Whom::process);
  (void)tcgetattr(STDIN_FILENO, &before_);
  enter();
}

}  // namespace redlock::cli
