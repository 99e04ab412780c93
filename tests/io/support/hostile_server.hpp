// A server that answers with nonsense, too slowly, or not at all; it runs on a thread of its own.
#pragma once
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace redlock::test {

enum class Habit {
  vanishes,       // connecting never ends
  silent,         // accepts and says nothing
  says_web_page,  // HTML
  promises_much,  // the header of 1 GB, and then far more than the bound
  nests,          // 4 MB of arrays in arrays
  drips,          // one byte every 80 ms
  hangs_up,       // closes at once
  cuts_short,     // half a reply, then closes
  babbles,        // replies that fit no question of ours
};

class HostileServer {
 public:
  explicit HostileServer(Habit habit);
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;
  ~HostileServer();

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  void fill_the_backlog();
  void run();
  void serve(int client);
  // What a client gets after its first bytes; the rest of it is sent as fast as it is taken.
  [[nodiscard]] static std::string words(Habit habit);

  Habit habit_;
  std::string words_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wake_ = -1;
  std::vector<int> fillers_;
  std::vector<int> clients_;
  std::thread thread_;
};

}  // namespace redlock::test
