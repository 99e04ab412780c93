// A world of a lock that comes with a fence: clients that take it, raise their fences, are cut off
// and give it back, and every order in which what they say can arrive.
//
// The clients are the production's FencedAcquire and Acquire, the servers a twin of the scripts,
// written from what they are to do. Votes stray: what was on its way on a connection that was cut
// comes late, behind its own removal, or never. Time stands still, so a key ends only where nobody
// alive counts on it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exhaustive/fence_call.hpp"

namespace redlock::exhaustive {

struct FenceSettings {
  std::string name;
  std::vector<std::int64_t> clocks{10, 15};  // a client each
  int calls = 1;                             // of each client
  int attempts = 1;                          // of each call
  int cuts = 0;  // so many connections are lost in all: what was on its way comes late, or never
  std::size_t cut_from = 0;  // the clients from this one on are
  // What servers remember at the beginning.
  std::array<std::int64_t, kFenceServers> last{0, 20, 0};
  // What is to be found, where something is: edits of the servers or the clients, or a world that
  // no fence can bear.
  bool raises_strays = false;  // a fence is raised where the key holds another's token as well
  bool counts_up = false;      // the largest that a majority said, plus one, is taken for agreed on
  int losses = 0;              // so many servers forget the last fence, once all leases are over
};

class FenceWorld {
 public:
  // The settings must outlive the world.
  explicit FenceWorld(const FenceSettings& settings);

  struct Move {
    enum class Kind : std::uint8_t { begin, serve, hear, turn, release, cut, late, expire, forget };
    Kind kind = Kind::begin;
    std::uint8_t client = 0;
    std::uint8_t server = 0;  // or which of what is late
  };
  [[nodiscard]] std::vector<Move> moves() const;
  void make(const Move& move);
  // What must never be; empty: all is well.
  [[nodiscard]] std::string violation() const { return wrong_; }
  // Have there been two grants, one after the other?
  [[nodiscard]] bool happened() const { return grants_ > 1; }
  // Two worlds with the same bytes have the same future.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] static std::string to_string(const Move& move);

 private:
  enum class What : std::uint8_t { take, raise, remove };
  struct Said {
    What what = What::take;
    std::uint8_t server = 0;
    AttemptNumber attempt = 0;
    std::string token;
    std::int64_t proposal = 0;
  };
  struct Heard {
    AttemptNumber attempt = 0;
    Reply reply;
  };
  struct Wire {
    std::vector<Said> to_server;
    std::vector<Heard> answers;
  };
  struct Client {
    FenceCall call;
    std::array<Wire, kFenceServers> wires;
    std::string held;  // the token of its lock; empty: it has none
    int calls_left = 0;
  };
  struct Server {
    std::string held;
    std::int64_t last = 0;
  };

  void ask(Client& client, const std::vector<Request>& requests);
  void follow(Client& client, const std::vector<Request>& requests);
  void grant(Client& client);
  [[nodiscard]] std::int64_t fence_of(const Client& client) const;
  void cut(Client& client, std::size_t server);
  Reply execute(const Said& said);
  [[nodiscard]] bool counted_on(std::string_view token) const;
  [[nodiscard]] std::string bytes_of(std::size_t server) const;

  const FenceSettings* settings_;
  std::vector<Client> clients_;
  std::array<Server, kFenceServers> servers_{};
  std::vector<Said> late_;
  int cuts_ = 0;
  int losses_ = 0;
  int grants_ = 0;
  std::int64_t largest_ = 0;  // of all fences that were granted
  std::string wrong_;
};

}  // namespace redlock::exhaustive
