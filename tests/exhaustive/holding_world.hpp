// A world of locks that several may have at once, or that are on several resources: clients that
// take, promote, demote, extend and give back, and every order in which what they say can be done.
//
// The clients are the production's Acquire and Extend, and keep what those give them as HeldLock
// does; the servers run the production's bytes and scripts. An answer is heard as it is given, or
// lost with its connection; what was on its way there is done late, behind its own removal, or
// never. Time passes in ticks, of which a key lives two. Waiting in line is another world's.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exhaustive/holding_calls.hpp"

namespace redlock::exhaustive {

struct HolderSettings {
  std::string resources = "r";  // a letter each
  LockMode mode = LockMode::exclusive;
  int calls = 1;
  int changes = 0;  // so often in all it is promoted or demoted,
  int extends = 0;  // and so often it asks for more time
};

struct HoldingSettings {
  std::string name;
  std::vector<HolderSettings> clients;
  int cuts = 0;  // so many connections are lost in all
  int ticks = 0;
  int deaths = 0;
  // What is to be found, where something is.
  bool leaves_gap = false;        // who is promoted leaves first, and then takes the lock
  bool counts_strangers = false;  // a promotion has the votes of servers where others read, too
  bool stays_alone = false;       // who let others in goes on as if alone
  bool counts_late = false;       // a validity counts from the answer
  bool one_by_one = false;  // a server takes a set's keys one after the other, up to a refusal
  bool takes_what_is_free = false;  // or passes over those that it cannot have
};

class HoldingWorld {
 public:
  // The settings must outlive the world.
  explicit HoldingWorld(const HoldingSettings& settings);

  struct Move {
    enum class Kind : std::uint8_t {
      begin,
      change,
      extend,
      release,
      die,
      serve,
      cut,
      lose,  // the answer, and the connection with it
      late,
      tick
    };
    Kind kind = Kind::begin;
    std::uint8_t client = 0;
    std::uint8_t place = 0;  // a server, or which of what is late
  };
  [[nodiscard]] std::vector<Move> moves() const;
  void make(const Move& move);
  // What must never be; empty: all is well.
  [[nodiscard]] std::string violation() const { return wrong_; }
  // Is somebody inside alone whom another was in the way of?
  [[nodiscard]] bool happened() const;
  // Two worlds with the same bytes have the same future.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] static std::string to_string(const Move& move);

 private:
  struct Book {
    HoldingServers servers;
    HoldingCalls calls{servers};
  };
  struct Said {
    std::uint16_t command = 0;
    std::uint8_t call = 0;  // whose answer is waited for; 0: nobody's
    bool promotes = false;
  };
  struct Client {
    std::array<std::vector<Said>, kHoldingServers> wires;
    std::uint16_t call = 0;     // under way; 0: none
    CallKind kind{};            // of it
    std::uint8_t calls = 0;     // so many were begun
    TokenCode fresh = 0;        // of it
    TokenCode tokens = 0;       // so many were drawn
    TokenCode held = 0;         // 0: it has no lock
    bool alone = false;         // it believes to be,
    std::int64_t until_ms = 0;  // until then
    bool had = false;           // a lock, ever
    bool dead = false;
    std::uint8_t calls_left = 0;
    std::uint8_t changes_left = 0;
    std::uint8_t extends_left = 0;
  };
  struct Late {
    std::uint8_t server = 0;
    std::uint16_t command = 0;
  };

  [[nodiscard]] std::int64_t now_ms() const { return tick_ * kTickMs; }
  [[nodiscard]] bool inside(const Client& client) const {
    return client.held != 0 && !client.dead && client.until_ms > now_ms();
  }
  void begin(std::size_t client, CallKind kind);
  void change(std::size_t client);
  void remove(std::size_t client, TokenCode token, std::size_t server, bool hands_over);
  void forget(std::size_t client, TokenCode token);
  void follow(std::size_t client, const HoldingCalls::Step& step);
  void say(std::size_t client, const HoldingCalls::Asked& asked);
  void finish(std::size_t client, const HoldingCalls::Call& call);
  void hear(std::size_t client, std::size_t server, const Said& said, Vote vote);
  void serve(std::size_t client, std::size_t server, bool answers);
  void cut(std::size_t client, std::size_t server);
  void pass_time();
  Vote execute(std::size_t server, std::uint16_t command);
  Vote execute_in_parts(std::size_t server, const SetAllIfAbsent& set);
  void judge();
  [[nodiscard]] std::string bytes_of(std::size_t server) const;

  const HoldingSettings* settings_;
  std::shared_ptr<Book> book_;
  std::vector<Client> clients_;
  std::array<std::uint32_t, kHoldingServers> servers_{};
  std::vector<Late> late_;
  int tick_ = 0;
  int cuts_ = 0;
  int deaths_ = 0;
  std::string wrong_;
};

}  // namespace redlock::exhaustive
