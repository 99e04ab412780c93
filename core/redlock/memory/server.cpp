// Dispatch: which command it is, whether it may run now, and who hears about it.
#include "redlock/memory/server.hpp"

#include <array>

namespace redlock::memory {

namespace {

constexpr unsigned kWrite = 1;
constexpr unsigned kNeedsMemory = 2;
constexpr unsigned kWhileLoading = 4;
constexpr unsigned kBeforeAuth = 8;
constexpr unsigned kNotInScript = 16;
constexpr unsigned kWhileBusy = 32;
constexpr unsigned kWhileSubscribed = 64;

constexpr unsigned kListening = kWhileLoading | kWhileSubscribed | kNotInScript;

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

}  // namespace

struct Server::Command {
  std::string_view name;
  int arity;  // negative: at least that many
  unsigned flags;
  void (Server::*run)(const Arguments&, std::string&);
};

const Server::Command* Server::lookup(std::string_view name) {
  static constexpr std::array<Command, 35> kCommands{{
      {"get", 2, 0, &Server::get},
      {"del", -2, kWrite, &Server::del},
      {"evalsha", -3, kNotInScript, &Server::evalsha},
      {"set", -3, kWrite | kNeedsMemory, &Server::set},
      {"time", 1, kWhileLoading, &Server::time},
      {"hlen", 2, 0, &Server::hlen},
      {"zrange", -4, 0, &Server::zrange},
      {"pttl", 2, 0, &Server::pttl},
      {"pexpire", -3, kWrite, &Server::pexpire},
      {"eval", -3, kNotInScript, &Server::eval},
      {"setnx", 3, kWrite | kNeedsMemory, &Server::setnx},
      {"getset", 3, kWrite | kNeedsMemory, &Server::getset},
      {"auth", -2, kWhileLoading | kNotInScript | kWhileBusy | kBeforeAuth, &Server::auth},
      {"select", 2, kWhileLoading, &Server::select},
      {"client", -2, kWhileLoading | kNotInScript, &Server::client},
      {"ping", -1, kWhileSubscribed, &Server::ping},
      {"script", -2, kNotInScript, &Server::script},
      {"expire", -3, kWrite, &Server::expire},
      {"hset", -4, kWrite | kNeedsMemory, &Server::hset},
      {"hget", 3, 0, &Server::hget},
      {"hdel", -3, kWrite, &Server::hdel},
      {"zadd", -4, kWrite | kNeedsMemory, &Server::zadd},
      {"zrem", -3, kWrite, &Server::zrem},
      {"zrank", 3, 0, &Server::zrank},
      {"zcard", 2, 0, &Server::zcard},
      {"zscore", 3, 0, &Server::zscore},
      {"zcount", 4, 0, &Server::zcount},
      {"zremrangebyscore", 4, kWrite, &Server::zremrangebyscore},
      {"exists", -2, 0, &Server::exists},
      {"publish", 3, kWhileLoading, &Server::publish},
      {"subscribe", -2, kListening, &Server::subscribe},
      {"unsubscribe", -1, kListening, &Server::unsubscribe},
      {"flushall", -1, kWrite, &Server::flushall},
      {"flushdb", -1, kWrite, &Server::flushall},
      {"info", -1, kWhileLoading, &Server::info},
  }};
  // By length and ends, and behind it whoever came first.
  constexpr std::size_t kPlaces = 128;
  static constexpr auto kPlaceOf = [](std::string_view word) {
    // Letters differ in one bit from those of the other case.
    const auto first = static_cast<unsigned char>(word.front() | 0x20);
    const auto last = static_cast<unsigned char>(word.back() | 0x20);
    return (word.size() * 37 + first * 5U + last * 11U) % kPlaces;
  };
  // By their numbers from 1, for under the sanitizers pointers into a table are no constants.
  static constexpr auto kTable = [] {
    std::array<unsigned char, kPlaces> table{};
    for (std::size_t i = 0; i < kCommands.size(); ++i) {
      std::size_t place = kPlaceOf(kCommands[i].name);
      while (table[place] != 0) place = (place + 1) % kPlaces;
      table[place] = static_cast<unsigned char>(i + 1);
    }
    return table;
  }();
  if (name.empty()) return nullptr;
  for (std::size_t place = kPlaceOf(name); kTable[place] != 0; place = (place + 1) % kPlaces) {
    const Command& command = kCommands[kTable[place] - 1U];
    if (equals_ignoring_case(name, command.name)) return &command;
  }
  return nullptr;
}

void Server::set_time(std::int64_t server_ns, std::int64_t true_ns) {
  now_ns_ = server_ns;
  keyspace_.set_time(server_ns / 1'000'000, true_ns);
}

ServerSession Server::accept(std::uint64_t id) const {
  ServerSession session;
  session.id = id;
  session.authenticated = conditions_.password.empty();
  return session;
}

void Server::end_session(std::uint64_t id) noexcept {
  std::erase_if(subscriptions_, [id](const Subscription& one) { return one.session == id; });
}

void Server::receive(ServerSession& session, std::string_view bytes, std::string& out) {
  if (session.closed) return;
  if (session.input.empty()) {
    // Whole requests are read where they are.
    session.input = bytes.substr(serve(session, bytes, out));
    return;
  }
  session.input.append(bytes);
  if (session.input.size() < session.request_size) return;
  session.input.erase(0, serve(session, session.input, out));
}

// Returns how many of the bytes were whole requests.
std::size_t Server::serve(ServerSession& session, std::string_view bytes, std::string& out) {
  std::size_t served = 0;
  while (served < bytes.size() && !session.closed) {
    const ParsedRequest request = parse_request(bytes.substr(served), arguments_);
    if (request.state == ParseState::incomplete) {
      session.request_size = request.size;
      break;
    }
    served += request.size;
    if (request.state == ParseState::invalid) {
      append_error(out, request.error);
      session.closed = true;
    } else if (!arguments_.empty()) {
      execute(session, arguments_, out);
    }
  }
  return served;
}

void Server::execute(ServerSession& session, const Arguments& arguments, std::string& out) {
  session_ = &session;
  answer_.clear();
  const Command* command = lookup(arguments.front());
  if (observer_ != nullptr) observer_->command_begins(session, arguments);
  if (admit(command, arguments, answer_)) (this->*command->run)(arguments, answer_);
  if (observer_ != nullptr) observer_->command_executed(session, arguments, answer_);
  out.append(answer_);
  session_ = nullptr;
}

bool Server::check_shape(const Command* command, const Arguments& arguments, std::string& out) {
  if (command == nullptr) {
    std::string text = "ERR unknown command '" + std::string(arguments.front().substr(0, 128)) +
                       "', with args beginning with: ";
    for (std::size_t i = 1; i < arguments.size() && text.size() < 128; ++i) {
      text.append("'").append(arguments[i]).append("' ");
    }
    append_error(out, text);
    return false;
  }
  const auto count = static_cast<int>(arguments.size());
  if (command->arity > 0 ? count == command->arity : count >= -command->arity) return true;
  append_error(out,
               "ERR wrong number of arguments for '" + lower_case(arguments.front()) + "' command");
  return false;
}

// By an ACL: the commands that locks are made of, or SELECT alone.
bool Server::is_forbidden(const Command& command) const {
  if (command.name == "select") return conditions_.no_select;
  const bool of_locks = (command.flags & (kBeforeAuth | kWhileLoading)) == 0;
  return conditions_.no_permission && (of_locks || names_channel(command));
}

bool Server::names_channel(const Command& command) {
  return command.run == &Server::subscribe || command.run == &Server::publish;
}

bool Server::admit(const Command* command, const Arguments& arguments, std::string& out) {
  if (!check_shape(command, arguments, out)) return false;
  const unsigned flags = command->flags;
  if (!session_->authenticated && (flags & kBeforeAuth) == 0) {
    append_error(out, "NOAUTH Authentication required.");
  } else if (is_forbidden(*command)) {
    append_error(out, no_permission_text(command->name));
  } else if (conditions_.no_channels && names_channel(*command)) {
    append_error(out, kNoChannel);
  } else if (conditions_.out_of_memory && (flags & kNeedsMemory) != 0) {
    append_error(out, kOutOfMemory);
  } else if (conditions_.cannot_save && (flags & kWrite) != 0) {
    append_error(out, kCannotSave);
  } else if (conditions_.read_only && (flags & kWrite) != 0) {
    append_error(out, kReadOnly);
  } else if (!session_->channels.empty() && (flags & kWhileSubscribed) == 0) {
    append_error(out, "ERR Can't execute '" + full_name(arguments) +
                          "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
                          "allowed in this context");
  } else if (conditions_.loading && (flags & kWhileLoading) == 0) {
    append_error(out, "LOADING Redis is loading the dataset in memory");
  } else if (conditions_.busy && (flags & kWhileBusy) == 0) {
    append_error(out,
                 "BUSY Redis is busy running a script. You can only call SCRIPT KILL or "
                 "SHUTDOWN NOSAVE.");
  } else {
    return true;
  }
  return false;
}

void Server::call_from_script(const Arguments& arguments, std::string& reply) {
  const Command* command = lookup(arguments.front());
  if (command == nullptr) {
    append_error(reply, "ERR Unknown Redis command called from script");
    return;
  }
  const auto count = static_cast<int>(arguments.size());
  if (command->arity > 0 ? count != command->arity : count < -command->arity) {
    append_error(reply, "ERR Wrong number of args calling Redis command from script");
  } else if ((command->flags & kNotInScript) != 0) {
    append_error(reply, "ERR This Redis command is not allowed from script");
  } else if (const auto denial = denial_in_script(*command, arguments); !denial.empty()) {
    append_error(reply, denial);
    if (observer_ != nullptr && command->run == &Server::publish) {
      observer_->published(arguments[1], arguments[2], -1);
    }
  } else if (conditions_.cannot_save && (command->flags & kWrite) != 0) {
    append_error(reply, kCannotSave);
  } else if (conditions_.read_only && (command->flags & kWrite) != 0) {
    append_error(reply, kReadOnly);
  } else if (conditions_.out_of_memory && (command->flags & kNeedsMemory) != 0 && !script_wrote_) {
    append_error(reply, kOutOfMemory);
  } else {
    // In the midst of its writes a script is not stopped any more.
    script_wrote_ = script_wrote_ || (command->flags & kWrite) != 0;
    (this->*command->run)(arguments, reply);
  }
}

std::string_view Server::denial_in_script(const Command& command,
                                          const Arguments& arguments) const {
  if (conditions_.no_channels && names_channel(command)) {
    return "ERR The user executing the script can't publish to the channel mentioned in the "
           "command";
  }
  const bool of_line =
      arguments.size() > 1 && arguments[1].find(kLineKey) != std::string_view::npos;
  if (!conditions_.no_line_keys || !of_line || names_channel(command)) return {};
  return "ERR The user executing the script can't access at least one of the keys mentioned in the "
         "command arguments";
}

}  // namespace redlock::memory
