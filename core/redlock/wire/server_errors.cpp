// Codes of errors, and the search for secrets in them.
#include "redlock/wire/server_errors.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace redlock {

namespace {

// clang-tidy does not see that literals use it.
using std::string_view_literals::operator""sv;  // NOLINT(misc-unused-using-decls)

constexpr std::array kCodes{
    std::pair{"NOAUTH"sv, Fault::auth},
    std::pair{"WRONGPASS"sv, Fault::auth},
    std::pair{"DENIED"sv, Fault::auth},
    std::pair{"NOPERM"sv, Fault::acl},
    std::pair{"READONLY"sv, Fault::readonly},
    std::pair{"UNBLOCKED"sv, Fault::readonly},  // it became a replica during a WAIT
    std::pair{"LOADING"sv, Fault::loading},
    std::pair{"MASTERDOWN"sv, Fault::loading},
    std::pair{"OOM"sv, Fault::oom},
    std::pair{"BUSY"sv, Fault::busy},
    std::pair{"MISCONF"sv, Fault::misconf},
    std::pair{"NOREPLICAS"sv, Fault::noreplicas},
    std::pair{"MOVED"sv, Fault::cluster},
    std::pair{"ASK"sv, Fault::cluster},
    std::pair{"CLUSTERDOWN"sv, Fault::cluster},
    std::pair{"CROSSSLOT"sv, Fault::cluster},
};

// Errors that have no code of their own in some version of the servers.
constexpr std::array kPhrases{
    std::pair{"ERR max number of clients"sv, Fault::maxclients},
    std::pair{"ERR invalid password"sv, Fault::auth},
    std::pair{"scripting engine"sv, Fault::scripts},  // a build without Lua
    std::pair{"ACL failure in script"sv, Fault::acl},
    std::pair{"The user executing the script can't"sv, Fault::acl},
};

// Behind it a server repeats what was sent.
constexpr std::string_view kArguments = "with args beginning with";

// At the beginning, or behind the words in which a version wraps a script's error.
bool has_code(std::string_view error, std::string_view code) {
  const auto stands_at = [&](std::size_t at) {
    return error.substr(at).starts_with(code) &&
           (error.size() == at + code.size() || error[at + code.size()] == ' ');
  };
  if (stands_at(0)) return true;
  const std::size_t dash = error.find(" -" + std::string(code));
  return dash != std::string_view::npos && stands_at(dash + 2);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

// The name of a command stands at `at`: alone, or in the quotes in which servers put it.
bool names_command(std::string_view error, std::size_t at, std::size_t size, bool quoted) {
  constexpr std::string_view kQuotes = "'`\"";
  const char before = at == 0 ? ' ' : error[at - 1];
  const char after = at + size == error.size() ? ' ' : error[at + size];
  if (before == after && kQuotes.find(before) != std::string_view::npos) return true;
  return !quoted && !is_letter(before) && !is_letter(after);
}

// Is it the command EVAL or EVALSHA that was refused? What tells of a right may name a user, too,
// who may be called anything.
bool refuses_scripts(std::string_view error) {
  const bool of_rights = has_code(error, "NOPERM");
  if (!of_rights && !error.starts_with("ERR ")) return false;
  std::string words(error.substr(0, error.find(kArguments)));
  std::ranges::transform(words, words.begin(), lower);
  for (const std::string_view name : {"eval"sv, "evalsha"sv}) {
    for (std::size_t at = words.find(name); at != std::string::npos;
         at = words.find(name, at + 1)) {
      if (names_command(words, at, name.size(), of_rights)) return true;
    }
  }
  return false;
}

// How a byte that we sent may come back.
enum class Form {
  plain,    // as itself, or as a letter in its other case; line ends as spaces
  escaped,  // as in a string literal, a URL or HTML
};

std::optional<unsigned> number_at(std::string_view text, std::size_t at, unsigned base,
                                  std::size_t count) {
  const std::string_view digits = std::string_view("0123456789abcdef").substr(0, base);
  unsigned value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    const std::size_t digit =
        i < text.size() ? digits.find(lower(text[i])) : std::string_view::npos;
    if (digit == std::string_view::npos) return std::nullopt;
    value = base * value + static_cast<unsigned>(digit);
  }
  return value;
}

constexpr std::array kEntities{std::pair{"&amp;"sv, '&'},   std::pair{"&lt;"sv, '<'},
                               std::pair{"&gt;"sv, '>'},    std::pair{"&quot;"sv, '"'},
                               std::pair{"&#39;"sv, '\''},  std::pair{"&#039;"sv, '\''},
                               std::pair{"&#x27;"sv, '\''}, std::pair{"&apos;"sv, '\''}};

std::size_t entity_width(std::string_view text, std::size_t at, char byte) {
  for (const auto& [entity, meaning] : kEntities) {
    if (meaning == byte && text.substr(at).starts_with(entity)) return entity.size();
  }
  return 0;
}

// How many bytes of `text` from `at` on stand for `byte` in its escaped form; 0: they do not.
std::size_t escaped_width(std::string_view text, std::size_t at, char byte) {
  const unsigned value = static_cast<unsigned char>(byte);
  if (text[at] == '%' && number_at(text, at + 1, 16, 2) == value) return 3;
  if (text[at] == '+' && byte == ' ') return 1;
  if (text[at] == '&') return entity_width(text, at, byte);
  if (text[at] != '\\' || at + 1 >= text.size()) return 0;
  const char next = text[at + 1];
  if (next == 'x' && number_at(text, at + 2, 16, 2) == value) return 4;
  if (next == 'u' && number_at(text, at + 2, 16, 4) == value) return 6;
  if (number_at(text, at + 1, 8, 3) == value) return 4;
  constexpr std::string_view kLetters = "nrtab0\\\"'";
  constexpr std::string_view kMeanings("\n\r\t\a\b\0\\\"'", 9);
  const std::size_t letter = kLetters.find(next);
  return letter != std::string_view::npos && kMeanings[letter] == byte ? 2 : 0;
}

std::size_t plain_width(std::string_view text, std::size_t at, char byte) {
  const bool line_end = byte == '\r' || byte == '\n';
  return lower(text[at]) == lower(byte) || (line_end && text[at] == ' ') ? 1 : 0;
}

struct Stretch {
  std::size_t secret_bytes = 0;
  std::size_t text_bytes = 0;
};

// The beginning of `secret` that stands in `text` at `at`.
Stretch stretch_at(std::string_view text, std::size_t at, std::string_view secret, Form form) {
  Stretch stretch;
  for (const char byte : secret) {
    const std::size_t here = at + stretch.text_bytes;
    if (here >= text.size()) break;
    std::size_t width = form == Form::escaped ? escaped_width(text, here, byte) : 0;
    if (width == 0) width = plain_width(text, here, byte);
    if (width == 0) break;
    ++stretch.secret_bytes;
    stretch.text_bytes += width;
  }
  return stretch;
}

// Shorter ones are parts of ordinary words; they count only where they stand alone.
constexpr std::size_t kLongSecretBytes = 4;
// So much of a name's beginning is as good as the whole: servers cut what they repeat.
constexpr std::size_t kTellingBytes = 12;
// So much of a secret, from wherever in it: servers cut at both ends and split at spaces.
constexpr std::size_t kTellingPartBytes = 6;

bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
  const char before = at == 0 ? ' ' : text[at - 1];
  const char after = at + size == text.size() ? ' ' : text[at + size];
  constexpr std::string_view kQuotes = "'\"`";
  return before == after && (before == ' ' || kQuotes.find(before) != std::string_view::npos);
}

// The bytes at `at` that give the secret away; 0: none.
std::size_t telling_bytes(std::string_view text, std::size_t at, std::string_view secret) {
  for (const Form form : {Form::plain, Form::escaped}) {
    const Stretch stretch = stretch_at(text, at, secret, form);
    const bool whole = stretch.secret_bytes == secret.size();
    const std::string_view rest = text.substr(at + stretch.text_bytes);
    const bool cut_off = rest.empty() || rest.starts_with("...");
    if (stretch.secret_bytes >= kTellingBytes ||
        (stretch.secret_bytes >= kLongSecretBytes && (whole || cut_off)) ||
        (whole && stands_alone(text, at, stretch.text_bytes))) {
      return stretch.text_bytes;
    }
  }
  return 0;
}

bool tells_part(std::string_view text, std::size_t at, std::string_view secret) {
  for (std::size_t from = 0; from + kTellingPartBytes <= secret.size(); ++from) {
    const std::string_view part = secret.substr(from, kTellingPartBytes);
    for (const Form either : {Form::plain, Form::escaped}) {
      if (stretch_at(text, at, part, either).secret_bytes == part.size()) return true;
    }
  }
  return false;
}

// What bytes a secret can come back as: nearly all of a server's words can be passed over at a
// glance.
class Traces {
 public:
  explicit Traces(std::string_view secret) : shortest_(std::min(secret.size(), kLongSecretBytes)) {
    for (const char byte : secret) {
      plain_[slot(lower(byte))] = true;
      if (byte >= 'A' && byte <= 'Z') plain_[slot(byte)] = true;
      if (byte >= 'a' && byte <= 'z') plain_[slot(static_cast<char>(byte - 32))] = true;
      if (byte == '\r' || byte == '\n') plain_[slot(' ')] = true;
    }
  }
  // False: nothing that tells begins in `text` at `at`.
  [[nodiscard]] bool may_begin(std::string_view text, std::size_t at) const {
    constexpr std::string_view kEscapes = "%+&\\";
    for (const char byte : text.substr(at, shortest_)) {
      if (kEscapes.find(byte) != std::string_view::npos) return true;
      if (!plain_[slot(byte)]) return false;
    }
    return true;
  }

 private:
  static std::size_t slot(char byte) { return static_cast<unsigned char>(byte); }
  std::array<bool, 256> plain_{};
  std::size_t shortest_;
};

bool tells(std::string_view text, std::string_view secret) {
  if (secret.empty()) return false;
  const Traces traces(secret);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!traces.may_begin(text, at)) continue;
    if (telling_bytes(text, at, secret) > 0 || tells_part(text, at, secret)) return true;
  }
  return false;
}

std::string without(std::string_view text, std::string_view name) {
  if (name.empty()) return std::string(text);
  std::string retained;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = telling_bytes(text, at, name);
    if (bytes > 0) {
      retained += "***";
    } else {
      retained += text[at];
    }
    at += std::max<std::size_t>(bytes, 1);
  }
  return retained;
}

// "WRONGPASS " of an error that begins so.
std::string_view code_of(std::string_view error) {
  const std::size_t end = error.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return end == std::string_view::npos || error[end] != ' ' ? "" : error.substr(0, end + 1);
}

}  // namespace

Fault fault_of(std::string_view error) {
  if (refuses_scripts(error)) return Fault::scripts;
  for (const auto& [phrase, fault] : kPhrases) {
    if (error.find(phrase) != std::string_view::npos) return fault;
  }
  for (const auto& [code, fault] : kCodes) {
    if (has_code(error, code)) return fault;
  }
  return Fault::rejected;
}

bool is_cluster_down(std::string_view error) { return has_code(error, "CLUSTERDOWN"); }

bool is_passing(std::string_view error) {
  switch (fault_of(error)) {
    case Fault::loading:
    case Fault::busy:
    case Fault::misconf:
    case Fault::noreplicas:
    case Fault::oom:
    case Fault::readonly:
    case Fault::maxclients:
    // A right may be given back as it was taken.
    case Fault::scripts:
    // Whoever asks for a password carries nothing out, and may soon ask for another or none.
    case Fault::auth:
      return true;
    case Fault::cluster:
      return has_code(error, "CLUSTERDOWN");
    default:
      return false;
  }
}

std::string printable(std::string_view text) {
  std::string clean(text.substr(0, kReasonBytesMax));
  for (char& c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) c = '?';
  }
  return clean;
}

Secrets::Secrets(const Endpoint& endpoint) : user_(endpoint.user), password_(endpoint.password) {}

std::string Secrets::shown(std::string_view text, std::string_view proof) const {
  text = text.substr(0, kSearchedBytesMax);
  const std::size_t arguments = text.find(kArguments);
  const bool cut = arguments != std::string_view::npos;
  if (cut) text = text.substr(0, arguments);
  const auto secret_in = [&](std::string_view part) {
    return tells(part, password_) || tells(part, proof);
  };
  if (secret_in(text)) {
    const std::string_view code = code_of(text);
    return std::string(secret_in(code) ? "" : code) + "(hidden: it repeats what was sent)";
  }
  return printable(without(text, user_) + (cut ? "with args (hidden)" : ""));
}

}  // namespace redlock
