// Between the algorithms' vocabulary and RESP: what any command looks like, what a reply means.
//
// Pure functions; the families' codecs do the work.
#pragma once
#include <optional>
#include <string>

#include "redlock/algorithm/command.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/command_codec.hpp"
#include "redlock/wire/server_errors.hpp"

namespace redlock {

// Appends the command's bytes.
void append_request(std::string& out, const Command& command, ScriptForm form);

// Nothing when the reply is none that this command can have: the stream is out of step.
[[nodiscard]] std::optional<Reply> reply_to(const Command& command, const RespValue& value,
                                            const Secrets& secrets = {});
// The server does not run scripts that are named like this one.
[[nodiscard]] bool is_refused_script(const RespValue& value);
// The server does not know the SHA1.
[[nodiscard]] bool is_unknown_script(const RespValue& value);

}  // namespace redlock
