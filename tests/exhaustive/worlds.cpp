// The catalogue: a line a world, in the words in which it differs from two clients of RedLock on
// three servers.
#include "exhaustive/worlds.hpp"

#include <array>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace redlock::exhaustive {

namespace {

struct Row {
  Size size;
  // A star stands for each fault of the model by itself, which the world then has: one of each in
  // one world would be ten times the states.
  std::string_view name;
  std::string_view words;
};

constexpr std::array kRows{
    Row{Size::small, "redlock-1-extend", "natives=1 extend"},
    Row{Size::small, "redlock-1-extend-shorter", "natives=1 extend extend_ttl=2"},
    Row{Size::full, "redlock-1-retry-*", "natives=1 attempts=2 backoff budget=1"},
    Row{Size::full, "redlock-1-extend-faults", "natives=1 ttl=2 extend model budget=1"},
    Row{Size::full, "redlock-2", ""},
    Row{Size::full, "redlock-2-short-ttl", "ttl=2"},
    Row{Size::full, "redlock-2-*", "ttl=2 budget=1"},
    Row{Size::small, "redlock-2-restart", "instant_restart budget=1 two_holders"},
    Row{Size::small, "redlock-2-overstay", "overstay two_holders"},
    Row{Size::full, "redlock-2-extend", "ttl=2 ticks=2 extend"},
    Row{Size::full, "redlock-2-retry-at-once", "attempts=2 ticks=0"},
    Row{Size::full, "redlock-3-at-once", "natives=3 ticks=0"},
    Row{Size::full, "redlock-3-at-once-faults", "natives=3 ticks=0 crash reset kill budget=1"},

    // One server and two: a majority is all of them.
    Row{Size::small, "redlock-n1-*", "servers=1 attempts=2 backoff budget=1"},
    Row{Size::full, "redlock-n1-extend-faults", "servers=1 ttl=2 extend model budget=1"},
    Row{Size::full, "redlock-n2-*", "servers=2 backoff budget=1"},
    Row{Size::full, "redlock-n2-extend-faults", "servers=2 ttl=2 extend model budget=1"},
    Row{Size::small, "redlock-n1-at-once-two-faults",
        "servers=1 attempts=2 ticks=0 backoff crash reset kill budget=2"},
    Row{Size::small, "redlock-n2-at-once-two-faults",
        "servers=2 attempts=2 ticks=0 backoff crash reset kill budget=2"},
    Row{Size::full, "redlock-n3-at-once-two-faults", "ticks=0 backoff crash reset kill budget=2"},

    // Servers that forget their scripts.
    Row{Size::small, "pidlock-2-scripts", "stamp servers=1 attempts=2 flush budget=2"},
    Row{Size::full, "pidlock-2-scripts-reset", "stamp servers=1 attempts=2 flush reset budget=2"},
    Row{Size::small, "redlock-n1-scripts",
        "servers=1 natives=1 attempts=2 rounds=2 extend flush reset budget=2"},
    Row{Size::full, "redlock-1-scripts", "natives=1 rounds=2 ticks=1 extend flush budget=1"},

    // Connections that hold everything back until a SELECT is confirmed, if it ever is.
    Row{Size::small, "redlock-n1-handshake",
        "servers=1 attempts=2 backoff handshake model budget=1"},
    Row{Size::full, "redlock-1-handshake", "natives=1 attempts=2 backoff handshake reset budget=1"},
    Row{Size::full, "redlock-n2-handshake", "servers=2 ttl=2 handshake"},
    Row{Size::small, "pidlock-2-handshake", "stamp servers=1 gain=1 handshake model budget=1"},

    Row{Size::small, "pidlock-2-faults", "stamp servers=1 attempts=2 gain=2 model budget=1"},
    Row{Size::small, "pidlock-3-faults", "stamp servers=1 natives=3 gain=2 model budget=1"},
    Row{Size::small, "pidlock-4", "stamp servers=1 natives=4 gain=2"},
    Row{Size::full, "pidlock-4-faults", "stamp servers=1 natives=4 gain=2 model budget=1"},
    Row{Size::full, "pidlock-3-retry", "stamp servers=1 natives=3 attempts=2 gain=2"},
    Row{Size::full, "pidlock-2-rounds", "stamp servers=1 rounds=2 gain=2"},
    Row{Size::small, "pidlock-2-restart", "stamp servers=1 instant_restart budget=1 two_holders"},
    Row{Size::small, "pidlock-2-overstay", "stamp servers=1 overstay two_holders"},

    Row{Size::full, "mixed-2-1", "stamp servers=1 natives=2 legacies=1 attempts=2 ttl=2 known=2"},
    Row{Size::small, "mixed-1-2", "stamp servers=1 natives=1 legacies=2 attempts=2 ttl=2 known=2"},
    Row{Size::full, "mixed-1-2-fleet",
        "stamp servers=1 natives=1 legacies=2 attempts=2 ttl=2 mixed_fleet known=3"},

    // Stamps of whole seconds; a lease and its buffer are two of them.
    Row{Size::small, "pidlock-2-seconds",
        "stamp servers=1 attempts=2 gain=1 unit_ticks=2 model budget=1"},
    Row{Size::small, "mixed-1-2-seconds",
        "stamp servers=1 natives=1 legacies=2 unit_ticks=2 known=1"},
    Row{Size::full, "mixed-1-2-seconds-fleet",
        "stamp servers=1 natives=1 legacies=2 attempts=2 unit_ticks=2 mixed_fleet known=3"},
};

template <class Meaning, std::size_t kCount>
using Words = std::array<std::pair<std::string_view, Meaning>, kCount>;

constexpr Words<std::uint32_t, 7> kFaults{{{"crash", kCrash},
                                           {"reset", kReset},
                                           {"kill", kKill},
                                           {"lag", kLag},
                                           {"flush", kFlush},
                                           {"instant_restart", kInstantRestart},
                                           {"model", kModelFaults}}};
constexpr Words<bool Settings::*, 5> kFlags{{{"extend", &Settings::extend},
                                             {"backoff", &Settings::backoff},
                                             {"handshake", &Settings::handshake},
                                             {"mixed_fleet", &Settings::mixed_fleet},
                                             {"overstay", &Settings::overstay}}};
constexpr Words<int Settings::*, 12> kNumbers{{{"servers", &Settings::servers},
                                               {"natives", &Settings::natives},
                                               {"legacies", &Settings::legacies},
                                               {"attempts", &Settings::attempts},
                                               {"rounds", &Settings::rounds},
                                               {"ttl", &Settings::ttl},
                                               {"gain", &Settings::gain},
                                               {"unit_ticks", &Settings::unit_ticks},
                                               {"ticks", &Settings::ticks},
                                               {"extend_ttl", &Settings::extend_ttl},
                                               {"budget", &Settings::fault_budget},
                                               {"known", &Settings::known_cases}}};

void take_word(Settings& settings, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  for (const auto& [known, fault] : kFaults) {
    if (known == word) return void(settings.faults |= fault);
  }
  for (const auto& [known, flag] : kFlags) {
    if (known == word) return void(settings.*flag = true);
  }
  for (const auto& [known, number] : kNumbers) {
    if (known != name || name.size() == word.size()) continue;
    std::from_chars(word.data() + name.size() + 1, word.data() + word.size(), settings.*number);
    return;
  }
  if (word == "stamp") {
    settings.lock = LockKind::stamp;
  } else if (word == "two_holders") {
    settings.expectation = "two clients hold the lock at once";
  } else {
    throw std::logic_error("a world with an unknown word: " + std::string(word));
  }
}

Settings settings_of(std::string name, const std::string& words) {
  Settings settings{.name = std::move(name)};
  std::istringstream each(words);
  for (std::string word; each >> word;) take_word(settings, word);
  return settings;
}

}  // namespace

std::vector<NamedWorld> all_worlds() {
  std::vector<NamedWorld> worlds;
  for (const Row& row : kRows) {
    std::string name(row.name);
    const std::string words(row.words);
    if (name.back() != '*') {
      worlds.push_back({settings_of(name, words), row.size});
      continue;
    }
    name.pop_back();
    for (const std::string fault : {"crash", "reset", "kill", "lag"}) {
      worlds.push_back({settings_of(name + fault, words + ' ' + fault), row.size});
    }
  }
  return worlds;
}

}  // namespace redlock::exhaustive
