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
    KnownScript{"d4c6132f752d4b68fb924cb0a9e3aafbd2335332", Verb::release, 4, Part::passes},
    KnownScript{"7da5e317476c50b4ee21d16a336217fe4f1d73e5", Verb::take, 4, Part::joins},
    KnownScript{"6305670555f5a127115fb1b439329a3319b14228", Verb::release, 4},
    KnownScript{"97ad8ce9a41b75c57a084d2806b3b2268e5d83f2", Verb::release, 4},
    KnownScript{"226967c76309c00f5ef247eb6d9414b32c257658", Verb::take, 4},
    KnownScript{"5ae89b19cfd7acf7fa4dd85710a259559924c42e", Verb::extend, 4},
    KnownScript{"4b28ed7659866cc5e354c96bb0ca533c215fa21a", Verb::swap, 5},
    KnownScript{"d138648cd1229672749916c9ba17effa55584f25", Verb::check, 4},
    KnownScript{"935bc2f08aac29a5bc0ba26e000ce18db3feb63f", Verb::check, 4},
    KnownScript{"f1e71b75f3e66b4000b3d7cd39cab3c670c52d0f", Verb::take, 5},
    KnownScript{"09a6df4ec6a5f22095c981ef1ff2340fb9c59ed0", Verb::take, 4},
    KnownScript{"df67a1eba5b2ce9034bc66ac9e24d6b85ec5cd1e", Verb::raise, 4},
    KnownScript{"188fa165b179f1302a84d6c624b1e8355d35efe6", Verb::take, 4},
    KnownScript{"41d6ba23376423f8cbed1b47dfa00625245e0d7f", Verb::swap, 5},
    KnownScript{"74810b0a8d777c18c60a7405dccca0403e315b80", Verb::check, 4},
    KnownScript{"169d621017587c67e182098e29860b00a6a5d4d2", Verb::take, 4, Part::none,
                Text::refuses},
    KnownScript{"9f72fabe3278e2ac6017687db5f6581fed30b50a", Verb::release, 4},
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
