// A server that answers in order and remembers what it said to whom.
//
// It reads the bytes that a session sends, whole commands at a time, and writes replies chosen by
// the fuzzer. What a session makes of them is then compared with `expected`. Answers are kept in
// the order of the replies, which is the only thing that tells them apart on the wire.
#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "input.hpp"
#include "redlock/algorithm/reply.hpp"
#include "redlock/wire/scripts.hpp"
#include "require.hpp"

namespace redlock::fuzz {

struct Expected {
  std::uint64_t id = 0;
  Answer answer = Answer::unknown;
  std::string text;  // told with it
  // A NOSCRIPT is an answer only when the command's own undo was sent before it arrived; else the
  // command is repeated.
  bool maybe = false;
  std::size_t end = 0;  // in all that the server has written
};

class ModelServer {
 public:
  void read(std::string_view bytes, Input& input) {
    unread_ += bytes;
    std::vector<std::string> arguments;
    while (take_command(arguments)) answer(arguments, input);
  }

  // An undo that nobody waits for has been sent behind the command.
  void note_undo(std::uint64_t id) {
    undone.insert(id);
    for (Expected& answer : expected) {
      if (answer.id == id && answer.maybe && answer.end > delivered_) answer.maybe = false;
    }
  }

  std::string deliver(std::size_t size) {
    const std::string bytes = wire.substr(0, size);
    wire.erase(0, size);
    delivered_ += size;
    return bytes;
  }

  // Written, and not yet delivered.
  std::string wire;
  std::deque<Expected> expected;
  // A handshake was refused: from there on everything is answered `unknown`.
  bool refused = false;
  // Takes behind which an undo was sent that nobody waits for.
  std::set<std::uint64_t> undone;
  // Those that got a NOSCRIPT: repeated, they have no deadline on the connection.
  std::set<std::uint64_t> repeated;

 private:
  bool take_command(std::vector<std::string>& arguments) {
    arguments.clear();
    std::size_t at = 0;
    std::size_t count = 0;
    if (!take_number('*', at, count)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t size = 0;
      if (!take_number('$', at, size) || unread_.size() < at + size + 2) return false;
      arguments.push_back(unread_.substr(at, size));
      at += size + 2;
    }
    unread_.erase(0, at);
    return true;
  }

  bool take_number(char mark, std::size_t& at, std::size_t& value) const {
    const std::size_t end = unread_.find("\r\n", at);
    if (end == std::string::npos) return false;
    REQUIRE(unread_[at] == mark);
    value = std::stoul(unread_.substr(at + 1, end - at - 1));
    at = end + 2;
    return true;
  }

  void answer(const std::vector<std::string>& arguments, Input& input) {
    const std::string& verb = arguments.front();
    if (verb == "AUTH" || verb == "SELECT" || verb == "CLIENT")
      return answer_handshake(verb, input);
    const bool by_sha1 = verb == "EVALSHA";
    const bool script = by_sha1 || verb == "EVAL";
    const std::uint64_t id = id_of(arguments.at(script ? 3 : 1));
    const bool undo = script && undone.contains(id) && is_undo(arguments[1]);
    const int times = ++asked_[{id, by_sha1 ? 's' : undo ? 'u' : 't'}];
    REQUIRE(times == 1 || id == 0);
    if (verb == "PTTL") return answer_look(id, input.choice(3));
    const bool stamp =
        script && arguments.size() == 7 && arguments[6] == "1" && is_stamp(arguments);
    Told told;
    if (stamp) told.granted = "1700000000000." + std::to_string(id);
    if (script && arguments.size() == kInspectWords) {
      told = {"4711 12 0 somebody", "$8\r\n-2 12 0 \r\n", "-2 12 0 "};
    }
    if (script && arguments.size() == kJoinWords) {
      told = {{}, "$8\r\n4711 3 9\r\n", "4711 3 9", "+GRANTED\r\n"};
    }
    if (!script || arguments[1] == scripts::set_if_absent.text)
      told = {{}, "$-1\r\n", {}, "+OK\r\n"};
    answer_command(undo ? 0 : id, by_sha1, told, input.choice(6));
  }

  static bool is_undo(std::string_view script) {
    return script == scripts::pass.text || script == scripts::stamp_undo.text;
  }

  static bool is_stamp(const std::vector<std::string>& arguments) {
    return !arguments[5].empty() && arguments[5].starts_with("70");
  }

  void answer_handshake(const std::string& verb, Input& input) {
    const bool refuse = input.choice(32) == 31;
    refused = refused || (refuse && verb != "CLIENT");
    wire += refuse ? "-NOPERM not you\r\n" : "+OK\r\n";
  }

  // How long a key still lives; -1 where it has no end.
  void answer_look(std::uint64_t id, std::size_t how) {
    wire += how == 0 ? ":-1\r\n" : ":4711\r\n";
    const Answer answer = how == 0 ? Answer::granted : Answer::denied;
    if (id != 0 && !refused) expected.push_back({id, answer, {}});
  }

  // How a command says yes, where it tells something, and no.
  struct Told {
    std::string granted;
    std::string_view denied = ":0\r\n";
    std::string why = {};             // what is told with a no
    std::string_view yes = ":1\r\n";  // where nothing is told with it
  };
  static constexpr std::size_t kInspectWords = 4;
  static constexpr std::size_t kJoinWords = 10;

  void answer_command(std::uint64_t id, bool by_sha1, const Told& told, std::size_t how) {
    const auto say = [&](std::string_view reply, Answer answer, std::string text = {}) {
      wire += reply;
      if (id != 0 && !refused) expected.push_back({id, answer, std::move(text)});
    };
    if (how == 0) return say("-OOM no memory\r\n", Answer::unknown);
    if (how == 1 && by_sha1) {
      repeated.insert(id);
      say("-NOSCRIPT No matching script\r\n", Answer::denied);
      if (!refused && id != 0) {
        expected.back().maybe = !undone.contains(id);
        expected.back().end = delivered_ + wire.size();
      }
      return;
    }
    if (how <= 2) return say(told.denied, Answer::denied, told.why);
    if (told.granted.empty()) return say(told.yes, Answer::granted);
    say("$" + std::to_string(told.granted.size()) + "\r\n" + told.granted + "\r\n", Answer::granted,
        told.granted);
  }

  std::string unread_;
  std::size_t delivered_ = 0;
  // How often a command came in each form: never twice.
  std::map<std::pair<std::uint64_t, char>, int> asked_;
};

}  // namespace redlock::fuzz
