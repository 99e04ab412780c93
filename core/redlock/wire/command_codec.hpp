// What every command needs on the wire: how it is written, and how its answers are read.
//
// Each command has a specialisation of CommandCodec in the file of its family, so that a command
// without one does not compile. Pure functions.
#pragma once
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/scripts.hpp"

namespace redlock {

// How a command's script is named: by its SHA1, which the server may not know, or by its text. What
// can do without a script is written as one in the second form, so that a server which refuses
// scripts refuses it, too.
enum class ScriptForm { sha1, text };

// One request as it is written.
class RequestWriter {
 public:
  RequestWriter(std::string& out, ScriptForm form) : out_(out), form_(form) {}

  [[nodiscard]] ScriptForm form() const { return form_; }

  template <class... Arguments>
  void plain(const Arguments&... arguments) const {
    append_command(out_, std::array<std::string_view, sizeof...(Arguments)>{arguments...});
  }
  // Keys and arguments in the order in which the script knows them.
  template <class... Arguments>
  void script(const Script& script, std::span<const Resource> keys,
              const Arguments&... arguments) const {
    this->script(script, keys, std::initializer_list<std::string_view>{arguments...});
  }

 private:
  void script(const Script& script, std::span<const Resource> keys,
              std::initializer_list<std::string_view> arguments) const;

  std::string& out_;
  ScriptForm form_;
};

// The script for one resource, or the one for several.
template <class C>
const Script& one_or_all(const C& command, const Script& one, const Script& all) {
  return command.resources.single() ? one : all;
}

// A server's answer, read for one command: nothing where it is none that the command can have.
using ReadReply = std::optional<Reply>;

// Common to commands that are not scripts.
struct PlainCodec {
  // What an error says about the key; nothing: it is the server's affair.
  template <class C>
  static ReadReply read_error(const C& /*command*/, const RespValue& /*error*/) {
    return std::nullopt;
  }
};

// Common to scripts that answer 1 or 0.
struct ScriptCodec {
  template <class C>
  static ReadReply read(const C& /*command*/, const RespValue& value) {
    return read_one_or_zero(value);
  }
  template <class C>
  static ReadReply read_error(const C& /*command*/, const RespValue& error) {
    return read_script_error(error);
  }

 protected:
  static ReadReply read_one_or_zero(const RespValue& value);
  static ReadReply read_script_error(const RespValue& error);
};

template <class C>
struct CommandCodec;

// Every version of the servers wraps a script's error in words of its own.
[[nodiscard]] inline bool mentions(const RespValue& value, std::string_view word) {
  return value.text.find(word) != std::string::npos;
}

// Rounded up: no key may end before its holder believes it does.
[[nodiscard]] std::string in_ms(Duration span);
// With a point whatever the locale says. Requires span >= 0.
[[nodiscard]] std::string in_ms_exactly(Duration span);

}  // namespace redlock
