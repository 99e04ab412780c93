// The commands about connections, clocks and scripts, with the texts of Redis 7.0.
#include <algorithm>
#include <span>

#include "redlock/memory/server.hpp"

namespace redlock::memory {

void Server::ping(const Arguments& arguments, std::string& out) {
  if (arguments.size() > 2) {
    return append_error(out, "ERR wrong number of arguments for 'ping' command");
  }
  if (!session_->channels.empty()) {
    append_array_header(out, 2);
    append_bulk(out, "pong");
    return append_bulk(out, arguments.size() == 2 ? arguments[1] : std::string_view());
  }
  if (arguments.size() == 2) return append_bulk(out, arguments[1]);
  append_status(out, "PONG");
}

void Server::auth(const Arguments& arguments, std::string& out) {
  if (arguments.size() > 3) return append_error(out, "ERR syntax error");
  if (arguments.size() == 2 && conditions_.password.empty()) {
    return append_error(out,
                        "ERR AUTH <password> called without any password configured for the "
                        "default user. Are you sure your configuration is correct?");
  }
  const bool known_user = arguments.size() == 2 || arguments[1] == "default";
  // Without a password the default user takes any.
  const bool right = conditions_.password.empty() || arguments.back() == conditions_.password;
  if (!known_user || !right) {
    return append_error(out, "WRONGPASS invalid username-password pair or user is disabled.");
  }
  session_->authenticated = true;
  append_status(out, "OK");
}

void Server::select(const Arguments& arguments, std::string& out) {
  std::int64_t number = 0;
  if (!parse_integer(arguments[1], number)) return append_error(out, kNoInteger);
  if (number < 0 || number >= kDatabases) return append_error(out, "ERR DB index is out of range");
  session_->database = static_cast<std::uint32_t>(number);
  append_status(out, "OK");
}

void Server::client(const Arguments& arguments, std::string& out) {
  if (equals_ignoring_case(arguments[1], "setname")) {
    if (arguments.size() != 3) {
      return append_error(out, "ERR wrong number of arguments for 'client|setname' command");
    }
    const auto forbidden = [](char c) { return c < '!' || c > '~'; };
    if (std::ranges::any_of(arguments[2], forbidden)) {
      return append_error(out,
                          "ERR Client names cannot contain spaces, newlines or special "
                          "characters.");
    }
    session_->name = arguments[2];
    return append_status(out, "OK");
  }
  if (equals_ignoring_case(arguments[1], "getname")) {
    if (session_->name.empty()) return append_nil(out);
    return append_bulk(out, session_->name);
  }
  append_error(out, "ERR unknown subcommand '" + std::string(arguments[1]) + "'. Try CLIENT HELP.");
}

void Server::time(const Arguments& /*arguments*/, std::string& out) {
  append_array_header(out, 2);
  append_bulk(out, std::to_string(now_ns_ / 1'000'000'000));
  append_bulk(out, std::to_string(now_ns_ / 1'000 % 1'000'000));
}

// Of all that Redis tells what concerns locks. Its clock shows whole seconds.
void Server::info(const Arguments& arguments, std::string& out) {
  const auto wants = [&](std::string_view section) {
    return arguments.size() == 1 ||
           std::ranges::any_of(std::span(arguments).subspan(1), [&](std::string_view word) {
             return equals_ignoring_case(word, section) || equals_ignoring_case(word, "default") ||
                    equals_ignoring_case(word, "all");
           });
  };
  const auto whole_s = [](std::int64_t ns) { return ns / 1'000'000'000; };
  std::string text;
  if (wants("server")) {
    text += "# Server\r\nredis_version:7.0.0\r\nredis_mode:standalone\r\nrun_id:" + run_id_ +
            "\r\nuptime_in_seconds:" + std::to_string(whole_s(now_ns_) - whole_s(began_ns_)) +
            "\r\n";
  }
  if (wants("memory")) text += "# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n";
  if (wants("replication")) {
    text += std::string("# Replication\r\nrole:") + (conditions_.read_only ? "slave" : "master") +
            "\r\nconnected_slaves:0\r\n";
  }
  append_bulk(out, text);
}

bool Server::knows_script(std::string_view sha1) const {
  return std::ranges::find(scripts_, sha1) != scripts_.end();
}

void Server::learn_script(const std::string& sha1) {
  if (!knows_script(sha1)) scripts_.push_back(sha1);
}

void Server::eval(const Arguments& arguments, std::string& out) {
  std::int64_t ignored = 0;
  std::string error;
  if (!parse_integer(arguments[2], ignored)) return append_error(out, kNoInteger);
  const std::string sha1(engine_.sha1_of(arguments[1]));
  if (!engine_.load(sha1, arguments[1], error)) return append_error(out, error);
  learn_script(sha1);
  run_script(sha1, arguments, out);
}

void Server::evalsha(const Arguments& arguments, std::string& out) {
  const std::string sha1 = lower_case(arguments[1]);
  if (!knows_script(sha1)) {
    return append_error(out, "NOSCRIPT No matching script. Please use EVAL.");
  }
  run_script(sha1, arguments, out);
}

void Server::run_script(const std::string& sha1, const Arguments& arguments, std::string& out) {
  std::int64_t count = 0;
  if (!parse_integer(arguments[2], count)) return append_error(out, kNoInteger);
  const std::span<const std::string_view> rest = std::span(arguments).subspan(3);
  if (count < 0) return append_error(out, "ERR Number of keys can't be negative");
  if (static_cast<std::size_t>(count) > rest.size()) {
    return append_error(out, "ERR Number of keys can't be greater than number of args");
  }
  const auto keys = static_cast<std::size_t>(count);
  script_wrote_ = false;
  engine_.run(sha1, rest.first(keys), rest.subspan(keys), *this, out);
}

void Server::script(const Arguments& arguments, std::string& out) {
  const std::string_view verb = arguments[1];
  if (equals_ignoring_case(verb, "load") && arguments.size() == 3) {
    std::string error;
    const std::string sha1(engine_.sha1_of(arguments[2]));
    if (!engine_.load(sha1, arguments[2], error)) return append_error(out, error);
    learn_script(sha1);
    return append_bulk(out, sha1);
  }
  if (equals_ignoring_case(verb, "flush")) {
    scripts_.clear();
    return append_status(out, "OK");
  }
  if (equals_ignoring_case(verb, "exists") && arguments.size() >= 3) {
    append_array_header(out, arguments.size() - 2);
    for (const std::string_view sha1 : std::span(arguments).subspan(2)) {
      append_integer(out, knows_script(lower_case(sha1)) ? 1 : 0);
    }
    return;
  }
  append_error(out, "ERR unknown subcommand '" + std::string(verb) + "'. Try SCRIPT HELP.");
}

}  // namespace redlock::memory
