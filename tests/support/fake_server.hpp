// A lock server in memory, which understands what the library sends and misbehaves on demand.
//
// It knows the library's scripts by their text and SHA1 and does in C++ what they do in Lua, as
// far as the unit tests need it; keys never expire. The scripts themselves are tested elsewhere.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"
#include "support/resp.hpp"

namespace redlock::test {

// A take that goes as a script, since its server may refuse scripts, as the SET that it stands for;
// any other request as it is.
[[nodiscard]] Arguments plain_take(const Arguments& request);

class FakeServer {
 public:
  enum class Reach {
    accepts,
    refuses,   // connecting fails at once
    vanishes,  // connecting never ends
  };

  // Carries out one request and gives the reply's bytes. Takes are SETs to whoever looks.
  std::string execute(const Arguments& request);

  // How often a command with this name has been carried out.
  [[nodiscard]] std::size_t count(const std::string& verb) const;

  Reach reach = Reach::accepts;
  Fault refusal = Fault::connect;
  Duration connect_time;
  Duration answer_time;
  // Like SIGSTOP: connects and receives, but does nothing until it is resumed.
  bool stopped = false;
  // Answers instead of the usual when it gives something; an empty string is silence.
  std::function<std::optional<std::string>(const Arguments&)> say;
  // Closes the connection at commands of these names, as proxies do, and drops what is behind them.
  std::set<std::string> hangs_up_at;
  std::map<std::string, std::string> keys;
  std::set<std::string> known_scripts;
  std::vector<Arguments> log;
  std::size_t connections_opened = 0;

 private:
  std::string run_script(const Arguments& request);
  std::string set_if_absent(const Arguments& request);
};

}  // namespace redlock::test
