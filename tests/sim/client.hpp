// One process of the simulated world: when it runs, pauses and dies.
//
// What it does with its turns is said by the derived classes. A process runs only in turns; a
// turn comes when the network has something for it or when the moment it asked for is there.
// One thread; lives for one schedule.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "sim/checker.hpp"
#include "sim/event_queue.hpp"
#include "sim/host_clock.hpp"
#include "sim/host_process.hpp"
#include "sim/network.hpp"
#include "sim/plan.hpp"
#include "sim/safety/removal_watch.hpp"
#include "sim/sim_transport.hpp"
#include "sim/trace.hpp"

namespace redlock::sim {

// What all actors share; outlives them.
struct Scene {
  const Plan& plan;
  EventQueue& queue;
  Network& network;
  Checker& checker;
  RemovalWatch& removals;
  Trace& trace;
  const std::int64_t& now_ns;
  FaultCounts& fired;
  // Takes one event, if there is one until then; else only lets that moment come, and gives false.
  std::function<bool(std::int64_t until_ns)> pump;
};

// Does anybody hear of it? The kernel ends a process's connections, and a machine without power
// none.
enum class Death { told, silent };

class Client {
 public:
  Client(Scene& scene, std::uint32_t id, std::uint64_t seed);
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The event that `schedule` asked for; events that were overtaken are ignored.
  void take_turn(std::int64_t event_ns);
  // The network has something.
  void wake() { schedule(scene_.now_ns); }

  // Faults, armed for a turn by its number from here on.
  void arm_pause(std::uint64_t turns_ahead, std::int64_t for_ns, bool within_step);
  void arm_kill(std::uint64_t turns_ahead, Death death) {
    kill_at_ = turns_ + turns_ahead;
    death_ = death;
  }
  void arm_exit() { exits_ = true; }
  void arm_give_up(std::uint64_t turns_ahead) { give_up_at_ = turns_ + turns_ahead; }
  // Where it is neither working nor exiting by then.
  void arm_request_end(std::uint64_t turns_ahead) { request_end_at_ = turns_ + turns_ahead; }
  // Between two turns, or in a signal handler in the midst of the next wait.
  void arm_fork(std::uint64_t turns_ahead, bool in_wait);
  void disarm() {
    kill_at_ = pause_at_ = give_up_at_ = request_end_at_ = fork_at_ = 0;
    exits_ = false;
  }
  // Signals come now, so many.
  void interrupt(int times);
  // The machine sleeps from now on, and its timers with it.
  void suspend(std::int64_t for_ns);
  // It makes its crowd of calls now.
  void arm_crowd() {
    crowd_due_ = true;
    wake();
  }
  void arm_overstay(std::int64_t for_ns) { overstay_ns_ = for_ns; }
  void set_reply_at_timeout(bool on) { reply_at_timeout_ = on; }
  void set_rate(std::int64_t ppm) { clock_.set_rate(scene_.now_ns, ppm); }
  void step_wall_clock(std::int64_t by_ns);

  [[nodiscard]] bool alive() const { return alive_; }
  // Ended of its own accord.
  [[nodiscard]] bool exited() const { return exited_; }
  [[nodiscard]] bool legacy() const { return behaviour().legacy; }
  // Neither calling about the resource nor holding it.
  [[nodiscard]] virtual bool idle(std::uint32_t resource) const = 0;
  [[nodiscard]] bool gave_up_connection() const { return transport_.gave_up(); }
  // Grows with every rest between two cycles.
  [[nodiscard]] std::uint64_t rests(std::uint32_t resource) const { return rests_[resource]; }
  // What its turns have taken since it came to rest with this, or since this was asked last.
  [[nodiscard]] std::int64_t take_steps_since_rest(std::uint32_t resource) {
    return steps_ns_ - std::exchange(rested_steps_ns_[resource], steps_ns_);
  }
  [[nodiscard]] virtual bool finished() const = 0;
  // Starts the final attempt, which must succeed. False: this client cannot.
  virtual bool begin_probe() { return false; }

  [[nodiscard]] std::int64_t sends_from_ns() const {
    return std::max(sends_from_ns_, time_.now_ns());
  }
  [[nodiscard]] std::int64_t deadline_ns() const { return reply_at_timeout_ ? deadline_ns_ : 0; }

 protected:
  // Does what is due; called in a turn.
  virtual void act() = 0;
  // When the next turn is wanted, in true time; kForever: only when the network has something.
  virtual std::int64_t next_turn_ns() = 0;
  // Is it in a call that waits for the network?
  [[nodiscard]] virtual bool calling() const = 0;
  virtual void on_death() = 0;
  // What the classes of the same names do to a process that runs the production code.
  virtual void give_up_call() {}
  virtual void end_request() {}
  virtual bool may_end_request() const { return false; }
  virtual void become_child() {}
  virtual void begin_crowd() {}

  void schedule(std::int64_t at_ns);
  [[nodiscard]] const ClientPlan& behaviour() const { return scene_.plan.clients[id_]; }
  [[nodiscard]] std::int64_t local_now() const { return clock_.at(time_.now_ns()); }
  // The process ends: on_death() runs while the world goes on around it.
  void exit();
  // Runs what waits by itself, while the world goes on around it.
  void run_blocking(const std::function<void()>& run);
  // A fork: from now on this is the child, and the parent is at rest for good.
  void fork();
  [[nodiscard]] std::int64_t now_ns() const { return time_.now_ns(); }
  void fired(FaultClass fault_class) { ++scene_.fired[static_cast<std::size_t>(fault_class)]; }
  // A call waits for so long for something that is not its own.
  void note_paused(std::int64_t for_ns) { paused_ns_ += for_ns; }
  // One that waits in line, or not.
  void begin_call(std::uint32_t resource, bool waits = false);
  void end_call(std::uint32_t resource, std::int64_t budget_ns);
  // It ends before its time.
  void leave_call(std::uint32_t resource);
  // It is at rest with the resource from now on, and this turn goes on.
  void note_rest(std::uint32_t resource) { rested_steps_ns_[resource] = steps_ns_; }
  void note(const std::string& text);
  void begin_hold_story(std::uint32_t resource, std::int64_t until_ns);
  void end_hold_story(std::uint32_t resource);

  Scene& scene_;
  std::uint32_t id_;
  Random random_;
  SimClock clock_;                 // goes on whatever is done to the wall clock
  std::int64_t wall_step_ns_ = 0;  // the sum of what was done to it
  HostTime time_;
  ProcessMark mark_{1, 1};
  SimTransport transport_;
  std::int64_t overstay_ns_ = 0;
  std::int64_t deadline_ns_ = 0;  // the call's next time-out, in true time
  std::array<std::uint64_t, kResourcesMax> rests_{};
  bool exits_ = false;  // after its next release

 private:
  void die();
  // Its locks are nobody's any more.
  void end_holds();
  void pause_if_armed();
  void stand_still(std::int64_t for_ns);
  // A turn's own time is over before the next begins.
  void let_pass();

  bool alive_ = true;
  bool blocking_ = false;
  bool forks_in_wait_ = false;
  bool crowd_due_ = false;
  std::uint64_t give_up_at_ = 0;
  std::uint64_t request_end_at_ = 0;
  std::uint64_t fork_at_ = 0;
  bool exited_ = false;
  bool reply_at_timeout_ = false;
  std::uint64_t turns_ = 0;
  std::uint64_t kill_at_ = 0;
  Death death_ = Death::told;
  std::uint64_t pause_at_ = 0;
  std::int64_t pause_for_ns_ = 0;
  bool pause_within_ = false;
  std::int64_t paused_until_ns_ = 0;
  std::int64_t sends_from_ns_ = 0;
  std::int64_t scheduled_ns_ = kForever;
  // When a call began, and how much had been paused and stepped by then.
  struct Call {
    std::int64_t began_ns = 0;   // on the client's clock
    std::int64_t paused_ns = 0;  // true time
    std::int64_t steps_ns = 0;   // what its own turns took, true time
  };
  std::array<Call, kResourcesMax> calls_{};
  std::int64_t paused_ns_ = 0;  // ever, as the next
  std::int64_t steps_ns_ = 0;
  std::array<std::int64_t, kResourcesMax> rested_steps_ns_{};
  std::array<std::size_t, kResourcesMax> hold_spans_{};  // positions in the story, from 1
};

}  // namespace redlock::sim
