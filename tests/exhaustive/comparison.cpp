// The worlds that traces are drawn from.
#include "exhaustive/comparison.hpp"

namespace redlock::exhaustive {

struct Comparison::Ground {
  explicit Ground(const Settings& settings) : world(settings), dictionary(world.book()) {}

  World world;
  Dictionary dictionary;
};

namespace {

// Four ticks until an answer is overdue, so that those who are asked first have one for themselves.
Settings usual(LockKind lock, int servers, bool handshake) {
  Settings settings;
  settings.name = "trace";
  settings.lock = lock;
  settings.servers = servers;
  settings.natives = 2;  // the second is only a name for somebody else
  settings.attempts = 2;
  settings.rounds = 2;
  settings.ttl = 6;
  settings.answer = 4;
  settings.extend = lock == LockKind::quorum;
  settings.backoff = true;
  settings.handshake = handshake;
  settings.faults = kCrash | kReset | kFlush;
  settings.fault_budget = 4;
  return settings;
}

}  // namespace

Comparison::Comparison() {
  for (const bool handshake : {false, true}) {
    for (const int servers : {1, 2, 3, 3}) {
      grounds_.push_back(std::make_unique<Ground>(usual(LockKind::quorum, servers, handshake)));
    }
    grounds_.push_back(std::make_unique<Ground>(usual(LockKind::stamp, 1, handshake)));
  }
}

Comparison::~Comparison() = default;

ComparisonResult Comparison::run(std::uint64_t first_seed, std::uint64_t count) {
  ComparisonResult result;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t seed = first_seed + i;
    Ground& ground = *grounds_[seed % grounds_.size()];
    Trace trace(ground.world, ground.dictionary, seed);
    while (trace.advance()) {
    }
    ++result.traces;
    result.events += trace.events();
    if (trace.cut_short()) ++result.cut_short;
    result.reached += trace.reached();
    if (trace.difference().empty()) continue;
    result.first_difference = seed;
    result.difference = trace.difference();
    break;
  }
  return result;
}

std::string Comparison::tell(std::uint64_t seed) {
  Ground& ground = *grounds_[seed % grounds_.size()];
  Trace trace(ground.world, ground.dictionary, seed);
  trace.tell(true);
  std::string text;
  for (bool more = true; more;) {
    more = trace.advance();
    text += trace.told() + "\n";
  }
  text += trace.difference() + "\nrequests:";
  for (std::size_t i = 0; i < ground.world.book().size(); ++i) {
    const int number = static_cast<int>(i);
    text += " " + std::to_string(code_of(number, 0, false)) + " " +
            command_name(ground.world, number, 0) + ",";
  }
  return text + " + 16 for the second turn, + 128 by SHA1\n";
}

}  // namespace redlock::exhaustive
