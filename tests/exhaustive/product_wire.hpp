// The network of one client of the product: it hands over what it is told to, and writes down what
// each server was sent, in the numbers of the command book.
//
// Connections come about only in turns that allow it. One thread.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exhaustive/command_book.hpp"
#include "redlock/os/transport.hpp"

namespace redlock::exhaustive {

// A request as a server sees it, coded like a byte of a Zombie.
using Code = std::uint8_t;
[[nodiscard]] constexpr Code code_of(int command, int round, bool by_sha1) {
  return static_cast<Code>(command + 1 + 16 * round + (by_sha1 ? 128 : 0));
}

// What the model never sends.
inline constexpr Code kUnknownCode = 0;

// From a request's bytes to its code. The model goes first, so that it knows the commands.
class Dictionary {
 public:
  explicit Dictionary(const CommandBook& book) : book_(book) {}
  [[nodiscard]] Code look_up(std::string_view request);

 private:
  [[nodiscard]] Code find(std::string request) const;

  const CommandBook& book_;
  std::unordered_map<std::string, Code> known_;
};

class ProductWire final : public Transport {
 public:
  struct Sent {
    Code code = 0;
    bool executed = false;
  };
  struct Connection {
    int server = 0;
    bool connected = false;
    bool broken = false;  // the server is gone, and what was sent with it
    bool ended = false;   // the client may read that
    bool closed = false;
    std::string incoming;
    std::string outgoing;
    std::vector<Sent> unanswered;
  };

  // `greetings`: so many requests of the handshake come first on each connection.
  ProductWire(Dictionary& dictionary, int greetings)
      : dictionary_(dictionary), greetings_(greetings) {}

  // The open connection to a server; null when there is none.
  [[nodiscard]] Connection* to(int server);
  // What was sent on connections that are closed by now and not carried out yet, by server; taken
  // by the caller.
  [[nodiscard]] std::vector<std::pair<int, std::vector<Code>>>& left_behind() { return left_; }
  [[nodiscard]] bool any_unconnected() const;
  void let_connect(bool allowed) { may_connect_ = allowed; }
  void set_down(int server, bool down) { down_[static_cast<std::size_t>(server)] = down; }

  [[nodiscard]] ConnectionId open(const Endpoint& endpoint, Instant answer_by) override;
  [[nodiscard]] LinkStatus status(ConnectionId connection) override;
  [[nodiscard]] IoResult send(ConnectionId connection, std::string_view bytes) override;
  [[nodiscard]] IoResult receive(ConnectionId connection, std::span<char> into) override;
  void close(ConnectionId connection) override;
  void forget_all() override {}
  Woken wait(std::span<Interest> interests, Instant deadline) override;

 private:
  [[nodiscard]] Connection& at(ConnectionId connection) { return connections_[connection - 1]; }

  Dictionary& dictionary_;
  int greetings_;
  bool may_connect_ = false;
  std::array<bool, kServersMax> down_{};
  std::deque<Connection> connections_;
  std::vector<int> greetings_left_;
  std::vector<std::pair<int, std::vector<Code>>> left_;
};

}  // namespace redlock::exhaustive
