// The program behind bin/sim: many schedules with a table, or one with its timeline.
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

#include "sim/report.hpp"
#include "sim/runner.hpp"
#include "sim/svg.hpp"

namespace redlock::sim {
namespace {

constexpr std::size_t kTimelineLines = 60;
constexpr std::size_t kFailuresShown = 3;
constexpr int kTrimBytes = 64 * 1024 * 1024;

constexpr const char* kUsage =
    "usage: bin/sim [--seeds N] [--first S] [--class NAME] [SHAPE...] [--jobs J]\n"
    "       bin/sim --seed S [--class NAME] [SHAPE...] [--svg FILE [--span A-B]]\n"
    "  --seeds N     run N schedules (default 10000) and print a table of faults\n"
    "  --first S     the first seed (default 1)\n"
    "  --seed S      run one schedule and print its timeline\n"
    "  --svg FILE    with --seed: also draw the timeline\n"
    "  --span A-B    of the picture: from A to B ms\n"
    "  --class NAME  with this class of fault in every schedule; 'list' names them\n"
    "  --standard    the shape speed is measured on: RedLock, 3 servers, faults in the model\n"
    "  --lines       RedLock, faults in the model, and somebody waits in line\n"
    "  --fences      RedLock, faults in the model, and somebody asks for fences\n"
    "  --shared      RedLock, faults in the model, and some read what others write\n"
    "  --permits     RedLock, faults in the model, and all want one of several permits\n"
    "  --sets        RedLock, faults in the model, and all want several names at once\n"
    "  --guard       RedLock, servers restart at once in the model, and clients have the guard\n"
    "  --unguarded   the same without the guard, which is to be violated\n"
    "                (--standard, --lines, --fences, --shared, --permits, --sets, --guard and\n"
    "                --unguarded are the SHAPEs)\n"
    "  --jobs J      threads (default: one per core)\n"
    "  --hashes      print each seed with the hash of its trace and of what was judged\n";

struct Options {
  Batch batch;
  std::optional<std::uint64_t> seed;
  std::string svg;
  std::optional<PictureSpan> span;  // of the picture
  bool hashes = false;
};

[[noreturn]] void refuse(const std::string& reason) {
  std::cerr << "sim: " << reason << "\n" << kUsage;
  std::exit(2);
}

std::uint64_t number_of(const std::string& option, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text.front() < '0' || text.front() > '9' || *end != '\0' || errno != 0) {
    refuse(option + " needs a number, not '" + text + "'");
  }
  return value;
}

FaultClass class_of(const std::string& name) {
  if (name == "list") {
    for (const FaultInfo& info : fault_table()) {
      std::printf("%-26s %-8s %s\n", std::string(info.name).c_str(),
                  info.model == Model::inside ? "inside" : "outside",
                  std::string(info.meaning).c_str());
    }
    std::exit(0);
  }
  const std::optional<FaultClass> fault_class = fault_class_named(name);
  if (!fault_class) refuse("unknown class '" + name + "'; --class list names them");
  return *fault_class;
}

PictureSpan span_of(const std::string& value) {
  const std::size_t dash = std::min(value.find('-'), value.size());
  const auto ms = [&](const std::string& text) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(number_of("--span", text), 1U << 30U));
  };
  return {ms(value.substr(0, dash)) * kMs,
          ms(value.substr(std::min(dash + 1, value.size()))) * kMs};
}

Options parse(int count, char** words) {
  Options options;
  options.batch.count = 10'000;
  options.batch.jobs = std::max(1U, std::thread::hardware_concurrency());
  for (int i = 1; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--help") {
      std::cout << kUsage;
      std::exit(0);
    }
    if (option == "--standard") {
      options.batch.wishes.standard_shape = true;
      options.batch.wishes.inside_only = true;
      continue;
    }
    if (option == "--lines") {
      options.batch.wishes.lines = true;
      options.batch.wishes.inside_only = true;
      continue;
    }
    if (option == "--fences") {
      options.batch.wishes.fences = true;
      options.batch.wishes.inside_only = true;
      continue;
    }
    if (option == "--shared" || option == "--permits" || option == "--sets") {
      options.batch.wishes.shared = option == "--shared";
      options.batch.wishes.permits = option == "--permits";
      options.batch.wishes.sets = option == "--sets";
      options.batch.wishes.inside_only = true;
      continue;
    }
    if (option == "--guard" || option == "--unguarded") {
      options.batch.wishes.guard = option == "--guard";
      options.batch.wishes.unguarded = option == "--unguarded";
      options.batch.wishes.inside_only = true;
      continue;
    }
    if (option == "--hashes") {
      options.hashes = true;
      continue;
    }
    if (i + 1 == count) refuse("'" + option + "' is unknown or needs a value");
    const std::string value = words[++i];
    if (option == "--seeds") {
      options.batch.count = number_of(option, value);
    } else if (option == "--first") {
      options.batch.first_seed = number_of(option, value);
    } else if (option == "--seed") {
      options.seed = number_of(option, value);
    } else if (option == "--jobs") {
      options.batch.jobs =
          static_cast<unsigned>(std::clamp<std::uint64_t>(number_of(option, value), 1, 256));
    } else if (option == "--svg") {
      options.svg = value;
    } else if (option == "--span") {
      options.span = span_of(value);
    } else if (option == "--class") {
      options.batch.wishes.fault_class = class_of(value);
    } else {
      refuse("unknown option '" + option + "'");
    }
  }
  if (!options.svg.empty() && !options.seed) refuse("--svg needs --seed");
  if (options.span && options.svg.empty()) refuse("--span needs --svg");
  return options;
}

// The production code aborts on a broken invariant; the seed must not be lost with it.
void name_seed_on_abort(int /*signal*/) {
  char text[64];
  const int size = std::snprintf(text, sizeof(text), "sim: aborted in seed %llu\n",
                                 static_cast<unsigned long long>(running_seed()));
  if (write(2, text, static_cast<std::size_t>(size)) < 0) _exit(3);
  _exit(3);
}

int run_one(const Options& options) {
  LuaEngine engine;
  Story story;
  const ScheduleResult result = run_schedule(*options.seed, options.batch.wishes, engine, &story);
  std::cout << timeline_text(story, story.violations.empty() ? 100'000 : kTimelineLines);
  for (const StoryNote& violation : story.violations) {
    // The timeline ends with the first.
    if (violation.at_ns == story.violations.front().at_ns) continue;
    std::printf("%10.3f ms  *** %s\n", static_cast<double>(violation.at_ns) / 1e6,
                violation.text.c_str());
  }
  std::printf("seed %llu: %zu violations, %s the model, %llu events, trace %016llx\n",
              static_cast<unsigned long long>(*options.seed), result.violations.size(),
              result.model == Model::inside ? "inside" : "outside",
              static_cast<unsigned long long>(result.events),
              static_cast<unsigned long long>(result.hash));
  if (!options.svg.empty()) {
    std::ofstream file(options.svg);
    file << timeline_svg(story, replay_command(*options.seed, options.batch.wishes), options.span);
    if (!file.flush()) {
      std::cerr << "sim: cannot write " << options.svg << "\n";
      return 2;
    }
  }
  return result.failures.empty() ? 0 : 1;
}

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// Live on a terminal, a line every seven seconds elsewhere.
class Progress {
 public:
  explicit Progress(std::uint64_t count) : count_(count), live_(isatty(2) == 1) {}
  void show(std::uint64_t done, std::uint64_t failed) {
    const double passed = seconds_since(start_);
    if (done == 0 || (!live_ && passed < next_plain_)) return;
    next_plain_ = passed + 7;
    const double rate = static_cast<double>(done) / passed;
    std::fprintf(stderr, "%s%llu of %llu schedules, %.0f/s, %.0f s left, %llu violated%s",
                 live_ ? "\r\033[K" : "", static_cast<unsigned long long>(done),
                 static_cast<unsigned long long>(count_), rate,
                 static_cast<double>(count_ - done) / rate, static_cast<unsigned long long>(failed),
                 live_ ? "" : "\n");
  }
  ~Progress() {
    if (live_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  std::uint64_t count_;
  bool live_;
  SteadyClock::time_point start_ = SteadyClock::now();
  double next_plain_ = 7;
};

void explain(const Failure& failure, const PlanWishes& wishes) {
  LuaEngine engine;
  Story story;
  if (run_schedule(failure.seed, wishes, engine, &story).violations.empty()) {
    std::printf("the violation did not come back: the simulator is not deterministic\n");
  }
  std::printf("\nVIOLATION in seed %llu: %s: %s\nreplay: %s\n%s",
              static_cast<unsigned long long>(failure.seed),
              std::string(name_of(failure.violation.kind)).c_str(), failure.violation.text.c_str(),
              replay_command(failure.seed, wishes).c_str(),
              timeline_text(story, kTimelineLines).c_str());
}

// What the checker made of a schedule. Two builds that print the same of a seed ran the same
// schedule, and neither judged anything that the other did not.
std::uint64_t judgement_of(const ScheduleResult& result) {
  // A property that came later counts where there was something to judge.
  constexpr auto kFirstKinds = static_cast<std::size_t>(ViolationKind::fence_not_rising);
  Trace sum(nullptr);
  sum.fold(result.events, result.grants);
  for (std::size_t i = 0; i < kViolationKinds; ++i) {
    if (i < kFirstKinds || result.judged[i] > 0) sum.fold(result.judged[i], 0);
  }
  for (const std::uint64_t times : result.fired) sum.fold(times, 1);
  for (const Violation& violation : result.violations) {
    sum.fold(static_cast<std::uint64_t>(violation.kind),
             static_cast<std::uint64_t>(violation.at_ns));
    sum.fold(violation.text);
  }
  return sum.hash();
}

int print_hashes(const Batch& batch) {
  LuaEngine engine;
  for (std::uint64_t seed = batch.first_seed; seed < batch.first_seed + batch.count; ++seed) {
    const ScheduleResult result = run_schedule(seed, batch.wishes, engine);
    std::printf("%llu %016llx %016llx\n", static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(result.hash),
                static_cast<unsigned long long>(judgement_of(result)));
  }
  return 0;
}

int run_many(const Options& options) {
  const auto start = SteadyClock::now();
  Totals totals;
  {
    Progress progress(options.batch.count);
    totals = run_batch(options.batch, [&progress](std::uint64_t done, std::uint64_t failed) {
      progress.show(done, failed);
    });
  }
  const double passed = seconds_since(start);
  std::cout << fault_table_text(totals);
  for (std::size_t i = 0; i < totals.failures.size(); ++i) {
    if (i < kFailuresShown) {
      explain(totals.failures[i], options.batch.wishes);
    } else {
      std::printf("also: %s\n",
                  replay_command(totals.failures[i].seed, options.batch.wishes).c_str());
    }
  }
  for (std::size_t i = 0; i < kViolationKinds; ++i) {
    const std::uint64_t judged = totals.judged[i];
    const std::uint64_t violated = totals.failed_kinds[i];
    if (judged == 0 && violated == 0) continue;
    std::printf("%-26s judged %llu times, violated %llu times\n",
                std::string(name_of(static_cast<ViolationKind>(i))).c_str(),
                static_cast<unsigned long long>(judged), static_cast<unsigned long long>(violated));
  }
  std::printf(
      "%llu schedules in %.1f s (%.0f/s, %u threads), %.0f events and %.1f grants each; "
      "in the model: %llu schedules, %llu violated\n",
      static_cast<unsigned long long>(totals.schedules), passed,
      static_cast<double>(totals.schedules) / passed, options.batch.jobs,
      static_cast<double>(totals.events) / static_cast<double>(totals.schedules),
      static_cast<double>(totals.grants) / static_cast<double>(totals.schedules),
      static_cast<unsigned long long>(totals.inside),
      static_cast<unsigned long long>(totals.failed));
  return totals.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace redlock::sim

int main(int count, char** words) {
  using namespace redlock::sim;
  const Options options = parse(count, words);
  // A schedule needs what the one before it has just freed.
  mallopt(M_TRIM_THRESHOLD, kTrimBytes);
  std::signal(SIGABRT, name_seed_on_abort);
  if (options.batch.count == 0) return 0;
  if (options.hashes) return print_hashes(options.batch);
  return options.seed ? run_one(options) : run_many(options);
}
