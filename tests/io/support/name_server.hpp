// A name server on the loopback, over UDP and TCP, that knows what the test tells it; on a thread
// of its own.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "redlock/os/descriptor.hpp"
#include "redlock/os/look_up.hpp"

namespace redlock::test {

class NameServer {
 public:
  NameServer();
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;
  ~NameServer();

  // What the transport under test is told: this server and no other.
  [[nodiscard]] NameSources sources() const;

  // IPv4 addresses, in order. A name without any is answered with NXDOMAIN.
  void know(const std::string& name, std::vector<std::string> addresses);
  void be_silent(bool silent);
  // SERVFAIL, to whatever is asked.
  void fail(bool failing);
  // By UDP it says only that the answer is too long for that.
  void cut_short(bool cutting);
  // Each answer by UDP is held back so long.
  void take(std::chrono::milliseconds delay);
  // RevocableQueries of any kind for a name, either way; for all names where it is empty.
  [[nodiscard]] int asked(const std::string& name = {}) const;

 private:
  enum class Way { udp, tcp };
  // By TCP, with the first bytes of what may be a question.
  struct Client {
    Descriptor socket;
    std::string heard;
  };

  void run();
  [[nodiscard]] std::string answer(const std::string& query, Way way);
  // False where the client has gone.
  [[nodiscard]] bool serve(Client& client);

  int socket_ = -1;
  int listener_ = -1;
  int wake_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;  // of everything below
  std::map<std::string, std::vector<std::string>> names_;
  std::map<std::string, int> asked_;
  bool silent_ = false;
  bool failing_ = false;
  bool cutting_ = false;
  std::chrono::milliseconds delay_{0};
  std::thread thread_;
};

}  // namespace redlock::test
