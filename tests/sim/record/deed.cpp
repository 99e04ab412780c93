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

// A script by the name under which servers know it, and which of a command's words is the token.
struct KnownScript {
  std::string_view sha1;
  Verb verb;
  std::size_t token_at;
  Part part = Part::none;
};
constexpr std::array kScripts{
    KnownScript{"827101ec5632ac532839b7961218ea00c6d2c1ff", Verb::release, 4, Part::passes},
    KnownScript{"2665d86cfe98bb42613c4dc0767f7a1cdb0d07ed", Verb::take, 4, Part::joins},
    KnownScript{"2061931d7f12c1594c943c46432f9fbe14773ca8", Verb::release, 4},
    KnownScript{"69615471684e6ca495330d015849228ea4ce0288", Verb::release, 4},
    KnownScript{"226967c76309c00f5ef247eb6d9414b32c257658", Verb::take, 4},
    KnownScript{"a37a402bae9fb577dd7258409d3571d2a6c4b752", Verb::extend, 4},
    KnownScript{"8e19abf54f5e9c6c8f7cdeb30dfa95f5368d658f", Verb::swap, 5},
    KnownScript{"91dcb3cc30dcd119457d057157b65a9e90f2b1e0", Verb::check, 4},
    KnownScript{"935bc2f08aac29a5bc0ba26e000ce18db3feb63f", Verb::check, 4},
    KnownScript{"99cb95090d44ce09b3a7df1d5c5853d2e1dfeb77", Verb::take, 5},
    KnownScript{"0c8b283b52133b46794411aea6f54fa30f1768fc", Verb::take, 4},
    KnownScript{"2c76baddefb21e6604a0a95315a9e2125db54ea5", Verb::raise, 4},
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
  if (script->verb == Verb::swap) deed.held = arguments[4];
  if (deed.passes) deed.policy = arguments.size() > 5 ? arguments[5] : "1";
  if (script->part != Part::joins) return deed;
  if (arguments.size() != 10) return {};
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
  if (answer == "+OK\r\n" || answer == ":1\r\n") return true;
  return answer.starts_with('$') && answer != "$-1\r\n";
}

}  // namespace redlock::sim
