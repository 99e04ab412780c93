// One simulated world: servers, network, clients, faults and the checker, driven event by event.
//
// run_schedule() is the whole simulator as a function: seed in, result out. Worlds share nothing
// but the Lua interpreter, which keeps nothing between scripts. One thread per world.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "redlock/memory/script_engine.hpp"
#include "sim/checker.hpp"
#include "sim/client.hpp"
#include "sim/lua_engine.hpp"
#include "sim/network.hpp"
#include "sim/plan.hpp"
#include "sim/safety/removal_watch.hpp"
#include "sim/servers.hpp"
#include "sim/trace.hpp"

namespace redlock::sim {

struct ScheduleResult {
  std::uint64_t hash = 0;
  Model model = Model::inside;
  // The class that takes the schedule out of the model.
  FaultClass outside_class = FaultClass::count;
  std::vector<Violation> violations;
  // Of those, what no class from outside the model accounts for.
  std::vector<Violation> failures;
  FaultCounts fired{};
  std::uint64_t events = 0;
  std::uint64_t grants = 0;
  Judged judged{};
  Several several{};
  LineCounts lines{};
};

// Keeps the story when asked to; the run is the same either way.
[[nodiscard]] ScheduleResult run_schedule(std::uint64_t seed, const PlanWishes& wishes,
                                          memory::ScriptEngine& engine, Story* story = nullptr);

class World final : public NetworkEnds, public ServerObserver, public PushSink {
 public:
  World(std::uint64_t seed, const Plan& plan, memory::ScriptEngine& engine, Trace& trace);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  ScheduleResult run();

 private:
  enum class ServerState { running, refusing, silent };
  // One server with the machine around it, and what changes in its keyspace.
  struct Machine final : KeyspaceObserver {
    Machine(World& owner, std::uint32_t position, std::int64_t rate_ppm);
    void key_changes(const Entry* before, const Entry* after) override;

    World& world;
    std::uint32_t index;
    SimClock clock;
    Server server;
    ServerState state = ServerState::running;
    std::uint64_t incarnation = 0;
    std::int64_t frozen_until_ns = 0;
    std::int64_t crashed_ns = 0;
    FaultClass crash_class = FaultClass::crash_keep;
    FaultClass hostile = FaultClass::count;  // how answers are spoiled
    std::int64_t hostile_until_ns = 0;
  };

  void take_next();
  bool pump(std::int64_t until_ns);
  void take(const Event& event);
  void note_end(const Connection& connection);
  void check_undone(Client& client, const Event& event);
  [[nodiscard]] bool settled() const;
  void begin_probe();

  // NetworkEnds
  Reachable server_reachable(std::uint32_t server) override;
  void server_accepts(Connection& connection) override;
  void server_receives(Connection& connection, std::string_view bytes) override;
  void server_sees_end(Connection& connection) override;
  void client_ready(std::uint32_t client) override;
  std::int64_t client_deadline_ns(std::uint32_t client) override;
  void held_back(std::int64_t until_ns) override { checker_.troubled(until_ns); }
  // What was answered before that says nothing of what comes behind.
  void breaks(const Connection& connection) override {
    checker_.struck(connection.client, connection.server);
  }
  std::int64_t client_sends_from_ns(std::uint32_t client) override;
  // PushSink
  bool push(std::uint64_t session, std::string_view bytes) override;
  // ServerObserver
  void command_begins(const ServerSession& session, const Arguments& arguments) override;
  void published(std::string_view channel, std::string_view message,
                 std::int64_t receivers) override;
  void command_executed(const ServerSession& session, const Arguments& arguments,
                        std::string& answer) override;

  void execute(Machine& machine, Connection& connection, std::string_view bytes);
  void count_refusal(Machine& machine, std::string_view answer);
  bool spoil(Machine& machine, const Arguments& arguments, std::string& answer);

  // Faults: world_faults.cpp.
  void take_fault(const FaultPlan& fault, bool begins);
  void cut_bytes();
  void count_struck();
  static bool strikes_opening(FaultClass fault_class);
  static bool goes_back(const Plan& plan);
  void strike_opening(const FaultPlan& fault, Link& link);
  void strike_links(const FaultPlan& fault);
  void strike_connection(const FaultPlan& fault);
  static bool strikes_connection(const FaultPlan& fault, const Connection& connection);
  void drop_listeners(Machine& machine);
  void strike_server(const FaultPlan& fault, Machine& machine, bool begins);
  bool strike_data(const FaultPlan& fault, Machine& machine);
  void strike_clock(const FaultPlan& fault, Machine& machine);
  void strike_client(const FaultPlan& fault, Client& client, bool begins);
  void crash(const FaultPlan& fault, Machine& machine);
  void restart(Machine& machine, std::uint64_t incarnation);
  void begin_life(Machine& machine);
  [[nodiscard]] std::int64_t votes_from_ns(const FaultPlan& fault, const Machine& machine) const;
  void freeze(Machine& machine, std::int64_t until_ns);
  void thaw(Machine& machine);
  void drop_connections(Machine& machine, bool tell);
  void fired(FaultClass fault_class, std::uint64_t times = 1) {
    fired_[static_cast<std::size_t>(fault_class)] += times;
  }

  const Plan& plan_;
  Trace& trace_;
  memory::ScriptEngine& engine_;
  std::int64_t now_ns_ = 0;
  Random random_;
  EventQueue queue_;
  FaultCounts fired_;
  Network network_;
  std::vector<std::unique_ptr<Machine>> machines_;
  Checker checker_;
  RemovalWatch removals_;
  Scene scene_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::int64_t healed_ns_ = 0;
  const std::int64_t schedule_max_ns_;
  std::string answers_;  // kept for its memory
  Deed deed_;            // of the command that is being executed
  std::uint64_t events_ = 0;
};

}  // namespace redlock::sim
