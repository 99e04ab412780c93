// Between the algorithms' vocabulary and RESP: what a command looks like, what a reply means.
//
// Pure functions.
#pragma once
#include <optional>
#include <string>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/server_words.hpp"

namespace redlock {

// How a command's script is named: by its SHA1, which the server may not know, or by its text.
enum class ScriptForm { sha1, text };

// Appends the command's bytes.
void append_request(std::string& out, const Command& command, ScriptForm form);
// A SET and a PTTL go as themselves; all others are scripts.
[[nodiscard]] bool is_script(const Command& command);

// Nothing when the reply is none that this command can have: the stream is out of step.
[[nodiscard]] std::optional<Reply> reply_to(const Command& command, const RespValue& value,
                                            const Secrets& secrets = {});
// The server does not know the SHA1.
[[nodiscard]] bool is_unknown_script(const RespValue& value);

// What makes sure that the command leaves no key of ours behind; nothing for commands that
// leave none.
[[nodiscard]] std::optional<Command> undo_of(const Command& command);
// Does it remove a key?
[[nodiscard]] bool is_removal(const Command& command);
// Does it take a lock?
[[nodiscard]] bool is_take(const Command& command);
// The key and the proof of ownership that it is about.
struct LockName {
  std::string_view resource;
  std::string_view proof;
  auto operator<=>(const LockName&) const = default;
};
[[nodiscard]] LockName lock_name(const Command& command);

}  // namespace redlock
