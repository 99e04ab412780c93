// A world of one lease that is kept alive and one who waits for its lock, and every order in which
// what they say can arrive, while servers lose their memory and connections are cut.
//
// A holds the lock: its owner extends it by himself and releases it at some time, on connections of
// his own, and beside him its renewal thread renews it by the production's Renewal, Extend and
// VoteRepair. B tries to take it, by the production's Acquire. What the renewal thread makes of
// their answers is written as in lease/renewal_scheduler; it may come to its turn as late as it
// likes. Servers are a twin of the scripts. A server that lost its memory stays away for a ttl, as
// operators are told. Times are ticks; of what a server promised and a lease trusts in, one tick is
// for clocks that differ: a key may end so much too early.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exhaustive/asked.hpp"
#include "redlock/algorithm/renewal.hpp"

namespace redlock::exhaustive {

struct RenewalSettings {
  std::string name;
  AskedTerms terms{.ttl = 5};
  int renew_max = 9;       // how long the lease is renewed
  int ticks = 3;           // how much time passes at most
  int tries = 1;           // so often B tries
  int losses = 0;          // so many servers lose their memory
  int cuts = 0;            // so many of the renewal thread's connections are cut
  bool forgotten = false;  // one server has lost its memory before, and is back
  bool releases = true;
  int extends = 0;            // so often its owner extends it himself
  bool back_at_once = false;  // outside the model: who lost his memory does not stay away
  // What is to be found, where something is: edits of the renewal thread or the servers.
  bool counts_from_answer = false;  // an extend is trusted from its answer on
  bool counts_repairs = false;      // what was repaired is trusted at once
  bool repairs_over = false;        // a repair takes no notice of what is there
  bool forgets_repairs = false;     // a release undoes nothing that was repaired
  bool undoes_repairs = false;      // what is unanswered is undone while the lock lives
};

class RenewalWorld {
 public:
  explicit RenewalWorld(const RenewalSettings& settings);

  struct Move {
    enum class Kind : std::uint8_t {
      tick,
      end_early,
      lose_memory,
      cut,
      late,
      lost_late,
      renewal_thread_serve,
      renewal_thread_hear,
      renewal_thread_turn,
      renewal_thread_repair,
      release,
      owner_serve,
      owner_extend,
      owner_hear,
      owner_turn,
      try_take,
      waiter_serve,
      waiter_hear,
      waiter_turn,
      waiter_release
    };
    Kind kind = Kind::tick;
    std::uint8_t server = 0;  // or which of what is late
  };
  [[nodiscard]] std::vector<Move> moves() const;
  void make(const Move& move) {
    act(move);
    forget_unwanted();
  }
  // What must never be; empty: all is well.
  [[nodiscard]] std::string violation() const;
  // Has B had the lock, or its owner extended it?
  [[nodiscard]] bool happened() const { return taken_over_ || extended_; }
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] static std::string to_string(const Move& move);

 private:
  enum class Who : std::uint8_t { nobody, a, b };
  enum class What : std::uint8_t { take, extend, repair, remove };
  struct Said {
    What what = What::remove;
    Who who = Who::a;
    int by = 0;
    std::uint8_t number = 0;  // of the operation that wants the answer; 0: none does
  };
  struct Heard {
    std::uint8_t number = 0;
    Asked::Said said = Asked::Said::nothing;
  };
  struct Wire {
    std::vector<Said> to_server;
    std::vector<Heard> answers;
  };
  using Wires = std::array<Wire, kAskedServers>;
  struct Server {
    Who holder = Who::nobody;
    int left = 0;
    int away = 0;
    bool stray = false;  // a repair came late that nobody could take back
  };
  // An operation under way, and how its answers are known.
  struct Call {
    Asked asked;
    std::uint8_t number = 0;
  };
  [[nodiscard]] static bool awaits(const Call& call, std::uint8_t number) {
    return call.asked.running() && call.number == number;
  }
  enum class LeaseDeadline : std::uint8_t { trusted, over, released };

  // The renewal thread (renewal_keeper.cpp).
  [[nodiscard]] bool renewal_thread_has_a_turn() const;
  void hear(Call& call, Wire& wire, std::size_t server) const;
  void renewal_thread_hear(std::size_t server);
  void renewal_thread_turn();
  void collect_extension();
  void attend();
  void repair();
  void end_repairing();
  void remove_repaired();
  void drop();

  // What is on its way (renewal_wires.cpp).
  void list_wires(std::vector<Move>& moves) const;
  void begin(Call& call, Asked::Kind kind, int by, Wires& wires, Who who, unsigned nodes = 7);
  // Sends what the machine of an operation that is over wants removed.
  void undo(const Call& call, Wires& wires, Who who, Operation& machine);
  void send(Wires& wires, std::size_t server, const Said& said) const;
  void serve(Wire& wire, std::size_t server);
  [[nodiscard]] Asked::Said execute(const Said& said, std::size_t server);
  // Answers that nobody waits for any more change nothing.
  void forget_unwanted();
  void lose_memory(std::size_t server);
  void cut(std::size_t server);

  // B, and time (renewal_world.cpp).
  void act(const Move& move);
  void waiter_decides();
  void owner_decides();
  void tick();
  [[nodiscard]] bool trusts() const {
    return lease_deadline_ == LeaseDeadline::trusted && instant_of(now_) < valid_until_;
  }
  [[nodiscard]] bool kept_for(Who who, int ticks) const;
  [[nodiscard]] bool left_behind(std::size_t server) const;
  [[nodiscard]] std::string bytes_of(std::size_t server) const;

  const RenewalSettings* settings_;
  int now_ = 0;
  std::array<Server, kAskedServers> servers_{};

  LeaseDeadline lease_deadline_ = LeaseDeadline::trusted;
  Instant valid_until_;
  Renewal renewal_;
  Call extend_;
  Call repair_;
  Call own_;                     // its owner's extend
  bool repaired_ = false;        // a vote, or it may be yet
  bool gone_ = false;            // the renewal thread has let go of the lease
  unsigned to_be_repaired_ = 0;  // a mask: it is about to ask these servers
  int repair_by_ = 0;
  Wires renewal_threads_{};
  Wires owners_{};

  Call take_;
  bool holding_ = false;
  Instant holds_until_;
  bool taken_over_ = false;
  bool extended_ = false;  // by its owner
  Wires waiters_{};

  std::vector<std::pair<std::uint8_t, Said>> late_;  // with the server
  int tries_ = 0;
  int extends_ = 0;
  int losses_ = 0;
  int cuts_ = 0;
};

}  // namespace redlock::exhaustive
