// Numbers the commands and tokens that machines hand out, so that a state can name them in a byte.
//
// Two commands are the same when the wire would send the same bytes for them. One thread.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exhaustive/settings.hpp"
#include "exhaustive/state.hpp"
#include "redlock/algorithm/command.hpp"

namespace redlock::exhaustive {

// What a command is for, from its client's point of view.
enum class Role { take, undo, release, extend, check };

inline constexpr std::size_t kCommandsMax = 15;

// When every stamp ends that is the command's own, in milliseconds; whole seconds, too.
inline constexpr std::int64_t kOwnStampMs = 1'700'000'000'000;

struct BookedCommand {
  Command command;
  Role role = Role::take;
  int token = 0;
  bool removal = false;
  Byte script = 0;  // its bit among the scripts; 0: it is none
  std::string bytes;
};

class CommandBook {
 public:
  // Throws std::length_error when a state could not name one more.
  int number_of(const Command& command);
  [[nodiscard]] const BookedCommand& at(int number) const {
    return commands_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] std::size_t size() const { return commands_.size(); }
  // The number of what undoes the command; -1 when nothing needs to.
  int undo_of(int number);
  int token_number(std::string_view text);
  [[nodiscard]] const std::string& token(int number) const {
    return tokens_[static_cast<std::size_t>(number)];
  }
  // The stamp that a client is told when its take was granted.
  [[nodiscard]] std::string stamp(int token_number, const Settings& settings) const;

 private:
  std::map<std::string, int> numbers_;  // by the bytes
  std::vector<BookedCommand> commands_;
  std::array<std::optional<int>, kCommandsMax> undos_;
  std::vector<std::string> tokens_;
};

}  // namespace redlock::exhaustive
