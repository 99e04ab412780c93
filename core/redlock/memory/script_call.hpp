// A script that runs: its keys and arguments, the commands that it calls, and what those answer.
//
// The scripts of wire/scripts.cpp are written down a second time in C++ for servers without a Lua
// interpreter, command by command; the same tests run on both.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/memory/script_engine.hpp"

namespace redlock::memory {

// What a command answered.
struct Value {
  enum class Kind { nil, integer, text, status, error, list };
  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  std::string text;  // of a text, status or error
  std::vector<Value> elements{};

  [[nodiscard]] bool is_nil() const { return kind == Kind::nil; }
  [[nodiscard]] bool is_error() const { return kind == Kind::error; }
  [[nodiscard]] bool is_integer() const { return kind == Kind::integer; }
  [[nodiscard]] bool is(std::string_view expected) const {
    return kind == Kind::text && text == expected;
  }
};

// A script ends with this error. what() begins with the error's code.
class ScriptError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ScriptCall {
 public:
  ScriptCall(ScriptHost& host, std::span<const std::string_view> keys,
             std::span<const std::string_view> arguments)
      : host_(host), keys_(keys), arguments_(arguments) {}

  // The first. Throws ScriptError where there is none.
  [[nodiscard]] std::string_view key() const;
  [[nodiscard]] std::span<const std::string_view> keys() const { return keys_; }
  // The same call, of this key alone, which it borrows.
  [[nodiscard]] ScriptCall about(const std::string_view& key) const {
    return {host_, {&key, 1}, arguments_};
  }
  // From 0 on. Throws ScriptError where there is none.
  [[nodiscard]] std::string_view argument(std::size_t place) const;
  // Empty where there is none.
  [[nodiscard]] std::string_view argument_or_none(std::size_t place) const {
    return place < arguments_.size() ? arguments_[place] : std::string_view();
  }
  // Asks the server; an error is an answer.
  Value ask(std::initializer_list<std::string_view> words);
  // The same; an error ends the script. Throws ScriptError.
  Value require(std::initializer_list<std::string_view> words);

 private:
  ScriptHost& host_;
  std::span<const std::string_view> keys_;
  std::span<const std::string_view> arguments_;
  Arguments words_;
  std::string reply_;
};

// As scripts read and write numbers: doubles, whole ones without a point.
[[nodiscard]] double number_of(std::string_view digits);
// With a sign and a point; 0 where there is none.
[[nodiscard]] double real_in(std::string_view text);
[[nodiscard]] std::string whole_text(double number);
// Takes digits off the front, at least one; empty: there are none.
[[nodiscard]] std::string_view take_digits(std::string_view& text);

}  // namespace redlock::memory
