// redlock top: locks and who holds them, drawn again and again.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/no_lock.hpp"
#include "cli/screen.hpp"
#include "cli/signals.hpp"
#include "cli/time_text.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

namespace {

using std::chrono::steady_clock;

// Changes are counted over so long.
constexpr auto kWindow = std::chrono::seconds(10);

// One lock, look by look.
class Row {
 public:
  explicit Row(std::string resource) : resource_(std::move(resource)) {}

  void look(Client& client, steady_clock::time_point now) {
    Inspection seen = client.inspect(resource_);
    if (looked_ && seen.decided && seen_.decided && token(seen) != token(seen_)) {
      changes_.push_back(now);
    }
    if (!looked_) first_look_ = now;
    looked_ = true;
    while (!changes_.empty() && now - changes_.front() > kWindow) changes_.pop_front();
    watched_ = std::min<steady_clock::duration>(now - first_look_, kWindow);
    seen_ = std::move(seen);
  }

  // Whether it is known who has the lock, or that nobody has.
  [[nodiscard]] bool known() const { return seen_.decided && !is_no_lock(seen_); }
  [[nodiscard]] std::string text() const {
    const View& view = seen_.majority;
    std::string left = view.holder && view.holder->left ? time_text(*view.holder->left) : "-";
    if (view.holder && !view.holder->left) left = "for ever";
    return line(shown(resource_), holder(), left,
                view.waiting ? std::to_string(*view.waiting) : "?", rate(), next());
  }

  [[nodiscard]] static std::string heading() {
    return line("RESOURCE", "HOLDER", "LEFT", "WAITING", "CHANGES/S", "NEXT");
  }

 private:
  static std::string line(const std::string& resource, const std::string& holder,
                          const std::string& left, const std::string& waiting,
                          const std::string& changes, const std::string& next) {
    std::string text = padded(resource, 24) + " " + padded(holder, 26) + " " + padded(left, 12) +
                       " " + padded(waiting, 7) + " ";
    if (next.empty()) return text + changes;
    return text + padded(changes, 9) + " " + next;
  }
  static std::string token(const Inspection& seen) {
    return seen.majority.holder ? seen.majority.holder->token : std::string();
  }
  [[nodiscard]] std::string holder() const {
    if (!seen_.majority.holder && is_no_lock(seen_)) return "(no lock)";
    if (!seen_.reachable) return "(no majority answers)";
    if (!seen_.decided) return "(not known)";
    const std::optional<Holder>& holder = seen_.majority.holder;
    if (!holder) return "(free)";
    if (const auto& readers = seen_.majority.readers) {
      return "(" + std::to_string(*readers) + (*readers == 1 ? " reader)" : " readers)");
    }
    return name_of(holder->owner, holder->token);
  }
  // Who is first in line.
  [[nodiscard]] std::string next() const {
    const std::vector<InLine>& line = seen_.majority.line;
    if (line.empty()) return {};
    return name_of(line.front().owner, line.front().token) + " for " +
           time_text(line.front().waited);
  }
  [[nodiscard]] std::string rate() const {
    const double seconds = std::chrono::duration<double>(watched_).count();
    if (seconds <= 0) return "-";
    std::array<char, 32> buffer{};
    const int size = std::snprintf(buffer.data(), buffer.size(), "%.1f",
                                   static_cast<double>(changes_.size()) / seconds);
    return {buffer.data(), static_cast<std::size_t>(size)};
  }

  std::string resource_;
  Inspection seen_;
  bool looked_ = false;
  steady_clock::time_point first_look_;
  steady_clock::duration watched_{};
  std::deque<steady_clock::time_point> changes_;
};

enum class Action { none, draw, leave };

// What a key or a signal asks for, if one comes within `left`.
Action action_within(std::chrono::milliseconds left, Screen& screen, Signals& signals) {
  std::array<pollfd, 2> polled{{{STDIN_FILENO, POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
  (void)poll(polled.data(), polled.size(),
             static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000)));
  if (const auto number = signals.take()) {
    if (*number != SIGTSTP && *number != SIGWINCH) return Action::leave;
    if (*number == SIGTSTP) screen.stop();
    return Action::draw;
  }
  if ((polled[0].revents & (POLLHUP | POLLERR)) != 0) return Action::leave;
  if (polled[0].revents == 0) return Action::none;
  const int key = Screen::key();
  if (key == 'q' || key == 'Q' || key < 0) return Action::leave;
  return key == 0 ? Action::none : Action::draw;
}

std::vector<std::string> table(const std::vector<Row>& rows) {
  std::vector<std::string> lines{Row::heading()};
  for (const Row& row : rows) lines.push_back(row.text());
  return lines;
}

// Until the next look, a key or a signal. False: it is time to leave. Looked for once at least:
// where a look takes longer than until the next one, nobody could leave.
bool wait(Screen& screen, Signals& signals, steady_clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
    const Action action = action_within(left, screen, signals);
    if (action != Action::none) return action == Action::draw;
    if (left.count() <= 0) return true;
  }
}

}  // namespace

int top(Client& client, const Top& asked) {
  std::vector<Row> rows;
  for (const std::string& resource : asked.resources) rows.emplace_back(resource);
  if (asked.once) {
    for (Row& row : rows) row.look(client, steady_clock::now());
    for (const std::string& line : table(rows)) say(line + "\n");
    return std::ranges::all_of(rows, &Row::known) ? kDone : kUnreachable;
  }
  if (!Screen::there()) {
    complain("top needs a terminal; without one, top --once prints one look");
    return kUsage;
  }
  Signals signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};
  Screen screen;
  for (;;) {
    const auto next = steady_clock::now() +
                      std::min<std::chrono::milliseconds>(asked.every, std::chrono::hours(24));
    for (Row& row : rows) {
      row.look(client, steady_clock::now());
      // A server that is silent makes each of them last.
      if (action_within({}, screen, signals) == Action::leave) return kDone;
    }
    screen.draw(table(rows), "every " + time_text(asked.every) + "; q leaves");
    if (!wait(screen, signals, next)) return kDone;
  }
}

}  // namespace redlock::cli
