// The rules of a small world: which moves a state allows, and what each does to it.
//
// The clients' decisions are the production machines' (MachineTable), the servers' are the
// production commands and scripts (ServerStep). What is written here is what lies between: the
// connections, as net/node and wire/session treat them, time, and faults. That part is freer
// than the product wherever it can be: messages take any time, a turn of a client's event loop
// comes at any moment allowed. Per connection requests are executed in order and answers come in
// order; an overdue answer ends the connection, which is closed as soon as the operations with open
// takes on it are decided, with their undo behind the take; a connection that broke leaves its
// removals to the next one; a server that is left alone is asked when a majority needs it.
// The product's own reactor, nodes and sessions are compared with this, see comparison.hpp.
// One thread.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "exhaustive/machine_table.hpp"
#include "exhaustive/server_step.hpp"
#include "exhaustive/settings.hpp"
#include "exhaustive/state.hpp"

namespace redlock::exhaustive {

class World {
 public:
  explicit World(const Settings& settings);

  [[nodiscard]] State root() const;
  void list_moves(const State& state, std::vector<Move>& moves) const;
  // Makes the move; returns what it has broken, or an empty text.
  std::string apply(State& state, const Move& move);
  // What is wrong with the state itself, or an empty text. `known_case` names the impossible case
  // of a mixed fleet that explains it; null when it has none.
  std::string check(const State& state, const char*& known_case) const;
  // What must hold where nothing can happen any more.
  [[nodiscard]] std::string check_end(const State& state) const;

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] MachineTable& machines() { return machines_; }
  [[nodiscard]] const MachineTable& machines() const { return machines_; }
  [[nodiscard]] const CommandBook& book() const { return book_; }
  [[nodiscard]] const ServerStep& servers() const { return server_step_; }
  [[nodiscard]] CommandBook& book() { return book_; }

  // For whoever compares this with the product: in which order servers are dealt with in a turn,
  // and what the operations are told.
  void set_order(const std::array<Byte, kServersMax>& order) { order_ = order; }
  // Something is due at this client, or may be within less than a tick.
  [[nodiscard]] bool wants_turn(const State& state, int client) const;
  void tell_inputs(std::vector<Input>* told) { told_ = told; }

 private:
  // One turn of a client's event loop.
  struct Turn {
    int client = 0;
    unsigned refused = 0;  // mask of servers that are backed off from
    std::deque<std::pair<Input, Message>> arrivals;
  };

  [[nodiscard]] bool follows_scripts() const { return (settings_.faults & kFlush) != 0; }
  bool apply_client_move(State& state, const Move& move);
  void apply_other_move(State& state, const Move& move);

  // Moves of native clients (world_clients.cpp).
  void list_client(const State& state, int client, std::vector<Move>& moves) const;
  void list_with_backoff(const State& state, Move move, std::vector<Move>& moves) const;
  [[nodiscard]] bool urgent(const State& state, int client) const;
  [[nodiscard]] static bool overdue(const Link& link);
  [[nodiscard]] static bool any_overdue(const State& state, int client);
  void begin(State& state, Turn& turn, const Root& root, Phase phase);
  void feed(State& state, Turn& turn, const Input& input);
  void follow(State& state, Turn& turn, const Transition& transition);
  void hear(State& state, Turn& turn, const Input& input, const Message& message);
  void settle(State& state, Turn& turn);
  void finish_operation(State& state, int client);
  void finish_round(State& state, int client);
  void deliver(State& state, const Move& move);
  void take_turn(State& state, const Move& move);
  void release(State& state, const Move& move);

  // Requests, and servers that are left alone (world_requests.cpp).
  void send(State& state, Turn& turn, const Emission& emission);
  void ask(State& state, Turn& turn, Message message, int server, bool whatever);
  // Of what a machine asks nothing at.
  void tell(Client& client, const Input& input);
  void tidy_up(State& state, Turn& turn, const Message& message, int server);
  void keep(State& state, int client, const Message& message, int server);
  void review_hedged(State& state, Turn& turn);
  void release_hedged(State& state, Turn& turn, bool ask_all, bool leave);
  void withdraw(State& state, Turn& turn);

  // Connections (world_links.cpp).
  // Gives the command that is to be asked now.
  [[nodiscard]] Byte give_up_overdue(State& state, Turn& turn, const Emission& emission,
                                     const Message& message);
  void open_link(State& state, int client, int server);
  void append(Link& link, const Message& message);
  void write(Link& link, Message& message) const;
  void admit(State& state, const Move& move);
  // Does its client still wait for the answer?
  [[nodiscard]] bool is_current(const State& state, int client, const Message& message) const;
  [[nodiscard]] bool same_lock(const Message& a, const Message& b) const;
  void repeat_as_text(State& state, Turn& turn, const Message& message, int server);
  // What is not written, is no removal and is no longer wanted.
  void flush_link(State& state, Turn& turn, int server);
  void drop_unwritten(Link& link, const std::array<bool, kQueueMax>& useless) const;
  // Tells the operation that nothing will come, and begins to close.
  void fail_link(State& state, Turn& turn, int server, Heard heard, bool usable);
  void fail_held_link(Turn& turn, Link& link, int server);
  // Lets go of it; what it can no longer remove is left to the next connection.
  void close_link(State& state, int client, int server);
  // Does an undecided operation have an unanswered take here that no removal follows?
  [[nodiscard]] bool awaits_verdict(const State& state, int client, int server) const;
  void abandon(State& state, int client, int server);
  static void add_zombie(Link& link, Zombie zombie);

  // Servers, time and faults (world_servers.cpp, world_faults.cpp).
  void list_servers(const State& state, std::vector<Move>& moves) const;
  void list_faults(const State& state, std::vector<Move>& moves) const;
  void list_time(const State& state, std::vector<Move>& moves) const;
  bool execute(State& state, int client, int server, int command, int round);
  void execute_head(State& state, int client, int server);
  void execute_zombie(State& state, const Move& move);
  void advance_clock(State& state) const;
  [[nodiscard]] int stands_for(const Server& server) const;
  void gain(State& state);
  void tick(State& state);
  void tick_client(State& state, int client);
  static void expire(Server& server);
  void crash(State& state, int server, bool instant);
  void flush(State& state, int server);
  void notice(State& state, const Move& move);
  void kill(State& state, int client);

  // Legacy clients (world_legacy.cpp).
  void list_legacy(const State& state, int client, std::vector<Move>& moves) const;
  [[nodiscard]] int stamp_left(const State& state, int left) const;
  void legacy_execute(State& state, int client);
  void legacy_acquire(State& state, Client& client);
  void legacy_lose(Client& client) const;
  void legacy_win(Client& client) const;

  // Properties (world_checks.cpp).
  [[nodiscard]] bool holds(const State& state, int client) const;
  [[nodiscard]] bool protects(const State& state, int client) const;
  // For how many ticks the client may have to rely on what the server has promised it; 0: not.
  [[nodiscard]] int needs(const State& state, int client) const;
  void note_robbery(const State& before, State& after, int thief, Robbery how) const;
  [[nodiscard]] std::string check_keys(const State& state) const;
  [[nodiscard]] bool has_renewal_thread(const State& state, int server) const;

  void blame(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }

  Settings settings_;
  CommandBook book_;
  MachineTable machines_;
  ServerStep server_step_;
  std::string wrong_;  // of the move being made
  std::array<Byte, kServersMax> order_{0, 1, 2};
  std::vector<Input>* told_ = nullptr;
};

// Moves, states and commands for people (world_print.cpp).
[[nodiscard]] std::string command_name(const World& world, int command, int round);
[[nodiscard]] std::string describe(const World& world, const State& before, const Move& move);
[[nodiscard]] std::string describe(const World& world, const State& state);

}  // namespace redlock::exhaustive
