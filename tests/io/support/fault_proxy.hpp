// Stands between the library and a real server, and cuts or holds what passes.
//
// Runs on a thread of its own. A plan holds for the connections that come after it was set.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace redlock::test {

inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

struct ProxyPlan {
  // Both sides are closed as soon as so many bytes have passed in that direction.
  std::size_t cut_to_server = kUnlimited;
  std::size_t cut_to_client = kUnlimited;
  // So many bytes pass, and the rest waits until let_pass().
  std::size_t hold_to_client = kUnlimited;
  // At most so many bytes at a time.
  std::size_t slice = 64 * 1024;
};

class FaultProxy {
 public:
  explicit FaultProxy(std::uint16_t server_port);
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;
  ~FaultProxy();

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  void set_plan(ProxyPlan plan);
  // What is held back on living connections goes on.
  void let_pass();
  // How many connections have come so far.
  [[nodiscard]] std::size_t connection_count() const;

 private:
  struct Stream {
    int from;
    int to;
    std::size_t passed = 0;
    std::size_t cut_at;
    std::size_t hold_at;
    // The sender has closed its side.
    bool ended = false;
  };
  struct Pair {
    int client;
    int server;
    Stream to_server;
    Stream to_client;
    std::size_t slice;
    bool cut = false;
  };

  void run();
  void accept_one();
  // False when the pair is to be closed.
  static bool move_some(Pair& pair, Stream& stream);
  [[nodiscard]] static bool holds(const Stream& stream) { return stream.passed >= stream.hold_at; }

  std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wake_ = -1;
  mutable std::mutex mutex_;
  ProxyPlan plan_;
  bool release_ = false;
  bool ending_ = false;
  std::size_t connection_count_ = 0;
  std::list<Pair> pairs_;  // the thread's own
  std::thread thread_;
};

}  // namespace redlock::test
