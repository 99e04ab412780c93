// Watches a simulated world with knowledge that no client has, and says what must not be.
//
// It hears of every command executed, every key changed, every lock granted, used and given up,
// and is asked after every event. One thread; lives for one schedule.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/algorithm/outcome.hpp"
#include "sim/liveness/availability.hpp"
#include "sim/liveness/leftovers.hpp"
#include "sim/liveness/waits.hpp"
#include "sim/plan.hpp"
#include "sim/record/deed.hpp"
#include "sim/record/line_book.hpp"
#include "sim/record/links.hpp"
#include "sim/record/violation.hpp"
#include "sim/safety/line_twin.hpp"
#include "sim/servers.hpp"
#include "sim/sim_clock.hpp"

namespace redlock::sim {

inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

// What the checker may look at.
struct ServerView {
  Keyspace* keyspace = nullptr;
  const SimClock* clock = nullptr;
  // Until then a server that lost data lets nobody in; 0 for all others.
  std::int64_t down_until_ns = 0;
  const Conditions* conditions = nullptr;  // null: nothing is the matter with it
};

// How often each property was held against what happened; only of those that need an occasion.
using Judged = std::array<std::uint64_t, kViolationKinds>;

class Checker {
 public:
  // The plan must outlive the checker.
  Checker(const Plan& plan, std::vector<ServerView> servers);

  void set_now(std::int64_t now_ns) { now_ns_ = now_ns; }
  [[nodiscard]] ServerView& server(std::uint32_t index) { return servers_[index]; }

  // Must outlive the checker; without, every connection is sound.
  void watch(const Links& links);

  // A client's command is executed from now on.
  void command_begins(const Origin& origin, const Deed& deed);
  // Meanwhile; negative `receivers`: the server would not publish it.
  void published(std::string_view channel, std::string_view message, std::int64_t receivers) {
    if (judges_line_) twin_.published(channel, message, receivers);
  }
  // A client's command was executed; `answer` is what the server meant to say.
  void command_executed(const Origin& origin, const Deed& deed, std::string_view answer);
  // `client` is nothing when no client's command did it.
  void key_changes(std::optional<std::uint32_t> client, std::uint32_t server, const Entry* before,
                   const Entry* after);

  // The client was told that it holds the lock `value` until `until_ns`.
  void granted(Contender party, const std::string& value, std::int64_t until_ns);
  // The same lock was prolonged.
  void extended(Contender party, const std::string& value, std::int64_t until_ns);
  // The client is about to give its lock the token `fresh`, and believes in it until `until_ns` at
  // most. Until it is told what came of that its keys hold the one token or the other.
  void shortens(Contender party, const std::string& fresh, std::int64_t until_ns);
  // The lock that is being shortened is somebody else's from now on, who trusts it for as long and
  // knows nothing of what becomes of the call: neither token need be removed.
  void transferred(Contender party);
  // It was told that a majority holds the fresh token, which is trusted until then.
  void shortened(Contender party, const std::string& held, const std::string& fresh,
                 std::int64_t until_ns);
  // It was not, and the lock is over; or it has ended otherwise before that was known.
  void not_shortened(Contender party, const std::string& held);
  // Whatever came of it counts for nothing: the lock was shortened further meanwhile, or passed on.
  // Both tokens are given back like released locks.
  void overtaken(Contender party, const std::string& held, const std::string& fresh);
  // The client works on though its lease may be over.
  void overstays(Contender party);
  // The client has stopped using the lock.
  void given_up(Contender party);
  // All of its locks: its process has ended.
  void all_given_up(std::uint32_t client);
  // Before that: nobody can see it, for its connections stand.
  void falls_silent(std::uint32_t client);
  // What a call reported, server by server. `token` is empty when it is not known.
  void reported(Contender party, Verb verb, std::string_view token, const Outcome& outcome);
  // What came of an extend or a check whose lock was released while it was under way.
  void reported_of_released(Contender party, const Outcome& outcome);
  // The client calls; to take a lock that it waits for, or not.
  void begins(Contender party, bool waits = false);
  // The server has no room for a new connection of the client's.
  void turned_away(std::uint32_t client, std::uint32_t server) {
    waits_.turned_away(client, server, now_ns_);
  }
  // A client does nothing until then, or what a server said reaches it no sooner. Of a push that
  // may be a heartbeat later, when the fault that holds it back is long over.
  void troubled(std::int64_t until_ns) { waits_.troubled(until_ns); }
  // What the server says to a client that asks for a channel to listen to.
  void asked_to_be_heard(std::uint32_t client, std::uint32_t server, std::string_view answer);
  // The server has lost whatever was done there since then.
  void went_back(std::uint32_t server, std::int64_t to_ns) {
    leftovers_.note_went_back(server, to_ns);
  }
  // From here to there so many calls are under way that there may be no room for others, and that
  // of the removals for a silent server the oldest are forgotten.
  void crowd_begins(std::uint32_t client);
  void crowd_ends(std::uint32_t client);
  // A connection between the two is struck.
  void struck(std::uint32_t client, std::uint32_t server) {
    availability_.struck(client, server, now_ns_);
  }
  // A call took `took_ns` of the client's clock, of which it was paused `paused_ns`.
  void returned(Contender party, std::int64_t took_ns, std::int64_t paused_ns,
                std::int64_t budget_ns);
  // Nothing may be left of this client's failed attempts at the resource, nor of its released locks
  // unless it had given up a connection: then a release may wait for the next one.
  void check_undone(Contender party, bool gave_up_connection);

  // From now on calls have times of their own.
  void final_attempt() { final_attempt_ = true; }
  void after_event();
  void report(ViolationKind kind, std::string text);
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  [[nodiscard]] std::uint64_t grant_count() const { return grant_count_; }
  [[nodiscard]] LineCounts& line_counts() { return line_counts_; }
  // How often there was something to judge: a property that nothing was held against shows nothing.
  [[nodiscard]] const Judged& judged() const { return judged_; }

 private:
  struct Hold {
    bool active = false;
    std::string value;
    std::int64_t until_ns = 0;
    std::vector<std::string> before{};  // the tokens that were exchanged for it, as far as is known
    std::uint32_t exchanges = 0;        // the calls under way that do so, one inside the other
    [[nodiscard]] bool holds(std::string_view token) const {
      return token == value || std::ranges::find(before, token) != before.end();
    }
  };
  struct Mark {
    std::uint64_t token = 0;
    bool granted = false;
  };
  // What one server did for one client, by verb; the newest last.
  using Deeds = std::vector<Mark>;
  struct Owned {
    std::uint64_t value = 0;
    std::uint32_t client = 0;
    std::int64_t gone_by_ns = kForever;
  };

  // When a token's takes were written, whichever the server.
  struct Written {
    std::uint64_t token = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
  };

  void check_in_time(Contender party, const Deed& deed, std::int64_t written_ns);
  [[nodiscard]] LineView look_at(std::uint32_t server, std::string_view key) const;
  void end_line_command(const Origin& origin, const Deed& deed, std::string_view answer);
  void note_handed(const Origin& origin, const std::string& value);
  // The waits for it, as things are now.
  void review_waits(std::uint32_t resource);
  void end_wait(Contender party);
  void check_order(Contender party, std::string_view value);
  void check_dead(std::uint32_t server, const LineView& after);
  void check_given_away(std::uint32_t client, std::uint32_t server, const Entry& before);
  [[nodiscard]] std::uint32_t owner_of(std::uint32_t executing, std::string_view value);
  // Calls `visit(token)` for each that stands in this line and was `client`'s, but for those that
  // had left it in what the server has lost since: lines outlast that it is down.
  void for_each_standing(std::uint32_t client, std::uint32_t server, std::string_view key,
                         const std::function<void(std::uint64_t)>& visit);
  void check_leftovers(const Origin& origin, const Deed& deed);
  void check_released(Contender party, std::string_view value);
  void check_replies(Contender party, Verb verb, std::string_view token, const Outcome& outcome);
  void check_refused(Contender party, const Outcome& outcome);
  [[nodiscard]] bool stands(std::uint32_t server, std::string_view value) const;
  [[nodiscard]] std::int64_t gone_by(Contender party, std::uint64_t value,
                                     const Owned* known) const;
  // For `value`, and whether it stood there already.
  [[nodiscard]] std::int64_t ttl_asked_for(Contender party, std::uint64_t value, bool known) const;
  void end_exchange(Contender party);
  [[nodiscard]] bool was_transferred(std::uint64_t value) const;
  void note_judged(ViolationKind kind, std::uint64_t times = 1) {
    judged_[static_cast<std::size_t>(kind)] += times;
  }
  [[nodiscard]] std::size_t place_of(Contender party) const {
    return party.client * plan_.resources + party.resource;
  }
  [[nodiscard]] Hold& hold_of(Contender party) { return holds_[place_of(party)]; }
  [[nodiscard]] Deeds& deeds(Contender party, std::uint32_t server, Verb verb);
  [[nodiscard]] Owned* owned(std::uint32_t server, std::string_view value);
  [[nodiscard]] bool held_now(std::string_view value) const;
  void check_created(std::uint32_t client, std::uint32_t owner, std::uint32_t server,
                     const Entry* before, const Entry& after);
  void check_removed(std::uint32_t client, std::uint32_t server, const Entry& before);
  [[nodiscard]] bool was_granted(std::uint64_t token) const {
    return std::ranges::find(granted_, token) != granted_.end();
  }
  [[nodiscard]] bool may_linger(Contender party, std::uint32_t server, std::uint64_t token,
                                bool gave_up_connection);
  void check_overlap(Contender party, std::int64_t until_ns);
  // `made_by` is what set the keys anew, where that is to be seen.
  void check_majority(Contender party, const Hold& hold, std::optional<Verb> made_by);
  void check_held_majority(Contender party);
  // When a majority may be had by others.
  [[nodiscard]] std::int64_t majority_ends(const Hold& hold);
  [[nodiscard]] std::int64_t blocked_until(std::uint32_t server, const Hold& hold);

  const Plan& plan_;
  std::vector<ServerView> servers_;
  const Links* links_ = nullptr;
  const bool lines_;  // does anybody wait?
  LineBook book_;
  LineTwin twin_;
  Waits waits_;
  LineCounts line_counts_;
  bool judges_line_ = false;  // for the command that is being executed
  std::uint64_t passes_ = 0;  // the token that it passes; 0: none
  // What that has set for somebody else, by its short name; 0: nothing.
  std::uint64_t set_for_another_ = 0;
  Leftovers leftovers_;
  Availability availability_;
  Judged judged_{};
  std::vector<Hold> holds_;  // by place
  std::vector<Deeds> deeds_;
  std::vector<std::vector<Owned>> owned_;  // by server
  std::vector<Violation> violations_;
  std::vector<Written> written_;
  std::vector<std::vector<std::int64_t>> returns_;  // by place: when its calls returned
  std::uint64_t grant_count_ = 0;
  std::vector<std::uint64_t> granted_;  // the values of all locks that were ever granted
  std::vector<std::uint64_t> fresh_;    // of those, what others were exchanged for
  std::vector<std::uint64_t> transferred_;
  std::int64_t now_ns_ = 0;
  // The swap that is being executed: by whom, and of what for what; 0: none.
  struct Swap {
    std::uint32_t client = 0;
    std::uint64_t held = 0;
    std::uint64_t fresh = 0;
  };
  Swap swap_;
  // Somebody's command has removed a held lock from a server, or shortened it there.
  bool held_removed_ = false;
  bool final_attempt_ = false;
  std::optional<std::uint32_t> crowded_;  // the client whose crowd is under way
  // No key can be overdue before.
  std::int64_t earliest_gone_by_ns_ = kForever;
};

}  // namespace redlock::sim
