// redlock run: a command that holds a lock while it runs.
//
// One thread waits for everything at once: signals, the end of the command, the loss of the lease.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/no_lock.hpp"
#include "cli/signals.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// How often a group is looked at that was told to end, once its first process has.
constexpr auto kLookAgain = 20ms;

// Readable once it was set off, from any thread.
class Event {
 public:
  Event() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { close(descriptor_); }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  void set_off() const noexcept { (void)!eventfd_write(descriptor_, 1); }

 private:
  int descriptor_;
};

// While it lives, a signal that comes ends a wait for the lock. It is left for others to take.
class StopBySignal {
 public:
  explicit StopBySignal(const Signals& signals)
      : thread_([this, descriptor = signals.descriptor()] {
          std::array<pollfd, 2> polled{{{descriptor, POLLIN, 0}, {over_.descriptor(), POLLIN, 0}}};
          while (poll(polled.data(), polled.size(), -1) < 0 && errno == EINTR) {
          }
          if (polled[0].revents != 0) (void)stop_.request_stop();
        }) {}
  StopBySignal(const StopBySignal&) = delete;
  StopBySignal& operator=(const StopBySignal&) = delete;
  ~StopBySignal() { over_.set_off(); }

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  Event over_;
  std::jthread thread_;  // last: it ends before what it uses
};

Result ask(Client& client, const Run& asked, const std::stop_token& stop,
           const OnOutage& on_outage) {
  const std::string& first = asked.resources.front();
  if (asked.permits > 0) {
    return client.acquire_permit(first, asked.permits, asked.ttl, asked.wait, stop, on_outage);
  }
  if (asked.shared) return client.lock_shared(first, asked.ttl, asked.wait, stop, on_outage);
  return client.lock_all(asked.resources, asked.ttl, asked.wait, stop, on_outage);
}

Result take(Client& client, const Run& asked, const Signals& signals) {
  if (asked.wait <= 0ms) return ask(client, asked, {}, {});
  const StopBySignal stop(signals);
  return ask(client, asked, stop.token(),
             [](const Refusal& outage) { complain("still waiting: " + to_string(outage)); });
}

int refused(Client& client, const Run& asked, const Refusal& refusal) {
  if (refusal.decision == Decision::unreachable) {
    complain(to_string(refusal));
    return kUnreachable;
  }
  if (asked.permits > 0) {
    const std::string all = asked.permits == 1 ? "the only permit" : "every permit";
    if (!asked.quiet) complain("other clients hold " + all + " of " + quoted(asked.resources));
    return asked.busy;
  }
  std::vector<std::string> held;
  std::optional<std::string> unknown;
  for (const std::string& resource : asked.resources) {
    const Inspection seen = client.inspect(resource);
    if (is_no_lock(seen)) return complain_of_no_lock(resource);
    if (seen.majority.holder) held.push_back(resource);
    if (refusal.decision != Decision::denied && !seen.decided) unknown = resource;
  }
  // The lock may be free, and its fence's key something else.
  if (refusal.decision == Decision::foreign && held.empty()) {
    complain(to_string(refusal));
    return kUnreachable;
  }
  if (held.empty() && unknown) {
    complain("it is not known whether another client holds '" + *unknown +
             "': " + to_string(refusal));
    return kUnreachable;
  }
  // It may have gone since.
  const std::string what = held.empty() ? quoted(asked.resources, "or") : quoted(held);
  if (!asked.quiet) complain("another client holds " + what);
  return asked.busy;
}

// Where servers were in trouble the lock may be left there until its time is over.
void release(Lease& lock, const std::vector<std::string>& resources) {
  Refusal refusal{Decision::unreachable, {}};
  if (lock.release(&refusal.troubles) || refusal.troubles.empty()) return;
  complain("the lock on " + quoted(resources) +
           " could not be released, and may stay until its ttl ends: " + to_string(refusal));
}

// What the command finds in its environment. A fence or slot that we inherited belongs to another
// lock. Of several resources each has a line; a permit has the name of its slot.
std::vector<std::string> variables_of(const Lease& lock, const Run& asked) {
  const std::vector<std::string>& resources = asked.resources;
  std::string names = resources.front();
  for (std::size_t i = 1; i < resources.size(); ++i) (names += '\n') += resources[i];
  if (asked.permits > 0) names = lock.resource();
  const std::optional<std::int64_t> fence = lock.fence();
  return {
      "REDLOCK_RESOURCE=" + names, "REDLOCK_TOKEN=" + std::string(lock.token()),
      fence ? "REDLOCK_FENCE=" + std::to_string(*fence) : "REDLOCK_FENCE",
      asked.permits > 0 ? "REDLOCK_SLOT=" + names.substr(names.rfind(':') + 1) : "REDLOCK_SLOT"};
}

// For whoever started us.
int die(Client& client, int signal, Whom whom) {
  {
    // Its end delivers what is to be sent still.
    const Client delivered = std::move(client);
  }
  die_by(signal, whom);
  return kBySignal + signal;
}

struct Watched {
  Signals& passed_on;
  Signals children{SIGCHLD};
  Signals stops{SIGTSTP};
};

// The command, from its start to its end.
class Supervision {
 public:
  Supervision(const Run& asked, Watched& watched, Child& child, Lease& lease,
              const std::stop_token& lost)
      : asked_(asked), watched_(watched), child_(child), lease_(lease), on_loss_(lost, [this] {
          loss_.set_off();
        }) {}

  Ended attend() {
    for (;;) {
      const std::optional<Ended> ended = child_.ended();
      if (ended && may_leave()) return *ended;
      wait(ended ? until_look() : -1);
    }
  }
  [[nodiscard]] bool was_lost() const { return lost_; }
  // Whom it concerns that the command was ended by a signal. Of what was typed only the group
  // hears that has the terminal; a script that waits for us is to end with the command, though.
  [[nodiscard]] Whom concerned(int signal) const {
    return child_.has_terminal() && passed_on_ != signal ? Whom::group : Whom::process;
  }

 private:
  // Its group was told to end, and may still be at it.
  bool may_leave() {
    if (!lost_ || !child_.group_lives()) return true;
    if (steady_clock::now() < kill_at_) return false;
    child_.signal(SIGKILL);
    return true;
  }
  static int until_look() { return static_cast<int>(kLookAgain / 1ms); }

  void wait(int timeout_ms) {
    if (lost_ && !killed_) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(kill_at_ - steady_clock::now());
      const auto left_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
      timeout_ms = timeout_ms < 0 ? left_ms : std::min(timeout_ms, left_ms);
    }
    std::array<pollfd, 4> polled{{{watched_.passed_on.descriptor(), POLLIN, 0},
                                  {watched_.children.descriptor(), POLLIN, 0},
                                  {watched_.stops.descriptor(), POLLIN, 0},
                                  {lost_ ? -1 : loss_.descriptor(), POLLIN, 0}}};
    (void)poll(polled.data(), polled.size(), timeout_ms);
    while (const auto number = watched_.passed_on.take()) {
      passed_on_ = *number;
      child_.signal(*number);
      // Who was stopped, by reading a terminal that is not his, would never hear of it.
      child_.signal(SIGCONT);
    }
    while (watched_.children.take()) {
    }
    take_stops();
    if (polled[3].revents != 0 && !lost_) end_command();
    if (lost_ && !killed_ && steady_clock::now() >= kill_at_) {
      killed_ = true;
      child_.signal(SIGKILL);
    }
  }

  void take_stops() {
    const int stop = child_.stopped_by();
    const bool asks = stop == SIGTTIN || stop == SIGTTOU;
    const bool stopped = stop != 0 && !(asks && child_.lend_terminal()) && child_.has_terminal();
    // By Ctrl-Z, which the one of us gets who has the terminal.
    if (watched_.stops.take()) {
      stop_along(Whom::process);
    } else if (stopped) {
      stop_along(stop == SIGSTOP ? Whom::process : Whom::group);
    }
  }

  // Nobody keeps the lease meanwhile. Of what was typed only the command's group has heard.
  void stop_along(Whom whom) {
    child_.pause();
    stop_self(whom);
    if (!lost_ && !lease_.live()) end_command();
    child_.go_on();
  }

  void end_command() {
    lost_ = true;
    // A process that is stopped takes no SIGTERM.
    child_.signal(SIGTERM);
    child_.signal(SIGCONT);
    const auto now = steady_clock::now();
    const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(
        steady_clock::time_point::max() - now);
    kill_at_ = now + std::min(asked_.grace, longest);
    complain("the lock on " + quoted(asked_.resources) + " is lost; ending the command");
  }

  const Run& asked_;
  Watched& watched_;
  Child& child_;
  Lease& lease_;
  Event loss_;
  bool lost_ = false;
  bool killed_ = false;
  int passed_on_ = 0;
  steady_clock::time_point kill_at_;
  std::stop_callback<std::function<void()>> on_loss_;
};

}  // namespace

int run(Client& client, const Run& asked) {
  const sigset_t mask = signal_mask();
  // Where it is ignored, children vanish unseen.
  (void)signal(SIGCHLD, SIG_DFL);
  // Whoever read our messages may be gone: the command is to be ended all the same.
  const sighandler_t on_pipe = signal(SIGPIPE, SIG_IGN);
  Signals signals{SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
  const Signals terminal{SIGTTOU};

  Result lock = take(client, asked, signals);
  if (const std::optional<int> signal = signals.take()) {
    lock = Refusal{};
    return die(client, *signal, Whom::process);
  }
  if (!lock) return refused(client, asked, lock.refusal());

  // While we wait in line a Ctrl-Z is nothing special.
  Watched watched{signals};
  std::optional<KeepAlive> kept = lock->keep_alive(std::chrono::milliseconds::max());
  Ended ended{};
  Whom concerned = Whom::process;
  bool lost = false;
  try {
    Child child(asked.command, variables_of(*lock, asked), mask, on_pipe);
    Supervision supervision(asked, watched, child, *lock, kept->lost());
    ended = supervision.attend();
    concerned = supervision.concerned(ended.signal);
    lost = supervision.was_lost() || !lock->live();
  } catch (const CannotExecute& error) {
    complain(error.what());
    ended.status = error.status;
  }
  kept.reset();
  release(*lock, asked.resources);
  if (lost) return kLost;
  // By Ctrl-C or Ctrl-\: shells go on with a script where the status alone says so.
  if (ended.signal != SIGINT && ended.signal != SIGQUIT) return ended.status;
  lock = Refusal{};
  return die(client, ended.signal, concerned);
}

}  // namespace redlock::cli
