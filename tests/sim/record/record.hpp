// What a simulated world did and what its clients were told, as the checker's properties read it.
//
// The checker writes it; safety/ and liveness/ judge by it, and say here what they found. It judges
// nothing itself. One thread; one a schedule.
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
#include "sim/plan.hpp"
#include "sim/record/deed.hpp"
#include "sim/record/hash.hpp"
#include "sim/record/line_book.hpp"
#include "sim/record/line_view.hpp"
#include "sim/record/links.hpp"
#include "sim/record/removal_book.hpp"
#include "sim/record/violation.hpp"
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

  [[nodiscard]] std::int64_t clock_ms(std::int64_t now_ns) const { return clock->at(now_ns) / kMs; }
};

// How often each property was held against what happened; only of those that need an occasion.
using Judged = std::array<std::uint64_t, kViolationKinds>;

// What a client was told that it holds.
struct Hold {
  bool active = false;
  std::string value;
  std::int64_t until_ns = 0;
  std::vector<std::string> before{};  // the tokens that were exchanged for it, as far as is known
  std::uint32_t exchanges = 0;        // the calls under way that do so, one inside the other
  bool alone = true;                  // nobody else may be inside
  std::uint32_t names = 0;            // what it is about, a bit each, where that was told
  [[nodiscard]] bool holds(std::string_view token) const {
    return token == value || std::ranges::find(before, token) != before.end();
  }
};

// What one server did for one client, by verb; the newest last.
struct Mark {
  std::uint64_t token = 0;
  bool granted = false;
};
using Marks = std::vector<Mark>;

// A value that a client's command has set on a server.
struct Owned {
  std::uint64_t value = 0;
  std::uint32_t client = 0;
  std::int64_t gone_by_ns = kForever;
};

// The exchange of tokens that is being executed; 0: none.
struct Swap {
  std::uint32_t client = 0;
  std::uint64_t held = 0;
  std::uint64_t fresh = 0;
};

class Record {
 public:
  // The plan must outlive the record.
  Record(const Plan& plan, std::vector<ServerView> servers);
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  const Plan& plan;
  std::vector<ServerView> servers;
  const Links* links = nullptr;  // null: every connection is sound
  const bool lines;              // does anybody wait?
  std::int64_t now_ns = 0;
  bool final_attempt = false;            // from now on calls have times of their own
  std::optional<std::uint32_t> crowded;  // the client whose crowd is under way
  Swap swap;
  // Of the command that is being executed: the token that it passes on, and what it has set for
  // somebody else, by their short names; 0: nothing.
  std::uint64_t passes = 0;
  std::uint64_t set_for_another = 0;
  LineBook book;
  LineCounts line_counts;
  RemovalBook removals;

  // What was found, and how often there was something to judge: a property that nothing was held
  // against shows nothing.
  void report(ViolationKind kind, std::string text);
  void note_judged(ViolationKind kind, std::uint64_t times = 1) {
    judged_[static_cast<std::size_t>(kind)] += times;
  }
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  [[nodiscard]] const Judged& judged() const { return judged_; }

  // What clients were told; see Checker.
  void granted(Contender party, const std::string& value, std::int64_t until_ns);
  void extended(Contender party, const std::string& value, std::int64_t until_ns);
  void shortens(Contender party, const std::string& fresh, std::int64_t until_ns);
  void transferred(Contender party);
  void shortened(Contender party, const std::string& held, const std::string& fresh,
                 std::int64_t until_ns);
  void not_shortened(Contender party, const std::string& held);
  void overtaken(Contender party, const std::string& held, const std::string& fresh);
  void begins_to_wait(Contender party) { waits_since_ns_[place_of(party)] = now_ns; }
  void ends_waiting(Contender party) { waits_since_ns_[place_of(party)] = kForever; }
  void returned(Contender party);
  void process_ended(std::uint32_t client);

  // A command that the server has carried out, or refused.
  void executed(const Origin& origin, const Deed& deed, std::string_view answer);
  // A join that was not refused.
  Waiter& joined(const Origin& origin, const Deed& deed, std::string_view answer);
  // Somebody who waits was given the lock there. Null: nobody has waited with this token.
  Waiter* handed(std::uint32_t server, const std::string& value);
  // By a client's command; known before or not.
  Owned& own(std::uint32_t server, std::string_view value, std::uint32_t client);

  [[nodiscard]] std::size_t place_of(Contender party) const {
    return party.client * plan.resources + party.resource;
  }
  [[nodiscard]] Hold& hold_of(Contender party) { return holds_[place_of(party)]; }
  [[nodiscard]] const Hold& hold_of(Contender party) const { return holds_[place_of(party)]; }
  [[nodiscard]] const std::vector<Hold>& holds() const { return holds_; }
  [[nodiscard]] bool held_now(std::string_view value) const;
  // By its short name, and of those what others were exchanged for.
  [[nodiscard]] bool was_granted(std::uint64_t value) const { return has(granted_, value); }
  [[nodiscard]] bool was_fresh(std::uint64_t value) const { return has(fresh_, value); }
  [[nodiscard]] bool was_transferred(std::uint64_t value) const { return has(transferred_, value); }
  [[nodiscard]] std::uint64_t grant_count() const { return grant_count_; }
  // kForever: it does not wait.
  [[nodiscard]] std::int64_t waits_since_ns(Contender party) const {
    return waits_since_ns_[place_of(party)];
  }
  // When its calls returned.
  [[nodiscard]] const std::vector<std::int64_t>& returns(Contender party) const {
    return returns_[place_of(party)];
  }
  [[nodiscard]] Marks& deeds(Contender party, std::uint32_t server, Verb verb);
  [[nodiscard]] Owned* owned(std::uint32_t server, std::string_view value);
  // Does this change of a key belong to the exchange that is being executed?
  [[nodiscard]] bool is_swap(std::uint32_t client, const Entry* before, const Entry& after) const;
  // Whose is it that a command of this client sets? Whoever hands a lock on sets the key for the
  // one who waits.
  [[nodiscard]] std::uint32_t owner_of(std::uint32_t executing, std::string_view value);
  [[nodiscard]] bool stands(std::uint32_t server, std::string_view value) const;
  [[nodiscard]] LineView look_at(std::uint32_t server, std::string_view key) const;
  // Calls `visit(entry, owned)` for each key of that name which stands and was `client`'s.
  void for_each_key(std::uint32_t client, std::uint32_t server, std::string_view name,
                    const std::function<void(const Entry&, const Owned&)>& visit);
  // Calls `visit(token)` for each that stands in this line and was `client`'s, but for those that
  // had left it in what the server has lost since: lines outlast that it is down.
  void for_each_waiting(std::uint32_t client, std::uint32_t server, std::string_view key,
                        const std::function<void(std::uint64_t)>& visit);

 private:
  [[nodiscard]] static bool has(const std::vector<std::uint64_t>& all, std::uint64_t value) {
    return std::ranges::find(all, value) != all.end();
  }
  void end_exchange(Contender party);

  std::vector<Hold> holds_;  // by place
  std::vector<Marks> deeds_;
  std::vector<std::vector<Owned>> owned_;  // by server
  std::vector<Violation> violations_;
  Judged judged_{};
  std::vector<std::int64_t> waits_since_ns_;        // by place
  std::vector<std::vector<std::int64_t>> returns_;  // by place
  std::uint64_t grant_count_ = 0;
  std::vector<std::uint64_t> granted_;  // the values of all locks that were ever granted
  std::vector<std::uint64_t> fresh_;
  std::vector<std::uint64_t> transferred_;
};

}  // namespace redlock::sim
