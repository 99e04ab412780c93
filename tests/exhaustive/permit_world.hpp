// A world of one resource with two permits: clients that look for one, are cut off, give up and
// give back, and every order in which what they say can be done.
//
// The clients are the production's PermitSearch, the servers a twin of the scripts, written from
// what they are to do. A server's answer is heard as it is given: what comes of it then may come
// later. What was on its way on a connection that was cut is done late, behind its own removal, or
// never. Time stands still, so no key ends.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exhaustive/permit_call.hpp"

namespace redlock::exhaustive {

struct PermitSettings {
  std::string name;
  std::size_t clients = 3;
  int calls = 1;            // of each client
  AttemptNumber tries = 1;  // of each call; then it gives up
  int cuts = 0;             // so many connections are lost in all
  bool gives_back = true;   // else whoever has one keeps it
  // What is to be found: servers that count holders instead of slots.
  bool counts_holders = false;
};

class PermitWorld {
 public:
  // The settings must outlive the world.
  explicit PermitWorld(const PermitSettings& settings);

  struct Move {
    enum class Kind : std::uint8_t { begin, serve, turn, release, cut, late };
    Kind kind = Kind::begin;
    std::uint8_t client = 0;
    std::uint8_t place = 0;  // a slot, a server, or which of what is late
  };
  [[nodiscard]] std::vector<Move> moves() const;
  void make(const Move& move);
  // What must never be; empty: all is well.
  [[nodiscard]] std::string violation() const { return wrong_; }
  // Have two had one at once?
  [[nodiscard]] bool happened() const { return both_; }
  // Two worlds with the same bytes have the same future.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] static std::string to_string(const Move& move);

 private:
  struct Said {
    bool takes = false;
    AttemptNumber attempt = 0;
    std::uint8_t slot = 0;
    std::string token;
  };
  struct Held {
    std::uint8_t slot = 0;
    std::string token;  // empty: none
  };
  struct Client {
    PermitCall call;
    std::array<std::vector<Said>, kPermitServers> wires;
    Held held;
    int calls_left = 0;
  };
  using Server = std::array<std::vector<std::string>, kSlots>;  // tokens; one each, by the scripts
  struct Late {
    std::uint8_t server = 0;
    Said said;
  };

  void follow(Client& client, const std::vector<Request>& requests);
  void ask(Client& client, const std::vector<Request>& requests);
  void cut(Client& client, std::size_t server);
  Reply execute(std::size_t server, const Said& said);
  [[nodiscard]] std::string bytes_of(std::size_t server) const;

  const PermitSettings* settings_;
  std::vector<Client> clients_;
  std::array<Server, kPermitServers> servers_{};
  std::vector<Late> late_;
  int cuts_ = 0;
  bool both_ = false;
  std::string wrong_;
};

}  // namespace redlock::exhaustive
