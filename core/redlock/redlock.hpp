// Locks over one or several Redis or Valkey servers: the one header that C++ users include.
//
//   redlock::Client client({"10.0.0.1", "10.0.0.2", "10.0.0.3"});
//   if (redlock::Result lock = client.lock("invoice:42", 10s, 3s)) {
//     bill(42);  // lock->remaining() tells for how long it may be trusted
//   }            // and here it is given back
//
// A client, its leases and what keeps them alive are confined: to one thread at a time, together.
// Threads that want locks at the same time have a client each. What another thread may look at
// any time is the stop_token of KeepAlive::lost().
// Arguments that cannot be meant throw std::invalid_argument, which names them; a moved-from client
// throws std::logic_error. What servers and networks do never throws.
#pragma once
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ratio>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "redlock/types.hpp"

// 10000 * major + 100 * minor + patch.
#define REDLOCK_VERSION 100

namespace redlock {
inline namespace v0 {

namespace inner {
class BlockingLease;
class Shared;
struct LockShape;
}  // namespace inner

// A time as std::chrono has it, in milliseconds. What is too long for that is the longest there is:
// hours::max() does not become a negative number.
class Milliseconds {
 public:
  template <std::integral Rep, class Period>
    requires std::is_convertible_v<std::chrono::duration<Rep, Period>, std::chrono::milliseconds>
  constexpr Milliseconds(std::chrono::duration<Rep, Period> time) noexcept  // NOLINT
      : count_(saturated<std::ratio_divide<Period, std::milli>::num>(time.count())) {}
  [[nodiscard]] constexpr std::int64_t count() const noexcept { return count_; }

 private:
  template <std::intmax_t factor, class Rep>
  static constexpr std::int64_t saturated(Rep count) noexcept {
    using Limits = std::numeric_limits<std::int64_t>;
    if (std::cmp_greater(count, Limits::max() / factor)) return Limits::max();
    if (std::cmp_less(count, Limits::min() / factor)) return Limits::min();
    return static_cast<std::int64_t>(count) * factor;
  }

  std::int64_t count_;
};

struct Options {
  // For an answer, of a server without a time of its own: above 0, at most an hour.
  Milliseconds timeout = std::chrono::milliseconds(250);
  // How far clocks may drift apart, as a share of the ttl: at least 0, less than 1.
  double drift_factor = 0.01;
  // For CLIENT SETNAME: printable, without spaces, at most 256 bytes. Empty: none.
  std::string client_name = {};
  // The longest pause between two attempts of one call that does not wait in line, because it is
  // not to or because servers do not let it; the shortest is half of it. At most an hour.
  Milliseconds retry_delay = std::chrono::milliseconds(200);
  // How a call waits: in line, where each release hands the lock to the first, or else by attempts
  // with pauses.
  bool line = true;
  // A name that stands in the token of every lock that is taken, so that others can tell who holds
  // it: inspect() shows it. It proves nothing. At most 256 bytes. Empty: none.
  std::string owner = {};
  // For connecting, of a server without a time of its own, TLS and AUTH included: above 0, at most
  // an hour. None: a second, or `timeout` where that is longer. A call waits for that once, and for
  // each answer for `timeout` behind it.
  std::optional<Milliseconds> connect_timeout = {};
  // Every lock that is acquired comes with a fence: see Lease::fence().
  bool fence = false;
  // How long servers remember the last fence of a lock that is acquired with one, from then on:
  // longer than a write can be late. Above 0, at most 100 years.
  Milliseconds fence_ttl = std::chrono::hours(24);
  // What servers are asked on each new connection, by one INFO. One that does not meet it has no
  // vote: it is in trouble with Fault::guard, or with why it does not answer. Releases go there all
  // the same.
  Guard guard = {};
  // How long a lock may last, of whichever client of these servers: with Guard::restart a server
  // that has been up for less has no vote, and a longer ttl throws. Above 0, at most 100 years.
  Milliseconds longest_ttl = std::chrono::minutes(1);
  // A vote counts only if so many replicas of its server have it in time; else it is undone, with
  // Fault::noreplicas. A server that has fewer is not asked. That narrows the window in which a
  // fail-over loses the lock, and does not close it. 0 to kReplicasMax.
  std::int64_t replicas = 0;
};

// Why a server gave no plain answer.
struct Trouble {
  std::string server;  // "10.0.0.1:6379", "unix:///run/redis.sock"; no password
  Fault fault = Fault::none;
  std::string reason;  // for people
};

// No lease, and why.
struct Refusal {
  // denied: somebody else holds it. unreachable: no majority could be asked. aborted: a stop was
  // requested. The others are told in redlock/types.hpp. Never granted.
  Decision decision = Decision::aborted;
  // Those servers that were in trouble, if any: also where enough of the others answered.
  std::vector<Trouble> troubles;
  // No majority was asked because too much is unanswered already, a bound of this library, and not
  // because servers are down.
  bool own_bound = false;
};

// Told of an outage while a lock is waited for, by what the call would end with now.
using OnOutage = std::function<void(const Refusal&)>;

// A lock on its way to another client: of another thread, or as text of another process.
struct Handle {
  // One, or several that are held together; 1 to 16.
  std::vector<std::string> resources;
  std::string token;
  // For how long it may be relied on, counted from the call that made this. Whoever sends it
  // subtracts the time that it travels.
  std::chrono::milliseconds validity{};
  // As Lease::fence() has it.
  std::optional<std::int64_t> fence = {};
  // Of a lock for reading, as Lease::shared() has it.
  bool shared = false;
};

// What stands under a lock's name.
struct Holder {
  std::string token;
  // The name that was given when it was taken; empty: none.
  std::string owner;
  // Until servers let go of it. Nothing: it never expires, so it was not put there as a lock.
  std::optional<std::chrono::milliseconds> left;
};

// Who stands in line for it.
struct InLine {
  std::string token;
  // The name that was given with the wait; empty: none.
  std::string owner;
  // By the clock of the server that says so.
  std::chrono::milliseconds waited{};
};

// A lock as somebody sees it.
struct View {
  std::optional<Holder> holder;
  // How many stand in line for it. Nothing: that is not known.
  std::optional<std::int64_t> waiting;
  // The first of them, at most 16, in their order.
  std::vector<InLine> line;
  // How many share it to read; its token is "redlock:shared" then. Nothing: it is not shared.
  std::optional<std::int64_t> readers = {};
};

struct ServerView {
  std::string server;
  View view;
  // Where it could not say: why. Else `Fault::none`.
  Fault fault = Fault::none;
  std::string reason;
};

struct Inspection {
  // Could a majority be asked? Otherwise what it sees says nothing.
  bool reachable = false;
  // And is what it sees all? False also where a majority may hold the lock, by what some say, that
  // is not seen to, because others do not answer: without a holder it is not known to be free.
  bool decided = false;
  // What a majority holds, at least for so long, how many wait there at least, and whom of them a
  // majority names.
  View majority;
  std::vector<ServerView> servers;
  // So many of them hold a lock, or nobody has it.
  std::size_t votes_needed = 0;
};

// What became of a lock that was to be taken away.
struct ForcedRelease {
  // granted: it is somebody's no longer; where not all servers answer it may have been nobody's
  // before. denied: a majority holds no lock there, or lets go of it by itself meanwhile.
  // unreachable: no majority could be asked, or told to remove it. split: a majority may hold it,
  // and what is seen of that never expires, so that it was left. By the last two it may be held.
  Decision decision = Decision::aborted;
  std::vector<Trouble> troubles;
  [[nodiscard]] explicit operator bool() const noexcept { return decision == Decision::granted; }
};

// How this machine's clock is steered; nothing where the system does not say it.
[[nodiscard]] REDLOCK_EXPORT std::optional<ClockDiscipline> clock_discipline() noexcept;

// Words for programs to compare with; they never change. That of a Fault stands beside it.
[[nodiscard]] REDLOCK_EXPORT std::string_view to_string(Decision decision) noexcept;
// One line for a log, with every server in trouble.
[[nodiscard]] REDLOCK_EXPORT std::string to_string(const Refusal& refusal);

// While it lives, a thread of the client extends the lease, whatever the lease's owner does. What
// is left of the lease when it ends stays as it is.
class [[nodiscard]] REDLOCK_EXPORT KeepAlive {
 public:
  KeepAlive(KeepAlive&& other) noexcept;
  KeepAlive& operator=(KeepAlive&& other) noexcept;
  ~KeepAlive();

  // Is requested when the lease is lost: no majority has it any more, none has confirmed it
  // for as long as it may be trusted, or it was kept for as long as was allowed. Not by a release.
  // Any thread may ask it, also when this is gone.
  // A stop_callback runs in the thread that keeps all leases of the client, with signals blocked,
  // or within confirm(), extend() or shorten() of the lease, which learn of a loss too: it must be
  // brief, must not fork, must not wait for what their callers may hold, and must not use the
  // client or anything of it.
  [[nodiscard]] const std::stop_token& lost() const noexcept { return lost_; }

 private:
  friend class Lease;
  KeepAlive(std::shared_ptr<inner::BlockingLease> lease, std::stop_token lost) noexcept;

  std::shared_ptr<inner::BlockingLease> lease_;
  std::stop_token lost_;
};

// A lock that is ours. Its end gives it back, without waiting for an answer, and throws nothing;
// where memory has run out the client's next call does, or its end.
// It may outlive its client. In a forked child it is dead, and its end there does nothing: it stays
// the parent's. A moved-from one is empty, and as dead.
class [[nodiscard]] REDLOCK_EXPORT Lease {
 public:
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

  // The first of what is locked, in the order of their bytes. Valid until it is moved into, or
  // ends.
  [[nodiscard]] std::string_view resource() const noexcept;
  // All of it.
  [[nodiscard]] std::vector<std::string_view> resources() const;
  // What the servers hold under the resource's name. Valid until then, or until it is shortened.
  [[nodiscard]] std::string_view token() const noexcept;
  // A whole number, strictly larger than that of every earlier holder of the lock that asked for
  // one: send it with every write, and let the receiver refuse smaller ones. Nothing where the
  // client was not to ask for one. 1 to 2^53 - 1.
  [[nodiscard]] std::optional<std::int64_t> fence() const noexcept;
  // Others may hold it at the same time, all of them to read.
  [[nodiscard]] bool shared() const noexcept;
  // For how long it may be trusted; nothing once it is over, lost or released, and then for good.
  // Both without I/O.
  [[nodiscard]] std::chrono::milliseconds remaining() const noexcept;
  [[nodiscard]] bool live() const noexcept;

  // From now on for `ttl`, where that is longer. False: it is as good as it was before, unless no
  // majority has it any more, whereupon it is lost. live() tells.
  [[nodiscard]] bool extend(Milliseconds ttl);
  // From now on for `ttl`, also on the servers, where that is shorter: then it has another token,
  // and is trusted for no longer than that from the moment of the call. Where it would be no
  // shorter than what they may have been told it does what extend() does; of a lease from attach()
  // nobody knows that. What keeps the lease alive goes on, by this ttl. False: no majority has
  // confirmed it in time, or they refuse it, and the lease is over. Throws std::system_error where
  // it cannot be kept alive any more, and std::bad_alloc; KeepAlive::lost() then says so, and the
  // lease itself may be good for `ttl`: live() tells.
  [[nodiscard]] bool shorten(Milliseconds ttl);
  // A shared lock becomes exclusive, under another token and fence, once nobody else reads; tried
  // again for as long as `wait`, or until a stop is requested. False: it is shared as before, or
  // over: live() tells. Two that wait for this wait for each other. Throws std::logic_error where
  // it is exclusive already, and what shorten() throws where it cannot be kept alive any more.
  [[nodiscard]] bool promote(Milliseconds wait = std::chrono::milliseconds(0),
                             const std::stop_token& stop = {});
  // An exclusive lock becomes shared, whatever comes of the call. False: no majority lets others
  // in, or it is over. Throws std::logic_error where it is shared, or is of several resources.
  [[nodiscard]] bool demote();
  // Asks the servers. False: no majority confirmed it.
  [[nodiscard]] bool confirm();
  // Gives it back, and waits for a majority's word. True: it was ours until now. False
  // without a majority that says the opposite: `troubles` says why. Where it throws std::bad_alloc,
  // the client's next call gives it back, or its end.
  bool release(std::vector<Trouble>* troubles = nullptr);
  // For Client::attach(); its validity is remaining(). Of an empty lease it is empty.
  [[nodiscard]] Handle handle() const;
  // The same, and this lease is over: its end gives nothing back, and nothing keeps it alive.
  [[nodiscard]] Handle detach();
  // Keeps it alive, each time for the ttl it had last, for at most `max` from now on, at least that
  // ttl. One that is not live is lost at once.
  // Throws std::system_error where no thread is to be had (the lease is as before), and
  // std::logic_error where it is kept alive already.
  [[nodiscard]] KeepAlive keep_alive(Milliseconds max);

 private:
  friend class Client;
  explicit Lease(std::shared_ptr<inner::BlockingLease> lease) noexcept;

  std::shared_ptr<inner::BlockingLease> lease_;
};

// A lease, or why there is none. To ask for the one that is not there throws
// std::bad_variant_access.
class [[nodiscard]] Result {
 public:
  Result(Lease lease) noexcept : either_(std::move(lease)) {}        // NOLINT
  Result(Refusal refusal) noexcept : either_(std::move(refusal)) {}  // NOLINT

  [[nodiscard]] explicit operator bool() const& noexcept { return either_.index() == 0; }
  // `if (client.try_lock(...)) work();` would work without the lock, which has ended by then.
  explicit operator bool() const&& = delete;
  [[nodiscard]] Lease& operator*() & { return std::get<Lease>(either_); }
  [[nodiscard]] const Lease& operator*() const& { return std::get<Lease>(either_); }
  [[nodiscard]] Lease&& operator*() && { return std::get<Lease>(std::move(either_)); }
  [[nodiscard]] Lease* operator->() & { return &std::get<Lease>(either_); }
  [[nodiscard]] const Lease* operator->() const& { return &std::get<Lease>(either_); }
  // Of one that nobody keeps it would be over behind the expression, and be none where it was
  // refused.
  const Lease* operator->() const&& = delete;
  [[nodiscard]] const Refusal& refusal() const { return std::get<Refusal>(either_); }

 private:
  std::variant<Lease, Refusal> either_;
};

class REDLOCK_EXPORT Client {
 public:
  // Servers as "host", "host:port", "[v6]:port", "redis://user:password@host:port/database",
  // "unix:///path" or "/path", each URL with "?timeout=seconds" where it has a time of its own, and
  // "rediss://" for TLS, with "ssl[cafile]=/path" and the like; 1 to 16, no two the same. DSNs of
  // other clients are taken as they are: docs/operations.md lists the forms. Connects when there is
  // something to be asked.
  explicit Client(std::vector<std::string> servers, const Options& options = {});
  Client(Client&& other) noexcept;
  Client& operator=(Client&& other) noexcept;
  // Leases stay with their owners, and live.
  ~Client();

  // One attempt.
  [[nodiscard]] Result try_lock(std::string_view resource, Milliseconds ttl);
  // Waits in line for as long as `wait`; milliseconds::max() has no end. A stop that is requested
  // ends it within 25 ms, and what was begun is undone. What waiting does not help (a wrong
  // password, an ACL that denies, a peer that is no Redis, TLS that does not fit; a replica and
  // errors without a code when they have stayed for 5 seconds) ends it as unreachable, as soon as
  // no majority can be had. Outages are waited for: `on_outage` is called, in this thread, once
  // each time that no majority could be asked for a second. What it throws ends the call.
  [[nodiscard]] Result lock(std::string_view resource, Milliseconds ttl, Milliseconds wait,
                            const std::stop_token& stop = {}, const OnOutage& on_outage = {});
  // The same of 1 to 16 resources at once: all of them or none, and one lease. It waits in the line
  // of one that is busy, and holds none of the others meanwhile: so there is no deadlock, in
  // whatever order others name them. std::invalid_argument where one of them is named twice.
  [[nodiscard]] Result try_lock_all(const std::vector<std::string>& resources, Milliseconds ttl);
  [[nodiscard]] Result lock_all(const std::vector<std::string>& resources, Milliseconds ttl,
                                Milliseconds wait, const std::stop_token& stop = {},
                                const OnOutage& on_outage = {});
  // The same of one, shared with all others who only read. Who waits to write is overtaken by none.
  [[nodiscard]] Result try_lock_shared(std::string_view resource, Milliseconds ttl);
  [[nodiscard]] Result lock_shared(std::string_view resource, Milliseconds ttl, Milliseconds wait,
                                   const std::stop_token& stop = {},
                                   const OnOutage& on_outage = {});
  // One of up to 1024 permits of a resource: a semaphore. A permit is the lock on a slot, which the
  // lease names: "api:redlock:slot:3" is a permit of "api". With a wait it gets the first that is
  // given back or whose ttl ends, nearly in the order in which the waits began. Clients that name
  // more permits know more slots. std::invalid_argument for a client that asks for fences.
  [[nodiscard]] Result try_acquire_permit(std::string_view resource, std::size_t permits,
                                          Milliseconds ttl);
  [[nodiscard]] Result acquire_permit(std::string_view resource, std::size_t permits,
                                      Milliseconds ttl, Milliseconds wait,
                                      const std::stop_token& stop = {},
                                      const OnOutage& on_outage = {});
  // A lease of a lock that was taken elsewhere, valid for as long as its handle says, counted from
  // now. Asks no server. What keeps it alive extends it by `ttl` each time. A lease whose handle is
  // over is not live, and only its release() gives the lock back.
  [[nodiscard]] Lease attach(const Handle& handle, Milliseconds ttl);

  // Who holds a lock, and how many wait for it.
  [[nodiscard]] Inspection inspect(std::string_view resource);
  // Takes a lock away from whoever holds it, by the token that a majority holds, or may hold; who
  // is first in line gets it. Its holder is told nothing, and notices when he extends it next.
  [[nodiscard]] ForcedRelease force_release(std::string_view resource);

  // What every server says of itself, and whether locks can be had there: a lock is tried on each,
  // whose name is `prefix` and something that nobody else uses.
  [[nodiscard]] std::vector<ServerReport> examine(std::string_view prefix = {});

 private:
  [[nodiscard]] Result acquire(const std::vector<std::string>&, const inner::LockShape&,
                               Milliseconds ttl, Milliseconds wait, const std::stop_token&,
                               const OnOutage&);

  std::shared_ptr<inner::Shared> shared_;
};

}  // namespace v0
}  // namespace redlock
