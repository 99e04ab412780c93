// A memory of one command.
#include "redlock/wire/encoder.hpp"

namespace redlock {

std::string_view RequestEncoder::encode(const SharedCommand& command, ScriptForm form) {
  if (command != latest_ || form != form_) {
    // Half of a request must not pass for the whole one when memory runs out.
    latest_.reset();
    bytes_.clear();
    append_request(bytes_, *command, form);
    latest_ = command;
    form_ = form;
  }
  return bytes_;
}

}  // namespace redlock
