// Numbering.
#include "exhaustive/command_book.hpp"

#include <algorithm>
#include <stdexcept>

#include "redlock/wire/translate.hpp"

namespace redlock::exhaustive {

namespace {

struct Named {
  Role role;
  std::string_view token;
};

// The fraction of a stamp is its token.
std::string_view fraction_of(std::string_view stamp) {
  return stamp.substr(std::min(stamp.size(), stamp.find('.') + 1));
}

struct Namer {
  Named operator()(const SetIfAbsent& c) const { return {Role::take, c.token.view()}; }
  Named operator()(const ReleaseAndHandOver& c) const { return {Role::undo, c.token.view()}; }
  Named operator()(const ExtendIfEqual& c) const { return {Role::extend, c.token.view()}; }
  Named operator()(const CheckEqual& c) const { return {Role::check, c.token.view()}; }
  Named operator()(const CheckEndless&) const { return {Role::check, {}}; }
  // Worlds of lines and of fences have books of their own.
  Named operator()(const Enqueue& c) const { return {Role::take, c.token.view()}; }
  Named operator()(const RotateIfEqual& c) const { return {Role::take, c.fresh.view()}; }
  Named operator()(const SetAllIfAbsent& c) const { return {Role::take, c.token.view()}; }
  Named operator()(const RaiseFence& c) const { return {Role::take, c.token.view()}; }
  Named operator()(const TakeSlot& c) const { return {Role::take, c.token.view()}; }
  Named operator()(const StandForPermit& c) const { return {Role::take, c.token.view()}; }
  Named operator()(const LeavePermits& c) const { return {Role::undo, c.token.view()}; }
  Named operator()(const ShareIfFree& c) const { return {Role::take, c.token.view()}; }
  Named operator()(const Promote& c) const { return {Role::take, c.fresh.view()}; }
  Named operator()(const Demote& c) const { return {Role::check, c.token.view()}; }
  Named operator()(const Inspect&) const { return {Role::check, {}}; }
  Named operator()(const StampAcquire& c) const { return {Role::take, c.token.view()}; }
  Named operator()(const StampUndo& c) const { return {Role::undo, c.token.view()}; }
  Named operator()(const StampRelease& c) const {
    return {Role::release, fraction_of(c.stamp.view())};
  }
  Named operator()(const StampCheck& c) const { return {Role::check, fraction_of(c.stamp.view())}; }
};

}  // namespace

int CommandBook::number_of(const Command& command) {
  std::string bytes;
  append_request(bytes, command, ScriptForm::text);
  const auto found = numbers_.find(bytes);
  if (found != numbers_.end()) return found->second;
  if (commands_.size() == kCommandsMax) throw std::length_error("too many different commands");
  const Named named = std::visit(Namer{}, command);
  const int number = static_cast<int>(commands_.size());
  const Byte script = traits_of(command).needs_script ? byte(1U << command.index()) : Byte{0};
  commands_.push_back(
      {command, named.role, token_number(named.token), is_removal(command), script, bytes});
  numbers_.emplace(std::move(bytes), number);
  return number;
}

int CommandBook::undo_of(int number) {
  std::optional<int>& known = undos_[static_cast<std::size_t>(number)];
  if (!known) {
    const std::optional<Command> undo = redlock::undo_of(at(number).command);
    known = undo ? number_of(*undo) : -1;
  }
  return *known;
}

int CommandBook::token_number(std::string_view text) {
  const auto found = std::ranges::find(tokens_, text);
  if (found != tokens_.end()) return static_cast<int>(found - tokens_.begin());
  tokens_.emplace_back(text);
  return static_cast<int>(tokens_.size()) - 1;
}

std::string CommandBook::stamp(int token_number, const Settings& settings) const {
  const std::int64_t unit_ms = settings.unit_ticks > 0 ? 1000 : 1;
  return std::to_string(kOwnStampMs / unit_ms) + "." + token(token_number);
}

}  // namespace redlock::exhaustive
