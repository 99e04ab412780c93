// The search and the retelling of what it found.
#include "exhaustive/explorer.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace redlock::exhaustive {

namespace {

std::int64_t steady_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// A move in canonical names, in the names that the schedule is told with.
Move renamed(const Move& move, const Renaming& renaming) {
  const auto old_client = std::ranges::find(renaming.new_client, move.client);
  const auto old_server = std::ranges::find(renaming.new_server, move.server);
  Move result = move;
  result.client = byte(old_client - renaming.new_client.begin());
  result.server = byte(old_server - renaming.new_server.begin());
  if (move.kind == MoveKind::execute_zombie) return result;
  result.detail = 0;
  for (unsigned s = 0; s < kServersMax; ++s) {
    if ((move.detail >> renaming.new_server[s] & 1U) != 0) {
      result.detail = byte(result.detail | 1U << s);
    }
  }
  return result;
}

}  // namespace

bool as_expected(const Settings& settings, const Result& result) {
  if (!settings.expectation.empty()) return result.violations.contains(settings.expectation);
  return result.complete && result.violations.empty() &&
         result.known_cases.size() == static_cast<std::size_t>(settings.known_cases);
}

Explorer::Explorer(const Settings& settings, std::uint64_t states_max, Report report)
    : world_(settings),
      canonical_(world_.settings(), world_.machines()),
      states_max_(states_max),
      report_(std::move(report)) {}

void Explorer::tell(bool always) {
  const double seconds = static_cast<double>(steady_ns() - started_ns_) / 1e9;
  if (!always && seconds - told_at_ < 1) return;
  told_at_ = seconds;
  result_.seconds = seconds;
  if (report_) report_({visited_.size(), current_.entries.size(), result_.depth, seconds});
}

Result Explorer::run() {
  started_ns_ = steady_ns();
  const std::string_view root = canonical_.encode(world_.root());
  visited_.insert(fingerprint_of(root), Origin{});
  next_.bytes = root;
  next_.entries.emplace_back(0, static_cast<std::uint16_t>(root.size()));
  while (!next_.entries.empty() && result_.violations.empty() && visited_.size() < states_max_) {
    std::swap(current_, next_);
    next_.bytes.clear();
    next_.entries.clear();
    std::size_t offset = 0;
    for (const auto& [number, size] : current_.entries) {
      expand(number, canonical_.decode(std::string_view(current_.bytes).substr(offset, size)));
      offset += size;
      if ((number & 0xfffU) == 0) tell(false);
      if (!result_.violations.empty()) break;
    }
    result_.memory_bytes =
        std::max(result_.memory_bytes,
                 visited_.bytes() + current_.bytes.capacity() + next_.bytes.capacity() +
                     8 * (current_.entries.capacity() + next_.entries.capacity()));
    ++result_.depth;
  }
  result_.complete = next_.entries.empty() && result_.violations.empty();
  result_.states = visited_.size();
  tell(true);
  return result_;
}

void Explorer::expand(std::uint32_t number, const State& state) {
  world_.list_moves(state, moves_);
  bool idle = true;
  for (const Move& move : moves_) {
    State next = state;
    const std::string broken = world_.apply(next, move);
    ++result_.moves;
    idle = idle && move.kind == MoveKind::tick;
    look_at(next, number, move, broken);
    if (!result_.violations.empty()) return;
  }
  if (!idle) return;
  ++result_.ends;
  const std::string wrong = world_.check_end(state);
  if (!wrong.empty()) note(result_.violations, wrong, number, Move{});
}

void Explorer::look_at(State& next, std::uint32_t parent, const Move& move,
                       const std::string& broken) {
  if (!broken.empty()) return note(result_.violations, broken, parent, move);
  const std::string_view bytes = canonical_.encode(next);
  if (!visited_.insert(fingerprint_of(bytes), Origin{parent, move})) return;
  const char* known_case = nullptr;
  const std::string wrong = world_.check(next, known_case);
  // Past a violation everything may happen, so nothing is learnt there.
  if (!wrong.empty() && known_case != nullptr) {
    return note(result_.known_cases, known_case, parent, move);
  }
  if (!wrong.empty()) return note(result_.violations, wrong, parent, move);
  for (const Client& client : next.clients) {
    if (client.hold_left > 0) {
      ++result_.grants;
      break;
    }
  }
  next_.entries.emplace_back(visited_.size() - 1, static_cast<std::uint16_t>(bytes.size()));
  next_.bytes += bytes;
}

void Explorer::note(std::map<std::string, Finding>& findings, const std::string& what,
                    std::uint32_t parent, const Move& move) {
  Finding& finding = findings[what];
  if (finding.count++ > 0) return;
  std::vector<Move> moves = visited_.path_to(parent);
  moves.push_back(move);
  finding.schedule = schedule_of(moves);
}

// Tells the schedule with one set of names, and so proves on the way that renaming did no harm.
std::vector<std::string> Explorer::schedule_of(const std::vector<Move>& moves) {
  std::vector<std::string> lines;
  State state = world_.root();
  for (const Move& move : moves) {
    canonical_.encode(state);
    const Move real = renamed(move, canonical_.renaming());
    const std::string told = describe(world_, state, real);
    const std::string broken = world_.apply(state, real);
    lines.push_back(told + "  " + describe(world_, state));
    if (!broken.empty()) lines.push_back("!! " + broken);
  }
  return lines;
}

}  // namespace redlock::exhaustive
