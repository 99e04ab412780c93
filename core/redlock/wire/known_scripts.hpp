// Which scripts a server has, as far as one connection tells, and so how a command is sent there.
//
// By text until the server has shown that it knows the script: when the outcome is certain before a
// NOSCRIPT arrives, nobody is there to react to it. A release also goes by SHA1 behind a text that
// is unanswered: many at once would fill the connection with text. Pure. One thread.
#pragma once
#include <bitset>
#include <cstddef>
#include <variant>

#include "redlock/algorithm/command.hpp"
#include "redlock/wire/translate.hpp"

namespace redlock {

class KnownScripts {
 public:
  [[nodiscard]] ScriptForm form_for(const Command& command) const {
    const std::size_t script = command.index();
    const bool offered = is_removal(command) && offered_.test(script);
    return known_.test(script) || offered ? ScriptForm::sha1 : ScriptForm::text;
  }
  void note_offered(const Command& command) { offered_.set(command.index()); }
  // A text was not sent after all, or was answered by an error.
  void note_no_offer(const Command& command) noexcept { offered_.reset(command.index()); }
  void note_carried_out(const Command& command) { known_.set(command.index()); }
  void note_unknown(const Command& command) {
    known_.reset(command.index());
    offered_.reset(command.index());
  }
  // The server refuses to run any.
  void note_none_runs() { known_.reset(); }

 private:
  // By Command::index().
  std::bitset<std::variant_size_v<Command>> known_;    // run for us, and none refused since
  std::bitset<std::variant_size_v<Command>> offered_;  // sent as text, and nothing said against it
};

}  // namespace redlock
