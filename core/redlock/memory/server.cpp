// Dispatch: which command it is, and who hears about it.
#include "redlock/memory/server.hpp"

#include <array>

namespace redlock::memory {

struct Server::Command : CommandRule {
  void (Server::*run)(const Arguments&, std::string&);
};

const Server::Command* Server::lookup(std::string_view name) {
  static constexpr std::array<Command, 35> kCommands{{
      {{"get", 2, 0}, &Server::get},
      {{"del", -2, kWrite}, &Server::del},
      {{"evalsha", -3, kNotInScript}, &Server::evalsha},
      {{"set", -3, kWrite | kNeedsMemory}, &Server::set},
      {{"time", 1, kWhileLoading}, &Server::time},
      {{"hlen", 2, 0}, &Server::hlen},
      {{"zrange", -4, 0}, &Server::zrange},
      {{"pttl", 2, 0}, &Server::pttl},
      {{"pexpire", -3, kWrite}, &Server::pexpire},
      {{"eval", -3, kNotInScript}, &Server::eval},
      {{"setnx", 3, kWrite | kNeedsMemory}, &Server::setnx},
      {{"getset", 3, kWrite | kNeedsMemory}, &Server::getset},
      {{"auth", -2, kWhileLoading | kNotInScript | kWhileBusy | kBeforeAuth}, &Server::auth},
      {{"select", 2, kWhileLoading}, &Server::select},
      {{"client", -2, kWhileLoading | kNotInScript}, &Server::client},
      {{"ping", -1, kWhileSubscribed}, &Server::ping},
      {{"script", -2, kNotInScript}, &Server::script},
      {{"expire", -3, kWrite}, &Server::expire},
      {{"hset", -4, kWrite | kNeedsMemory}, &Server::hset},
      {{"hget", 3, 0}, &Server::hget},
      {{"hdel", -3, kWrite}, &Server::hdel},
      {{"zadd", -4, kWrite | kNeedsMemory}, &Server::zadd},
      {{"zrem", -3, kWrite}, &Server::zrem},
      {{"zrank", 3, 0}, &Server::zrank},
      {{"zcard", 2, 0}, &Server::zcard},
      {{"zscore", 3, 0}, &Server::zscore},
      {{"zcount", 4, 0}, &Server::zcount},
      {{"zremrangebyscore", 4, kWrite}, &Server::zremrangebyscore},
      {{"exists", -2, 0}, &Server::exists},
      {{"publish", 3, kWhileLoading | kNamesChannel}, &Server::publish},
      {{"subscribe", -2, kListening | kNamesChannel}, &Server::subscribe},
      {{"unsubscribe", -1, kListening}, &Server::unsubscribe},
      {{"flushall", -1, kWrite}, &Server::flushall},
      {{"flushdb", -1, kWrite}, &Server::flushall},
      {{"info", -1, kWhileLoading}, &Server::info},
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
  if (const auto refusal = refusal_of(command, arguments, conditions_, session); refusal.empty()) {
    (this->*command->run)(arguments, answer_);
  } else {
    append_error(answer_, refusal);
  }
  if (observer_ != nullptr) observer_->command_executed(session, arguments, answer_);
  out.append(answer_);
  session_ = nullptr;
}

void Server::call_from_script(const Arguments& arguments, std::string& reply) {
  const Command* command = lookup(arguments.front());
  const std::string refusal = refusal_in_script(command, arguments, conditions_, script_wrote_);
  if (!refusal.empty()) {
    append_error(reply, refusal);
    const bool is_publish = command != nullptr && command->run == &Server::publish;
    if (observer_ != nullptr && is_publish && arguments.size() == 3) {
      observer_->published(arguments[1], arguments[2], -1);
    }
    return;
  }
  // In the midst of its writes a script is not stopped any more.
  script_wrote_ = script_wrote_ || (command->flags & kWrite) != 0;
  (this->*command->run)(arguments, reply);
}

}  // namespace redlock::memory
