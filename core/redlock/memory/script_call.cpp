// Asking the server from a script, and reading its answer.
#include "redlock/memory/script_call.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace redlock::memory {

namespace {

std::int64_t integer_in(std::string_view line) {
  std::int64_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  return number;
}

// The server's own answers are always whole. `at` moves behind it.
Value read_value(std::string_view reply, std::size_t& at) {
  const char mark = reply[at];
  const std::size_t end = reply.find("\r\n", at);
  const std::string_view line = reply.substr(at + 1, end - at - 1);
  at = end + 2;
  if (mark == '+') return {Value::Kind::status, 0, std::string(line)};
  if (mark == '-') return {Value::Kind::error, 0, std::string(line)};
  const std::int64_t number = integer_in(line);
  if (mark == ':') return {Value::Kind::integer, number, {}};
  if (number < 0) return {};
  const auto size = static_cast<std::size_t>(number);
  if (mark == '$') {
    Value value{Value::Kind::text, 0, std::string(reply.substr(at, size))};
    at += size + 2;
    return value;
  }
  Value list{Value::Kind::list, 0, {}};
  for (std::size_t i = 0; i < size; ++i) list.elements.push_back(read_value(reply, at));
  return list;
}

}  // namespace

std::string_view ScriptCall::key() const {
  if (keys_.empty()) throw ScriptError("ERR the script needs a key");
  return keys_.front();
}

std::string_view ScriptCall::argument(std::size_t place) const {
  if (place >= arguments_.size()) throw ScriptError("ERR the script needs more arguments");
  return arguments_[place];
}

Value ScriptCall::ask(std::initializer_list<std::string_view> words) {
  words_.assign(words);
  reply_.clear();
  host_.call_from_script(words_, reply_);
  std::size_t at = 0;
  return read_value(reply_, at);
}

Value ScriptCall::require(std::initializer_list<std::string_view> words) {
  Value answer = ask(words);
  if (answer.is_error()) throw ScriptError(answer.text);
  return answer;
}

// No digits are too many: what does not fit a double exactly is rounded.
double number_of(std::string_view digits) {
  double number = 0;
  for (const char digit : digits) number = 10 * number + (digit - '0');
  return number;
}

std::string whole_text(double number) {
  std::array<char, 512> text;
  const auto written = std::to_chars(text.begin(), text.end(), number, std::chars_format::fixed, 0);
  return {text.data(), written.ptr};
}

double real_in(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view take_digits(std::string_view& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

}  // namespace redlock::memory
