// One server's connection: connecting, talking, broken, backing off, and connecting again by
// itself, whatever kind of conversation it carries.
//
//   idle ──open──▶ connecting ──▶ ready ──trouble, time-out──▶ closing ──close──▶ idle (backing
//   off)
//
// Connecting has a time of its own, and lasts until the greeting is answered. Who asks meanwhile
// has the time of an answer behind that; a connection that is being made outlives who asked first,
// and serves who asks next.
// `closing` is there for whoever derives from it: what must still be said goes out on this very
// connection, behind what is unanswered. Where to connect is asked of a locator each time.
//
// Invariants: a connection that timed out or answered nonsense is never used again. One thread.
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/net/acquaintance.hpp"
#include "redlock/net/locator.hpp"
#include "redlock/net/server_counters.hpp"
#include "redlock/net/set_aside.hpp"
#include "redlock/os/transport.hpp"
#include "redlock/wire/conversation.hpp"

namespace redlock {

// For connecting, where nobody says how long.
inline constexpr Duration kConnectTimeoutDefault = Duration::seconds(1);
// Whoever gives it longer for an answer gives it as long for connecting, unless he says otherwise.
[[nodiscard]] inline Duration usual_connect_time(Duration answer_time) {
  return std::max(answer_time, kConnectTimeoutDefault);
}
inline constexpr Duration kBackoffFirst = Duration::ms(10);
inline constexpr Duration kBackoffMax = Duration::ms(200);
inline constexpr std::size_t kReceiveBytes = 16 * 1024;
// A server that was a replica from the first is not connected to again sooner, to see whether its
// address leads to a primary now.
inline constexpr Duration kAnewPause = Duration::ms(100);
// Per turn; a server that floods us waits for the next one.
inline constexpr int kReceivesMax = 8;

// The options that are to be raised where a server takes longer than it may.
inline constexpr std::string_view kTimeoutName = "timeout";
inline constexpr std::string_view kConnectTimeoutName = "connectTimeout";

// When an answer came is known where somebody looked all the time but for so long.
inline constexpr Duration kUnseenMax = Duration::us(100);

// What a server was last in trouble with; over as soon as it answers anything.
struct NodeTrouble {
  Fault fault = Fault::none;
  std::string reason;
};

// The reason of a time-out, with the time and the option that bounds it.
[[nodiscard]] std::string timed_reason(const std::string& reason, Duration time,
                                       std::string_view option);

// How long to stay away from a server that failed so many times on end, at least once.
[[nodiscard]] Duration draw_backoff(std::uint32_t failures, Entropy& entropy) noexcept;

template <IsConversation C>
class Connection {
 public:
  using Events = std::vector<typename C::Event>;

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  // There is a user who waits as long as that.
  void allow(Duration timeout) { timeout_ = std::max(timeout_, timeout); }
  // The same of a connection that is to be made. Nobody said so: as long as for an answer.
  void allow_connecting(Duration timeout) {
    connect_timeout_ = std::max(connect_timeout_, timeout);
  }
  // What happens here is counted there; whoever says so first decides.
  void count_in(const std::shared_ptr<ServerCounters>& counters) {
    if (!counters_) counters_ = counters;
  }
  // Somebody waits for it from now on, and until now. What came while nobody did may have lain
  // there for long, and tells nothing of the time that it took.
  void begin_look(Instant now) noexcept {
    if (now - seen_at_ > kUnseenMax) asked_at_ = Instant();
  }
  void end_look(Instant now) noexcept { seen_at_ = now; }
  // When something was sent last, or somebody looked whether anything had come.
  [[nodiscard]] Instant last_seen() const { return std::max(last_used_, seen_at_); }
  // Hands to the transport what is to be sent.
  void flush(Instant now, Events& events) noexcept;
  // Says a name that follows, where nothing is awaited; true: it has. Whoever is about to ask does
  // so first.
  bool introduce(Instant now, Events& events) noexcept;
  void on_ready(bool readable, bool writable, Instant now, Events& events) noexcept;
  // Gives the connection up when an answer is overdue, and says so.
  bool on_time(Instant now, Events& events) noexcept;

  [[nodiscard]] bool has_conversation() const {
    return state_ == State::connecting || state_ == State::ready;
  }
  // It is being made: its greeting is unanswered yet, or not even sent.
  [[nodiscard]] bool establishing() const {
    return state_ == State::connecting || (state_ == State::ready && conversation_->greeting());
  }
  [[nodiscard]] bool closing() const { return state_ == State::closing; }
  [[nodiscard]] bool connected_or_free(Instant now) const {
    return has_conversation() || now >= retry_at_;
  }
  // Until then a server that failed is left alone.
  [[nodiscard]] Instant retry_at() const { return retry_at_; }
  // The next one may be opened whatever the backoff says.
  void skip_backoff() { retry_at_ = Instant(); }
  // Nothing is awaited, nothing is to be sent and nothing is being opened: there is nothing to look
  // at. A connection that comes about while nobody wants it any more is no time-out.
  [[nodiscard]] bool idle() const {
    return !conversation_ || (state_ != State::connecting && conversation_->idle());
  }
  // Has it something to say? While it connects, its greeting.
  [[nodiscard]] bool has_output() const {
    return state_ == State::connecting || (conversation_ && conversation_->has_output());
  }
  // 0: there is none.
  [[nodiscard]] ConnectionId connection() const { return connection_; }
  // At least as many as the server may not have read yet.
  [[nodiscard]] std::size_t unanswered_bytes() const {
    return has_conversation() ? conversation_->unanswered_bytes() : 0;
  }
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  // An answer is overdue: the connection is to be given up.
  [[nodiscard]] bool overdue(Instant now) const {
    const std::optional<Instant> deadline = next_deadline();
    return deadline && now >= *deadline;
  }
  // When something was sent last. That something was read says little: it may have lain there.
  [[nodiscard]] Instant last_used() const { return last_used_; }
  [[nodiscard]] const NodeTrouble& trouble() const { return trouble_; }
  // It has come about, and its server was in no trouble since it answered last.
  [[nodiscard]] bool is_well() const {
    return state_ == State::ready && trouble_.fault == Fault::none;
  }
  // How often on end its server has closed it before it had come about.
  [[nodiscard]] std::uint32_t turned_away() const { return turned_away_; }
  // It was overdue when it was asked last, and has said nothing since.
  [[nodiscard]] bool suspected() const { return trouble_.fault == Fault::timeout; }
  // How long its most patient user waits.
  [[nodiscard]] Duration timeout() const { return timeout_; }
  // What its connections have shown of the server, for others to the same one.
  [[nodiscard]] const Acquaintance& acquaintance() const { return acquaintance_; }
  void learn(const Acquaintance& acquaintance) { acquaintance_ = acquaintance; }
  // How long it may be until it has been made.
  [[nodiscard]] Duration connect_timeout() const {
    return connect_timeout_ > Duration() ? connect_timeout_ : timeout_;
  }
  // When it is given up if it has not been made by then. Requires establishing().
  [[nodiscard]] Instant connecting_until() const { return ready_by_; }
  // Until when an answer is awaited that is wanted by then: the time of an answer begins when the
  // connection has been made, which is waited for until `connect_by` at most.
  [[nodiscard]] Instant answer_by(Instant wanted_by, Instant connect_by) const {
    if (!establishing()) return wanted_by;
    return std::max(wanted_by, std::min(ready_by_, connect_by) + timeout_);
  }
  // Which server it is, wherever that stands.
  [[nodiscard]] const Endpoint& endpoint() const { return locator_->identity(); }

 protected:
  // `timeout` is how long its users wait. Transport and entropy must outlive the connection.
  Connection(std::unique_ptr<Locator> locator, Duration timeout, Transport& transport,
             Entropy& entropy)
      : locator_(std::move(locator)), timeout_(timeout), transport_(transport), entropy_(entropy) {}

  // Something was received, and the conversation has made of it what it could; it may be broken.
  virtual void heard(Instant now) = 0;

  // Required of all three: there is one. It lasts until closed() or forget().
  [[nodiscard]] C& conversation() { return *conversation_; }
  [[nodiscard]] const C& conversation() const { return *conversation_; }
  // Of one that is closing: may something still be said on it?
  [[nodiscard]] bool stream_usable() const { return stream_usable_; }

  // Is the network to be given anything yet of what the transport took? Requires a connection.
  [[nodiscard]] bool all_left() const { return !transport_.wants(connection_, false).write; }
  // Null: nothing is counted.
  [[nodiscard]] ServerCounters* counters() const { return counters_.get(); }
  [[nodiscard]] bool may_open(Instant now) const {
    return state_ == State::idle && now >= retry_at_;
  }
  // Requires that it is idle. `made_of` is what the conversation needs besides the endpoint.
  template <class... MadeOf>
  void open(Instant now, MadeOf&... made_of);
  // It is not wanted any more: no trouble, and no backing off.
  void hang_up(Events& events);
  // Says what is left, as far as the transport takes it. Requires closing().
  void say_last_words();
  // Lets go of a connection that is closing, and backs off from a server in trouble.
  void close(Instant now);
  // The same, and what its server has not read is dropped, not waited for.
  void reset(Instant now);
  // The same, but it stays open for what is to be sent on it yet; what is read there is thrown
  // away.
  [[nodiscard]] SetAside set_aside(Instant now);
  // It belongs to the parent process.
  void forget();

 private:
  enum class State { idle, connecting, ready, closing };

  // Where memory runs out in the middle of a conversation its order is in doubt, and that costs
  // the connection.
  template <class Act>
  void or_close(Instant now, Events& events, Act act) noexcept;
  void give_up(Instant now, Events& events) noexcept;
  void take_status(Instant now, Events& events);
  // What is said next of the greeting goes out only now; where it has been answered, the time of
  // the answers counts from now on.
  void go_on(Instant now);
  [[nodiscard]] std::string connecting_reason() const;
  void send_output(Instant now, Events& events);
  // The server closed it, or it broke.
  void take_end(const IoResult& end, Instant now, Events& events);
  // Where a replica has refused something: to where the server may be by now, to ask there.
  void connect_anew(Instant now, Events& events);
  // Leads elsewhere from now on.
  void exchange_link(ConnectionId again, Instant now);
  // In place of one that its server closed at the name; what waits behind that stays.
  void connect_without_name(Instant now, Events& events);
  [[nodiscard]] bool may_expect_tls() const;
  // Gives the connection up because it can no longer be sent on.
  void hear_out(const IoResult& end, Instant now, Events& events);
  void receive(Instant now, Events& events);
  void begin_closing(Fault fault, const std::string& reason, bool stream_usable, Instant now,
                     Events& events);
  void note_sent(Instant now);
  void note_heard(Instant now);

  std::unique_ptr<Locator> locator_;
  Acquaintance acquaintance_;
  Duration timeout_;
  Duration connect_timeout_;
  Transport& transport_;
  Entropy& entropy_;
  Instant connected_at_;
  State state_ = State::idle;
  ConnectionId connection_ = 0;
  std::optional<C> conversation_;
  bool stream_usable_ = false;
  NodeTrouble trouble_;
  std::uint32_t failure_count_ = 0;
  std::uint32_t turned_away_ = 0;
  Instant retry_at_;
  Instant last_used_;
  // Of the connection and its greeting.
  Instant ready_by_;
  std::shared_ptr<ServerCounters> counters_;
  // When the command left whose answer's time is being taken; Instant() where none is.
  Instant asked_at_;
  Instant seen_at_;
};

}  // namespace redlock
