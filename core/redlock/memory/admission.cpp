// What a server refuses, in Redis's words.
#include "redlock/memory/admission.hpp"

namespace redlock::memory {

namespace {

constexpr std::string_view kOutOfMemory = "OOM command not allowed when used memory > 'maxmemory'.";
constexpr std::string_view kReadOnly = "READONLY You can't write against a read only replica.";

constexpr std::string_view kCannotSave =
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to "
    "disk. Commands that may modify the data set are disabled, because this instance is configured "
    "to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error "
    "option). "
    "Please check the Redis logs for details about the RDB error.";

constexpr std::string_view kNoChannel =
    "NOPERM this user has no permissions to access one of the channels used as arguments";
constexpr std::string_view kLineKey = ":redlock:";

std::string no_permission_text(std::string_view command) {
  return "NOPERM this user has no permissions to run the '" + std::string(command) + "' command";
}

// As Redis shows it: a subcommand behind a bar.
std::string full_name(const Arguments& arguments) {
  const std::string name = lower_case(arguments.front());
  const bool has_subcommands = name == "client" || name == "script";
  return has_subcommands ? name + '|' + lower_case(arguments[1]) : name;
}

bool fits(const CommandRule& command, const Arguments& arguments) {
  const auto count = static_cast<int>(arguments.size());
  return command.arity > 0 ? count == command.arity : count >= -command.arity;
}

std::string unknown_command(const Arguments& arguments) {
  std::string text = "ERR unknown command '" + std::string(arguments.front().substr(0, 128)) +
                     "', with args beginning with: ";
  for (std::size_t i = 1; i < arguments.size() && text.size() < 128; ++i) {
    text.append("'").append(arguments[i]).append("' ");
  }
  return text;
}

// By an ACL: the commands that locks are made of, or SELECT alone.
bool is_forbidden(const CommandRule& command, const Conditions& conditions) {
  if (command.name == "select") return conditions.no_select;
  const bool of_locks = (command.flags & (kBeforeAuth | kWhileLoading)) == 0;
  const bool names_channel = (command.flags & kNamesChannel) != 0;
  return conditions.no_permission && (of_locks || names_channel);
}

// Why an ACL keeps a script from it; empty: it does not.
std::string_view denial_in_script(const CommandRule& command, const Arguments& arguments,
                                  const Conditions& conditions) {
  const bool names_channel = (command.flags & kNamesChannel) != 0;
  if (conditions.no_channels && names_channel) {
    return "ERR The user executing the script can't publish to the channel mentioned in the "
           "command";
  }
  const bool of_line =
      arguments.size() > 1 && arguments[1].find(kLineKey) != std::string_view::npos;
  if (!conditions.no_line_keys || !of_line || names_channel) return {};
  return "ERR The user executing the script can't access at least one of the keys mentioned in the "
         "command arguments";
}

}  // namespace

std::string refusal_of(const CommandRule* command, const Arguments& arguments,
                       const Conditions& conditions, const ServerSession& session) {
  if (command == nullptr) return unknown_command(arguments);
  if (!fits(*command, arguments)) {
    return "ERR wrong number of arguments for '" + lower_case(arguments.front()) + "' command";
  }
  const auto is = [command](unsigned flag) { return (command->flags & flag) != 0; };
  if (!session.authenticated && !is(kBeforeAuth)) return "NOAUTH Authentication required.";
  if (is_forbidden(*command, conditions)) return no_permission_text(command->name);
  if (conditions.no_channels && is(kNamesChannel)) return std::string(kNoChannel);
  if (conditions.out_of_memory && is(kNeedsMemory)) return std::string(kOutOfMemory);
  if (conditions.cannot_save && is(kWrite)) return std::string(kCannotSave);
  if (conditions.read_only && is(kWrite)) return std::string(kReadOnly);
  if (!session.channels.empty() && !is(kWhileSubscribed)) {
    return "ERR Can't execute '" + full_name(arguments) +
           "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
           "allowed in this context";
  }
  if (conditions.loading && !is(kWhileLoading)) {
    return "LOADING Redis is loading the dataset in memory";
  }
  if (conditions.busy && !is(kWhileBusy)) {
    return "BUSY Redis is busy running a script. You can only call SCRIPT KILL or "
           "SHUTDOWN NOSAVE.";
  }
  return {};
}

std::string refusal_in_script(const CommandRule* command, const Arguments& arguments,
                              const Conditions& conditions, bool script_wrote) {
  if (command == nullptr) return "ERR Unknown Redis command called from script";
  if (!fits(*command, arguments)) {
    return "ERR Wrong number of args calling Redis command from script";
  }
  const auto is = [command](unsigned flag) { return (command->flags & flag) != 0; };
  if (is(kNotInScript)) return "ERR This Redis command is not allowed from script";
  const std::string_view denial = denial_in_script(*command, arguments, conditions);
  if (!denial.empty()) return std::string(denial);
  if (conditions.cannot_save && is(kWrite)) return std::string(kCannotSave);
  if (conditions.read_only && is(kWrite)) return std::string(kReadOnly);
  if (conditions.out_of_memory && is(kNeedsMemory) && !script_wrote) {
    return std::string(kOutOfMemory);
  }
  return {};
}

}  // namespace redlock::memory
