// The program behind bin/exhaust: explores the worlds, prints progress, rate and a table.
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "exhaustive/breadth_first.hpp"
#include "exhaustive/comparison.hpp"
#include "exhaustive/explorer.hpp"
#include "exhaustive/fence_worlds.hpp"
#include "exhaustive/holding_worlds.hpp"
#include "exhaustive/line_worlds.hpp"
#include "exhaustive/permit_worlds.hpp"
#include "exhaustive/renewal_worlds.hpp"
#include "exhaustive/worlds.hpp"

namespace redlock::exhaustive {

namespace {

// 16 bytes a slot and 8 a state, tables doubling, and the frontier: this many stay below 8 GiB.
constexpr std::uint64_t kStatesMax = 130'000'000;

struct Arguments {
  bool small = false;
  bool list = false;
  std::string world;
  std::uint64_t compare = 0;
  std::uint64_t seed = 1;
};

void print_usage() {
  std::puts(
      "usage: bin/exhaust [--small] [--world NAME] [--list]\n"
      "       bin/exhaust --compare N [--seed S]\n\n"
      "Explores every interleaving of small worlds through the production state machines.\n"
      "  --small       only the quick worlds, which bin/test also explores\n"
      "  --world NAME  only this world\n"
      "  --list        the names of the worlds\n"
      "  --compare N   instead, N random traces through the model's connections and through the\n"
      "                product's reactor, nodes and sessions, which must agree after every event\n"
      "  --seed S      the first trace (1)");
}

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--small") == 0) {
      arguments.small = true;
    } else if (std::strcmp(argv[i], "--list") == 0) {
      arguments.list = true;
    } else if (std::strcmp(argv[i], "--compare") == 0 && i + 1 < argc) {
      arguments.compare = std::strtoull(argv[++i], nullptr, 10);
      if (arguments.compare == 0) return false;
    } else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      arguments.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--world") == 0 && i + 1 < argc) {
      arguments.world = argv[++i];
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

int compare_all(const Arguments& arguments) {
  constexpr std::uint64_t kAtOnce = 10'000;
  Comparison comparison;
  ComparisonResult total;
  for (std::uint64_t done = 0; done < arguments.compare && total.difference.empty();) {
    const std::uint64_t count = std::min(kAtOnce, arguments.compare - done);
    const ComparisonResult part = comparison.run(arguments.seed + done, count);
    done += count;
    total.traces += part.traces;
    total.events += part.events;
    total.cut_short += part.cut_short;
    total.reached += part.reached;
    total.first_difference = part.first_difference;
    total.difference = part.difference;
    if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K%" PRIu64 " traces", done);
  }
  if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
  std::printf("%" PRIu64 " traces, %" PRIu64 " events, %" PRIu64 " cut short\n", total.traces,
              total.events, total.cut_short);
  const Reached& reached = total.reached;
  std::printf("events with requests kept back %" PRIu64 ", with an unknown script %" PRIu64
              ", with removals carried over %" PRIu64
              ", with a connection that waits to be closed "
              "%" PRIu64 ", with a server in doubt %" PRIu64 "\n",
              reached.kept_back, reached.unknown_scripts, reached.carried, reached.waiting_to_close,
              reached.suspected);
  if (total.difference.empty()) return 0;
  std::printf("model and product differ at seed %" PRIu64 ":\n%s", total.first_difference,
              comparison.tell(total.first_difference).c_str());
  return 1;
}

struct Total {
  std::uint64_t states = 0;
  int explored = 0;
  int failed = 0;
};

bool is_wanted(const Arguments& arguments, const std::string& name, Size size) {
  return arguments.world.empty() ? !arguments.small || size == Size::small
                                 : name == arguments.world;
}

template <class World, class Settings>
void explore_others(const Arguments& arguments, const std::vector<Named<Settings>>& worlds,
                    Total& total) {
  for (const Named<Settings>& world : worlds) {
    if (!is_wanted(arguments, world.settings.name, world.size)) continue;
    const SearchResult result = BreadthFirst<World, Settings>(world.settings).run(kStatesMax);
    const bool failed =
        result.violation != world.expectation || (result.violation.empty() && !result.complete);
    std::printf("%-28s %11" PRIu64 " states  %s%s\n", world.settings.name.c_str(), result.states,
                failed ? "FAILED " : "",
                result.violation.empty() ? "no violation" : result.violation.c_str());
    for (const std::string& line : result.schedule) std::printf("      %s\n", line.c_str());
    std::fflush(stdout);
    total.states += result.states;
    ++total.explored;
    if (failed) ++total.failed;
  }
}

int explore_all(const Arguments& arguments) {
  Total total;
  print_header();
  for (const NamedWorld& world : all_worlds()) {
    const Settings& settings = world.settings;
    if (!is_wanted(arguments, settings.name, world.size)) continue;
    Explorer explorer(settings, kStatesMax,
                      [&](const Progress& p) { print_progress(settings.name, p); });
    const Result result = explorer.run();
    if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
    print_row(settings, result, explorer.world());
    print_findings("found", result.violations);
    print_findings("known case", result.known_cases);
    total.states += result.states;
    ++total.explored;
    if (!as_expected(settings, result)) ++total.failed;
  }
  explore_others<LineWorld>(arguments, line_worlds(), total);
  explore_others<RenewalWorld>(arguments, renewal_worlds(), total);
  explore_others<FenceWorld>(arguments, fence_worlds(), total);
  explore_others<PermitWorld>(arguments, permit_worlds(), total);
  explore_others<HoldingWorld>(arguments, holding_worlds(), total);
  std::printf("%d worlds, %" PRIu64 " states in total, %d failed\n", total.explored, total.states,
              total.failed);
  return total.explored > 0 && total.failed == 0 ? 0 : 1;
}

}  // namespace

}  // namespace redlock::exhaustive

int main(int argc, char** argv) {
  using namespace redlock::exhaustive;
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    print_usage();
    return 2;
  }
  if (arguments.compare > 0) return compare_all(arguments);
  if (!arguments.list) return explore_all(arguments);
  for (const NamedWorld& world : all_worlds()) std::puts(world.settings.name.c_str());
  for (const NamedLine& world : line_worlds()) std::puts(world.settings.name.c_str());
  for (const NamedRenewal& world : renewal_worlds()) std::puts(world.settings.name.c_str());
  for (const NamedFence& world : fence_worlds()) std::puts(world.settings.name.c_str());
  for (const NamedPermits& world : permit_worlds()) std::puts(world.settings.name.c_str());
  for (const NamedHolding& world : holding_worlds()) std::puts(world.settings.name.c_str());
  return 0;
}
