// Reading streams leniently: what is no whole message is shown by its length.
#include "sim/summary.hpp"

#include <array>
#include <utility>

#include "redlock/wire/scripts.hpp"
#include "sim/servers.hpp"

namespace redlock::sim {

namespace {

constexpr std::size_t kWordBytesMax = 18;

std::string clipped(std::string_view word) {
  std::string text(word.substr(0, kWordBytesMax));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '.';
  }
  return word.size() > kWordBytesMax ? text + ".." : text;
}

std::string_view script_name(std::string_view word) {
  const std::array<std::pair<const Script*, std::string_view>, 21> names{{
      {&scripts::pass, "pass"},
      {&scripts::join, "join"},
      {&scripts::set_if_absent, "set_if_absent"},
      {&scripts::set_all_if_absent, "set_all_if_absent"},
      {&scripts::raise_fence, "raise_fence"},
      {&scripts::pass_all, "pass_all"},
      {&scripts::extend_all, "extend_all"},
      {&scripts::swap_all, "swap_all"},
      {&scripts::check_all, "check_all"},
      {&scripts::permit_take, "permit_take"},
      {&scripts::permit_join, "permit_join"},
      {&scripts::permit_leave, "permit_leave"},
      {&scripts::permit_pass, "permit_pass"},
      {&scripts::extend_if_equal, "extend_if_equal"},
      {&scripts::swap_if_equal, "swap_if_equal"},
      {&scripts::check_equal, "check_equal"},
      {&scripts::inspect, "inspect"},
      {&scripts::stamp_take, "stamp_take"},
      {&scripts::stamp_undo, "stamp_undo"},
      {&scripts::stamp_release, "stamp_release"},
      {&scripts::stamp_check, "stamp_check"},
  }};
  for (const auto& [script, name] : names) {
    if (word == script->sha1 || word == script->text) return name;
  }
  return word;
}

std::string fragment(std::string_view bytes) {
  return '[' + std::to_string(bytes.size()) + " bytes]";
}

void add(std::string& list, std::string_view item) {
  if (!list.empty()) list += ", ";
  list += item;
}

bool take_value(std::string_view& bytes, std::string& text);

// Of what is pushed only the message is shown.
bool take_elements(std::string_view& bytes, std::int64_t count, std::string& text) {
  std::string first;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string element;
    if (!take_value(bytes, element)) return false;
    if (i == 0) first = element;
    text = first == "message" ? "pushed: " + element : text + (i == 0 ? "" : " ") + element;
  }
  return true;
}

// False: it is not whole, or no RESP.
bool take_value(std::string_view& bytes, std::string& text) {
  const std::size_t line_end = bytes.find("\r\n");
  if (line_end == std::string_view::npos ||
      std::string_view("+-:$*").find(bytes[0]) == std::string_view::npos) {
    return false;
  }
  const std::string_view line = bytes.substr(1, line_end - 1);
  const char mark = bytes.front();
  bytes.remove_prefix(line_end + 2);
  std::int64_t size = 0;
  if (mark != '$' && mark != '*') {
    text = line.substr(0, 40);
  } else if (!parse_integer(line, size) || size < 0) {
    text = "nil";
  } else if (mark == '*') {
    return take_elements(bytes, size, text);
  } else {
    text = clipped(bytes.substr(0, static_cast<std::size_t>(size)));
    bytes.remove_prefix(std::min(bytes.size(), static_cast<std::size_t>(size) + 2));
  }
  return true;
}

std::string request_text(const Arguments& arguments) {
  const bool script = arguments.size() > 2 && (arguments[0] == "EVAL" || arguments[0] == "EVALSHA");
  std::string text(clipped(arguments[0]));
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (script && i == 2) continue;
    text += ' ';
    text += script && i == 1 ? std::string(script_name(arguments[i])) : clipped(arguments[i]);
  }
  return text;
}

}  // namespace

std::string summarize_requests(std::string_view bytes) {
  std::string text;
  Arguments arguments;
  while (!bytes.empty()) {
    const ParsedRequest request = parse_request(bytes, arguments);
    if (request.state != ParseState::complete || arguments.empty()) {
      add(text, fragment(bytes));
      break;
    }
    add(text, request_text(arguments));
    bytes.remove_prefix(request.size);
  }
  return text;
}

std::string summarize_answers(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::string_view all = bytes;
    std::string value;
    if (!take_value(bytes, value)) {
      add(text, fragment(all));
      break;
    }
    add(text, value);
  }
  return text;
}

}  // namespace redlock::sim
