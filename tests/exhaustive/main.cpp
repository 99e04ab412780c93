// The program behind bin/exhaust: explores the worlds, prints progress, rate and a table.
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "exhaustive/explorer.hpp"
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive {

namespace {

// 16 bytes a slot and 8 a state, tables doubling, and the frontier: this many stay below 8 GiB.
constexpr std::uint64_t kStatesMax = 130'000'000;

struct Wish {
  bool small = false;
  bool list = false;
  std::string world;
};

void print_usage() {
  std::puts(
      "usage: bin/exhaust [--small] [--world NAME] [--list]\n\n"
      "Explores every interleaving of small worlds through the production state machines.\n"
      "  --small       only the quick worlds, which bin/test also explores\n"
      "  --world NAME  only this world\n"
      "  --list        the names of the worlds");
}

bool parse(int argc, char** argv, Wish& wish) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--small") == 0) {
      wish.small = true;
    } else if (std::strcmp(argv[i], "--list") == 0) {
      wish.list = true;
    } else if (std::strcmp(argv[i], "--world") == 0 && i + 1 < argc) {
      wish.world = argv[++i];
    } else {
      return false;
    }
  }
  return true;
}

// On a terminal one line that is kept up to date, elsewhere one line every ten seconds.
void print_progress(const std::string& name, const Progress& p) {
  static double told_at = 0;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (p.seconds < told_at) told_at = 0;
  if (!terminal && p.seconds - told_at < 10) return;
  told_at = p.seconds;
  const double rate = p.seconds > 0 ? static_cast<double>(p.states) / p.seconds : 0;
  std::fprintf(stderr, "%s%s: %" PRIu64 " states, depth %u, frontier %zu, %.0f/s%s",
               terminal ? "\r\033[K" : "", name.c_str(), p.states, p.depth, p.frontier, rate,
               terminal ? "" : "\n");
}

void print_findings(const char* kind, const std::map<std::string, Finding>& findings) {
  for (const auto& [what, finding] : findings) {
    std::printf("  %s: %s (%" PRIu64 " transitions lead there); a shortest schedule:\n", kind,
                what.c_str(), finding.count);
    for (const std::string& line : finding.schedule) std::printf("      %s\n", line.c_str());
  }
}

void print_header() {
  std::printf("%-24s %11s %12s %6s %9s %8s %7s %6s %8s  %s\n", "world", "states", "transitions",
              "depth", "machines", "seconds", "k/s", "MiB", "holding", "result");
}

void print_row(const Settings& settings, const Result& r, const World& world) {
  std::string verdict = settings.expectation.empty() ? "no violation" : "as expected";
  if (!as_expected(settings, r)) verdict = "FAILED";
  if (!r.complete && r.states >= kStatesMax) verdict = "FAILED: stopped at the bound on states";
  if (!r.known_cases.empty())
    verdict += ", " + std::to_string(r.known_cases.size()) + " known cases";
  const double rate = r.seconds > 0 ? static_cast<double>(r.states) / r.seconds / 1000 : 0;
  std::printf("%-24s %11" PRIu64 " %12" PRIu64 " %6u %9zu %8.1f %7.0f %6zu %8" PRIu64 "  %s\n",
              settings.name.c_str(), r.states, r.moves, r.depth, world.machines().size(), r.seconds,
              rate, r.memory_bytes >> 20U, r.grants, verdict.c_str());
  std::fflush(stdout);
}

int explore_all(const Wish& wish) {
  std::uint64_t total = 0;
  int explored = 0;
  int failed = 0;
  print_header();
  for (const NamedWorld& world : all_worlds()) {
    const Settings& settings = world.settings;
    if (!wish.world.empty() ? settings.name != wish.world
                            : wish.small && world.size == Size::full) {
      continue;
    }
    Explorer explorer(settings, kStatesMax,
                      [&](const Progress& p) { print_progress(settings.name, p); });
    const Result result = explorer.run();
    if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
    print_row(settings, result, explorer.world());
    print_findings("found", result.violations);
    print_findings("known case", result.known_cases);
    total += result.states;
    ++explored;
    if (!as_expected(settings, result)) ++failed;
  }
  std::printf("%d worlds, %" PRIu64 " states in total, %d failed\n", explored, total, failed);
  return explored > 0 && failed == 0 ? 0 : 1;
}

}  // namespace

}  // namespace redlock::exhaustive

int main(int argc, char** argv) {
  using namespace redlock::exhaustive;
  Wish wish;
  if (!parse(argc, argv, wish)) {
    print_usage();
    return 2;
  }
  if (!wish.list) return explore_all(wish);
  for (const NamedWorld& world : all_worlds()) std::puts(world.settings.name.c_str());
  return 0;
}
