// Whether a command may run now, and what Redis says where it may not.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/memory/resp.hpp"

namespace redlock::memory {

// What is the matter with a server that runs and answers.
struct Conditions {
  bool loading = false;
  bool out_of_memory = false;
  bool read_only = false;
  bool busy = false;
  bool cannot_save = false;
  bool too_many_clients = false;  // refused by whoever accepts connections
  bool no_permission = false;
  bool no_select = false;
  bool no_channels = false;    // an ACL without a channel
  bool no_line_keys = false;   // an ACL for the locks' own keys and no others
  std::int64_t strangers = 0;  // so many receive whatever is published: `PSUBSCRIBE *`
  std::string password;        // empty: none is needed
};

// What a server knows of one connection.
struct ServerSession {
  std::uint64_t id = 0;  // the caller's name for it
  bool authenticated = false;
  bool closed = false;  // after a protocol error: no further input is read
  std::uint32_t database = 0;
  std::string name;
  std::vector<std::string> channels;  // subscribed to
  std::string input;
  std::size_t request_size = 0;  // of the one that input begins, at least
};

// What a command does, and where it may.
inline constexpr unsigned kWrite = 1;
inline constexpr unsigned kNeedsMemory = 2;
inline constexpr unsigned kWhileLoading = 4;
inline constexpr unsigned kBeforeAuth = 8;
inline constexpr unsigned kNotInScript = 16;
inline constexpr unsigned kWhileBusy = 32;
inline constexpr unsigned kWhileSubscribed = 64;
inline constexpr unsigned kNamesChannel = 128;
inline constexpr unsigned kListening = kWhileLoading | kWhileSubscribed | kNotInScript;

struct CommandRule {
  std::string_view name;
  int arity;  // negative: at least that many
  unsigned flags;
};

// The error that it is answered with; empty: it runs. No rule: the command is not known.
[[nodiscard]] std::string refusal_of(const CommandRule* command, const Arguments& arguments,
                                     const Conditions& conditions, const ServerSession& session);
// The same within a script, which may have written before.
[[nodiscard]] std::string refusal_in_script(const CommandRule* command, const Arguments& arguments,
                                            const Conditions& conditions, bool script_wrote);

}  // namespace redlock::memory
