// Watches a simulated world with knowledge that no client has, and says what must not be.
//
// It hears of every command executed, every key changed, every lock granted, used and given up, and
// is asked after every event. What it hears it writes into the record, and then asks the properties
// that it may matter to: those of safety/, which know no excuse, and those of liveness/, which
// excuse what the table there says. One thread; lives for one schedule.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/liveness/availability.hpp"
#include "sim/liveness/budget.hpp"
#include "sim/liveness/dead_in_line.hpp"
#include "sim/liveness/in_time.hpp"
#include "sim/liveness/leftovers.hpp"
#include "sim/liveness/undone.hpp"
#include "sim/liveness/waits.hpp"
#include "sim/record/record.hpp"
#include "sim/safety/answers.hpp"
#include "sim/safety/expiry.hpp"
#include "sim/safety/fences.hpp"
#include "sim/safety/inside.hpp"
#include "sim/safety/keys.hpp"
#include "sim/safety/line_service.hpp"
#include "sim/safety/majority.hpp"
#include "sim/safety/order.hpp"
#include "sim/safety/released.hpp"
#include "sim/safety/two_holders.hpp"
#include "sim/safety/vote_given_away.hpp"

namespace redlock::sim {

class Checker {
 public:
  // The plan must outlive the checker.
  Checker(const Plan& plan, std::vector<ServerView> servers);

  void set_now(std::int64_t now_ns) { record_.now_ns = now_ns; }
  [[nodiscard]] ServerView& server(std::uint32_t index) { return record_.servers[index]; }

  // Must outlive the checker; without, every connection is sound.
  void watch(const Links& links) { record_.links = &links; }

  // A client's command is executed from now on.
  void command_begins(const Origin& origin, const Deed& deed);
  // Meanwhile; negative `receivers`: the server would not publish it.
  void published(std::string_view channel, std::string_view message, std::int64_t receivers) {
    if (record_.plan.admits_several()) return;
    line_service_.published(channel, message, receivers);
  }
  // A client's command was executed; `answer` is what the server meant to say.
  void command_executed(const Origin& origin, const Deed& deed, std::string_view answer);
  // `client` is nothing when no client's command did it.
  void key_changes(std::optional<std::uint32_t> client, std::uint32_t server, const Entry* before,
                   const Entry* after);

  // The client was told that it holds the lock `value` until `until_ns`.
  void granted(Contender party, const std::string& value, std::int64_t until_ns);
  // With this fence; 0: with none, though it had asked for one.
  void fenced(Contender party, std::int64_t fence) { fences_.judge(party, fence); }
  // Where several may be inside: the client is, until then; `alone`: nobody else may be. Gives how
  // many others are.
  std::uint32_t inside(Contender party, bool alone, std::int64_t until_ns) {
    return judge_inside(record_, party, alone, until_ns);
  }
  // The same lock was prolonged.
  void extended(Contender party, const std::string& value, std::int64_t until_ns);
  // The client is about to give its lock the token `fresh`, and believes in it until `until_ns` at
  // most. Until it is told what came of that its keys hold the one token or the other.
  void shortens(Contender party, const std::string& fresh, std::int64_t until_ns) {
    record_.shortens(party, fresh, until_ns);
  }
  // The lock that is being shortened is somebody else's from now on, who trusts it for as long and
  // knows nothing of what becomes of the call: neither token need be removed.
  void transferred(Contender party) { record_.transferred(party); }
  // It was told that a majority holds the fresh token, which is trusted until then.
  void shortened(Contender party, const std::string& held, const std::string& fresh,
                 std::int64_t until_ns);
  // It was not, and the lock is over; or it has ended otherwise before that was known.
  void not_shortened(Contender party, const std::string& held) {
    record_.not_shortened(party, held);
  }
  // Whatever came of it counts for nothing: the lock was shortened further meanwhile, or passed on.
  // Both tokens are given back like released locks.
  void overtaken(Contender party, const std::string& held, const std::string& fresh) {
    record_.overtaken(party, held, fresh);
  }
  // The client works on though its lease may be over.
  void overstays(Contender party) { record_.hold_of(party).until_ns = kForever; }
  // The client has stopped using the lock.
  void given_up(Contender party) { record_.hold_of(party).active = false; }
  // All of its locks: its process has ended.
  void all_given_up(std::uint32_t client) { record_.process_ended(client); }
  // Before that: nobody can see it, for its connections stand.
  void falls_silent(std::uint32_t client);
  // What a call reported, server by server. `token` is empty when it is not known.
  void reported(Contender party, Verb verb, std::string_view token, const Outcome& outcome);
  // What came of an extend or a check whose lock was released while it was under way.
  void reported_of_released(Contender party, const Outcome& outcome) {
    judge_answer_of_released(record_, party, outcome);
  }
  // The client calls; to take a lock that it waits for, or not.
  void begins(Contender party, bool waits = false);
  // The server has no room for a new connection of the client's.
  void turned_away(std::uint32_t client, std::uint32_t server) {
    waits_.turned_away(client, server);
  }
  // A client does nothing until then, or what a server said reaches it no sooner. Of a push that
  // may be a heartbeat later, when the fault that holds it back is long over.
  void troubled(std::int64_t until_ns) { waits_.troubled(until_ns); }
  // What the server says to a client that asks for a channel to listen to.
  void asked_to_be_heard(std::uint32_t client, std::uint32_t server, std::string_view answer) {
    availability_.asked_to_be_heard(client, server, answer);
  }
  // The server has lost whatever was done there since then.
  void went_back(std::uint32_t server, std::int64_t to_ns) {
    record_.removals.note_went_back(server, to_ns);
  }
  // From here to there so many calls are under way that there may be no room for others, and that
  // of the removals for a silent server the oldest are forgotten.
  void crowd_begins(std::uint32_t client);
  void crowd_ends(std::uint32_t client);
  // A connection between the two is struck.
  void struck(std::uint32_t client, std::uint32_t server) { availability_.struck(client, server); }
  // A call took `took_ns` of the client's clock, of which it was paused `paused_ns`.
  void returned(Contender party, std::int64_t took_ns, std::int64_t paused_ns,
                std::int64_t budget_ns);
  // Nothing may be left of this client's failed attempts at the resource, nor of its released locks
  // unless it had given up a connection: then a release may wait for the next one.
  void check_undone(Contender party, bool gave_up_connection) {
    judge_undone(record_, party, gave_up_connection);
  }

  // From now on calls have times of their own.
  void final_attempt() { record_.final_attempt = true; }
  void after_event();
  void report(ViolationKind kind, std::string text) { record_.report(kind, std::move(text)); }
  [[nodiscard]] const std::vector<Violation>& violations() const { return record_.violations(); }
  [[nodiscard]] std::uint64_t grant_count() const { return record_.grant_count(); }
  [[nodiscard]] LineCounts& line_counts() { return record_.line_counts; }
  // How often there was something to judge: a property that nothing was held against shows nothing.
  [[nodiscard]] const Judged& judged() const { return record_.judged(); }

 private:
  void end_line_command(Origin origin, const Deed& deed, std::string_view answer);
  void key_created(std::uint32_t client, std::uint32_t owner, std::uint32_t server,
                   const Entry* before, const Entry& after);
  void key_removed(std::uint32_t client, std::uint32_t server, const Entry& before);

  Record record_;
  // Safety, as far as it remembers anything.
  Majority majority_{record_};
  Expiry expiry_{record_};
  LineService line_service_{record_};
  Order order_{record_};
  Fences fences_{record_};
  // Liveness, the same.
  Leftovers leftovers_{record_};
  Availability availability_{record_};
  Waits waits_{record_};
  DeadInLine dead_in_line_{record_, waits_};
  InTime in_time_{record_};
};

}  // namespace redlock::sim
