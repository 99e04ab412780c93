// Answers of servers that are hostile or broken.
#include "sim/world.hpp"

namespace redlock::sim {

namespace {

using enum FaultClass;

const std::string& oversized() {
  static const std::string answer = "$70000\r\n" + std::string(70'000, 'x') + "\r\n";
  return answer;
}

}  // namespace

// False: the answer is as it was.
bool World::spoil(Machine& machine, const Arguments& arguments, std::string& answer) {
  if (machine.hostile != server_lies && random_.chance(1, 2)) return false;
  switch (machine.hostile) {
    case hostile_type:
      answer =
          random_.pick(std::array<const char*, 4>{"+WHAT\r\n", ":7\r\n", "*1\r\n:1\r\n", "*0\r\n"});
      break;
    case hostile_oversized:
      answer = random_.chance(1, 2) ? "$1073741824\r\nxxxx" : oversized();
      break;
    case hostile_nested:
      answer = "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n";
      break;
    case hostile_garbage:
      answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
      break;
    case hostile_extra:
      answer += answer;
      break;
    case hostile_missing:
      answer.clear();
      break;
    default: {
      if (answer == "$-1\r\n") {
        answer = "+OK\r\n";
        break;
      }
      const bool take = plan_.kind == LockKind::stamp && arguments.size() == 7;
      if (!take || answer != ":0\r\n") return false;
      const std::int64_t now_ms = machine.clock.at(now_ns_) / kMs;
      answer.clear();
      append_bulk(answer, std::to_string(now_ms + 1000) + "." + std::string(arguments[5]));
    }
  }
  fired(machine.hostile);
  return true;
}

}  // namespace redlock::sim
