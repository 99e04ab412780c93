// The bytes of a command, computed once for all the nodes of a round.
//
// A round sends the same command to every server, and formatting it would cost more than
// everything else the library does in user space. Remembers the latest command only. One thread.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "redlock/wire/translate.hpp"

namespace redlock {

using SharedCommand = std::shared_ptr<const Command>;

class RequestEncoder {
 public:
  // Valid until the next call.
  [[nodiscard]] std::string_view encode(const SharedCommand& command, ScriptForm form);

 private:
  SharedCommand latest_;
  ScriptForm form_ = ScriptForm::sha1;
  std::string bytes_;
};

}  // namespace redlock
