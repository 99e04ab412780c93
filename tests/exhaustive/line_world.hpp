// A world of one server's line: clients that join, are served, leave and die, and every order in
// which what they say can arrive.
//
// The clients are the production's NodeQueueState; the server is a twin of the scripts, written
// from what they are to do. One server is enough: that two majorities have a server in common needs
// no exploring, and all else that waiting in line adds is whether a vote that a client counts is
// his. Time stands still, so a key ends only where nobody alive believes in it.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "redlock/algorithm/line_commands.hpp"
#include "redlock/queue/node_queue_state.hpp"

namespace redlock::exhaustive {

struct LineSettings {
  std::string name;
  std::size_t clients = 2;
  int joins = 2;  // each client joins at most so often
  int resets =
      0;  // so many connections are lost in all: what was on its way may come late, or never
  int unsubscribed = 0;  // so many subscriptions are lost and made anew
  int deaths = 0;        // so many clients die
  int spares = 0;  // so many joins take nothing, and give back, for those behind or for nobody
  // What is to be found, where something is: edits of the server or the clients.
  bool forgets_echo = false;     // an overtaken join is served like any other
  bool any_echo_counts = false;  // a push behind an earlier join counts
  bool keeps_votes = false;      // a vote is kept while it is joined again
  bool tells_nobody = false;     // who becomes the first is told nothing
};

class LineWorld {
 public:
  explicit LineWorld(const LineSettings& settings);

  struct Move {
    enum class Kind : std::uint8_t {
      join,
      leave,
      die,
      reset,
      unsubscribe,
      listen,
      deliver,
      answer,
      push,
      late,
      lose,
      expire,
      stand,  // joins without taking
      yield   // the same, and what it had goes to those behind
    };
    Kind kind = Kind::join;
    std::uint8_t client = 0;
    std::uint8_t which = 0;  // of what is late
  };
  [[nodiscard]] std::vector<Move> moves() const;
  void make(const Move& move);
  // What must never be; empty: all is well.
  [[nodiscard]] std::string violation() const;
  // Does anybody have a vote that he counts?
  [[nodiscard]] bool happened() const;
  // Two worlds with the same bytes have the same future.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] static std::string to_string(const Move& move);

 private:
  struct Said {
    std::uint8_t client = 0;
    bool pass = false;
    std::uint8_t echo = 0;
    std::uint8_t channel = 0;
    ClaimPolicy policy = ClaimPolicy::claim;
  };
  struct Client {
    NodeQueueState place;
    std::uint8_t echo = 0;     // of the latest join
    std::uint8_t channel = 1;  // 0: it hears nothing
    std::uint8_t channels = 1;
    bool left = false;
    bool dead = false;
    bool kept = false;  // a vote, while it is joined again: where that is what is broken
    std::deque<Said> to_server;
    std::deque<std::pair<std::uint8_t, Reply>> answers;
    std::deque<Push> pushes;
  };
  struct Entry {
    std::uint8_t echo = 0;
    std::uint8_t channel = 0;
    bool skipped = false;
  };
  static constexpr int kNobody = -1;

  [[nodiscard]] static bool voted(const Client& client) {
    return client.kept || client.place.voted();
  }
  [[nodiscard]] bool waits(const Client& client) const { return !client.left && !client.dead; }
  void serve(const Said& said);
  void join(const Said& said);
  // `yielded`: by `me`, who stands in line still.
  void hand_on(int me, bool free, bool yielded = false);
  void grant_first_who_takes(int me);
  void tell_first(int me, bool but_me);
  void answer(const Said& said, Reply reply);
  [[nodiscard]] bool heard(int who) const;
  void push(int who, Push push);

  LineSettings settings_;
  std::vector<Client> clients_;
  std::vector<Said> late_;
  // The server. Tickets are the clients' numbers.
  int holder_ = kNobody;
  int given_to_ = kNobody;         // behind which join it was given,
  std::uint8_t given_behind_ = 0;  // and to whom
  std::map<int, Entry> line_;
};

}  // namespace redlock::exhaustive
