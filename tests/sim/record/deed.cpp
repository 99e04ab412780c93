// The commands of locks by name, written down once more on purpose: the checker believes nothing of
// what it judges.
#include "sim/record/deed.hpp"

#include <array>
#include <string>

#include "sim/servers.hpp"
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
    KnownScript{"3ad2cc1bdecf78d72ba18b81b51eedf1f29813fa", Verb::release, 4, Part::passes},
    KnownScript{"536a0bd01b1c6257a3637bb487ea4d2e01c2aa72", Verb::take, 4, Part::joins},
    KnownScript{"6305670555f5a127115fb1b439329a3319b14228", Verb::release, 4},
    KnownScript{"97ad8ce9a41b75c57a084d2806b3b2268e5d83f2", Verb::release, 4},
    KnownScript{"226967c76309c00f5ef247eb6d9414b32c257658", Verb::take, 4},
    KnownScript{"44546c0682ce40bb86069566096cdd065c7f8fd3", Verb::extend, 4},
    KnownScript{"e6be2ea1dfda15c162c987ebf66d402e7f1ba488", Verb::swap, 5},
    KnownScript{"266656d9a58058e23c798d9d22b0bf1d3dfcf633", Verb::check, 4},
    KnownScript{"935bc2f08aac29a5bc0ba26e000ce18db3feb63f", Verb::check, 4},
    KnownScript{"f1e71b75f3e66b4000b3d7cd39cab3c670c52d0f", Verb::take, 5},
    KnownScript{"06b59a54249e38a36fba52bcfeaa23d7b0e79a86", Verb::take, 4},
    KnownScript{"29c071e3b5f8f247a21f53363dcf5a8525ef7569", Verb::raise, 4},
    KnownScript{"65646db4e13e6a041aa63a7c87e203eb6b5a3064", Verb::take, 4},
    KnownScript{"86cbc9f49cb56c88586dbd8626aa3e9857bdc983", Verb::swap, 5},
    KnownScript{"dc75ee8b869ab0ffaa87c877cfc84fed3afe1c2f", Verb::check, 4},
    KnownScript{"169d621017587c67e182098e29860b00a6a5d4d2", Verb::take, 4, Part::none,
                Text::refuses},
    KnownScript{"8b9015f631cccee70021be15f4de3f397ca093b4", Verb::release, 4},
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

// So many keys stand between the first and what the script is told.
std::size_t further_keys(std::string_view count) {
  std::int64_t keys = 1;
  return parse_integer(count, keys) && keys > 1 ? static_cast<std::size_t>(keys - 1) : 0;
}

}  // namespace

Deed deed_of(const Arguments& arguments) {
  if (arguments.size() >= 3 && arguments[0] == "SET")
    return {Verb::take, arguments[1], arguments[2]};
  if (arguments.size() < 5 || !arguments[0].starts_with("EVAL")) return {};
  const KnownScript* script =
      arguments[0] == "EVAL" ? script_of(arguments[1]) : script_named(arguments[1]);
  const std::size_t further = further_keys(arguments[2]);
  if (script == nullptr || arguments.size() <= script->token_at + further) return {};
  Deed deed{script->verb, arguments[3], arguments[script->token_at + further]};
  deed.passes = script->part == Part::passes;
  deed.text_refuses = script->text == Text::refuses;
  if (script->verb == Verb::swap) deed.held = arguments[4 + further];
  if (deed.passes) deed.policy = arguments.size() > 5 + further ? arguments[5 + further] : "1";
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
