// The commands of locks by name, written down once more on purpose: the checker believes nothing of
// what it judges.
#include "sim/record/deed.hpp"

#include <array>
#include <string>

#include "sim/sha1.hpp"

namespace redlock::sim {

namespace {

// What a script has to do with a line.
enum class Part : std::uint8_t { none, joins, passes };
// Of a take: whether a text grants, as that of a stamp or of a last fence does.
enum class Text : std::uint8_t { grants, refuses };

// A script by the name under which servers know it, and which of a command's words is the token.
struct KnownScript {
  std::string_view sha1;
  Verb verb;
  std::size_t token_at;
  Part part = Part::none;
  Text text = Text::grants;
};
constexpr std::array kScripts{
    KnownScript{"6c87b3aeea7aa40a82b1a028860b7db8d29fc464", Verb::release, 4, Part::passes},
    KnownScript{"9c620c309a0bcd55e094e2e24dbd1ddd3b21affa", Verb::take, 4, Part::joins},
    KnownScript{"2061931d7f12c1594c943c46432f9fbe14773ca8", Verb::release, 4},
    KnownScript{"69615471684e6ca495330d015849228ea4ce0288", Verb::release, 4},
    KnownScript{"226967c76309c00f5ef247eb6d9414b32c257658", Verb::take, 4},
    KnownScript{"a858f1bb4559882ea1334ee9ff6938021648519a", Verb::extend, 4},
    KnownScript{"7f1e0f62efad5af9f055207000d8cc44f1f98cc5", Verb::swap, 5},
    KnownScript{"efd9d5da3685fc78ed2b5ecaee55ccf681f8a811", Verb::check, 4},
    KnownScript{"935bc2f08aac29a5bc0ba26e000ce18db3feb63f", Verb::check, 4},
    KnownScript{"99cb95090d44ce09b3a7df1d5c5853d2e1dfeb77", Verb::take, 5},
    KnownScript{"b41b8d65cfc94a63c27714c6c4a093ec3aac439b", Verb::take, 4},
    KnownScript{"7b189f97dab04bffa6ab104e14266874cada0486", Verb::raise, 4},
    KnownScript{"425e971241ba374d8045c3f30301210296620185", Verb::take, 4},
    KnownScript{"98c66cc746724eeaeb04af26922647dbd3e8e9fb", Verb::swap, 5},
    KnownScript{"c4a8c62298b07945ba86d1dacd3693ab5660bdd7", Verb::check, 4},
    KnownScript{"2ed13b6e1290697d07b2cb5821a667f055126a86", Verb::take, 4, Part::none,
                Text::refuses},
    KnownScript{"9892b9f1b19ac044677c4445ab76216f01110c93", Verb::release, 4},
};

// The texts of these, once they have been seen: every EVAL brings one, and hashing it takes long.
const KnownScript* script_of(std::string_view text) {
  thread_local std::array<std::string, kScripts.size()> texts;
  for (std::size_t i = 0; i < kScripts.size(); ++i) {
    if (texts[i] == text) return &kScripts[i];
  }
  const std::string name = sha1_hex(text);
  for (std::size_t i = 0; i < kScripts.size(); ++i) {
    if (kScripts[i].sha1 != name) continue;
    texts[i] = text;
    return &kScripts[i];
  }
  return nullptr;
}

const KnownScript* script_named(std::string_view name) {
  for (const KnownScript& known : kScripts) {
    if (known.sha1 == name) return &known;
  }
  return nullptr;
}

}  // namespace

Deed deed_of(const Arguments& arguments) {
  if (arguments.size() >= 3 && arguments[0] == "SET")
    return {Verb::take, arguments[1], arguments[2]};
  if (arguments.size() < 5 || !arguments[0].starts_with("EVAL")) return {};
  const KnownScript* script =
      arguments[0] == "EVAL" ? script_of(arguments[1]) : script_named(arguments[1]);
  if (script == nullptr || arguments.size() <= script->token_at) return {};
  Deed deed{script->verb, arguments[3], arguments[script->token_at]};
  deed.passes = script->part == Part::passes;
  deed.text_refuses = script->text == Text::refuses;
  if (script->verb == Verb::swap) deed.held = arguments[4];
  if (deed.passes) deed.policy = arguments.size() > 5 ? arguments[5] : "1";
  if (script->part != Part::joins) return deed;
  if (arguments.size() != 10 && arguments.size() != 11) return {};
  deed.joins = true;
  deed.ttl = arguments[5];
  deed.ticket = arguments[6];
  deed.channel = arguments[7];
  deed.echo = arguments[8];
  deed.policy = arguments[9];
  return deed;
}

// A stamp that was taken is told, and so is the last fence to a lock that was; but how one stands
// in a line, or that a fence is not larger, is no grant.
bool Deed::done(std::string_view answer) const {
  if (joins) return answer == kGranted;
  if (verb == Verb::raise) return answer.starts_with("+RAISED ");
  if (verb == Verb::swap && answer == "+PROMOTED\r\n") return true;
  if (answer == "+OK\r\n" || answer == ":1\r\n") return true;
  return answer.starts_with('$') && answer != "$-1\r\n" && !text_refuses;
}

}  // namespace redlock::sim
