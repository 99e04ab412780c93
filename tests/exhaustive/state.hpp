// A state of a small world, as plain data: what every client, connection and server is about.
//
// Times are whole ticks, and relative: how long until something, how long since. So states that
// differ only in when they happen are the same state. Pure values.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace redlock::exhaustive {

inline constexpr int kClientsMax = 4;
inline constexpr int kServersMax = 3;
inline constexpr int kQueueMax = 6;
inline constexpr int kZombiesMax = 6;
inline constexpr int kNeverDue = 7;

using Byte = std::uint8_t;
using Ticks = std::int8_t;

template <class Integer>
constexpr Byte byte(Integer value) {
  return static_cast<Byte>(value);
}

enum class Answer : Byte { none, granted, denied, unknown_script };

// One request on a connection: until it is executed it has no answer, and it leaves the
// connection when its answer is delivered.
struct Message {
  Byte command = 0;  // in the command book
  Byte round = 0;    // which of its client's turns it belongs to: a token is fresh in each
  Byte attempt = 0;
  Byte left = 0;  // ticks until the client gives it up
  Answer answer = Answer::none;
  bool wanted = false;
  bool by_sha1 = false;  // only followed where servers may forget their scripts
  // A last word, for the end of the turn that closes the connection.
  bool unwritten = false;
};

// A connection that its client has closed: what was sent on it may still be executed, in order.
// Byte i is request i as command + 1 + 16 * round, and 128 where it names its script by the SHA1;
// zero is the end.
using Zombie = std::uint64_t;

// Where a command of a round stands in the masks of a link.
inline std::uint32_t carried_bit(int command, int round) {
  return std::uint32_t{1} << static_cast<unsigned>(command + 16 * round);
}

// All that lies between one client and one server.
struct Link {
  bool open = false;
  bool broken = false;  // the server has crashed since, and the client has not noticed
  // Given up by the client, but not closed: an operation that has an unanswered take on it is
  // undecided, and may yet want to undo it here.
  bool closing = false;
  bool usable = false;     // closing: what is sent on it may still arrive
  bool late = false;       // closing: for silence, so that what was sent may not arrive either
  bool failed = false;     // the last connection failed: the client may be backing off
  bool suspected = false;  // it failed by silence, and nothing has been heard since
  bool fresh = false;      // it was opened in this very move
  bool held = false;       // the handshake is unconfirmed: nothing is written
  Byte ready_left = 0;     // held: ticks until it is given up
  Byte known = 0;          // bit i: the server has run script i here
  Byte offered = 0;        // bit i: script i was sent here as text, and not refused since
  Byte count = 0;
  Byte zombie_count = 0;
  std::uint32_t carried = 0;  // removals for the next connection: bit command + 16 * round
  // Removals that go, or went, on this connection for the second time. Bits as above.
  std::uint32_t again = 0;
  // Takes that were left on a connection that is gone, with no removal behind them there: one that
  // arrives late stays until its ttl. Bits as above.
  std::uint32_t strays = 0;
  std::array<Message, kQueueMax> queue{};
  std::array<Zombie, kZombiesMax> zombies{};
};

enum class Phase : Byte { idle, acquiring, holding, extending, releasing, finished, dead };

// The documents' PHP, command by command.
enum class LegacyStep : Byte { idle, setnx, get, getset, holding, release_get, del, finished };

// What took an unexpired lock from under its holder.
enum class Robbery : Byte { none, blind_del, stale_getset, plain_release };

// How long the others are waited for is a quarter of the answer time, which may be less than a
// tick.
inline constexpr Byte kAskSoon = 6;

// Requests of one attempt that are kept back, because their servers are being left alone.
struct HedgedRequests {
  Byte kept = 0;  // mask of servers; where it is empty the rest is zero
  Byte command = 0;
  Byte attempt = 0;
  Byte left = 0;      // ticks until its answers are due
  Byte ask_left = 0;  // ticks until they are asked whatever the others say, or kAskSoon
  Byte asked = 0;
  Byte granted = 0;
  Byte denied = 0;
  Byte failed = 0;
};

struct Client {
  Phase phase = Phase::idle;
  LegacyStep step = LegacyStep::idle;
  std::uint16_t machine = 0;  // in the machine table; 0 is none
  Ticks hold_left = 0;        // of what was reported
  Byte held = 0;              // the token in the book
  Byte round = 0;
  Byte age = 0;  // legacy: ticks since it read the clock
  Byte attempt = 0;
  Robbery robbed = Robbery::none;
  // PidLock with mixedFleet: until the stamp it was last given ends, which its release is judged
  // by. Of whole seconds it stands for one unit longer.
  Ticks stamp_left = 0;
  // Ticks until its operation waits no more for what it asks while a connection is being made.
  Byte connect_left = 0;
  bool lagging = false;
  bool extended = false;
  HedgedRequests hedged;
};

inline constexpr Byte kNoOwner = 0xff;
inline constexpr Byte kPlain = 0xfe;  // a legacy client's stamp

struct Server {
  Byte owner = kNoOwner;  // a client, or one of the above
  Byte round = 0;
  Byte token = 0;
  bool persistent = false;  // without expiry
  Ticks left = 0;           // until the expiry, by the server's clock at its nominal rate
  Ticks down = 0;           // until it is back
  Byte scripts = 0;         // those it knows; only followed where it may forget them
};

struct State {
  std::array<Client, kClientsMax> clients{};
  std::array<Server, kServersMax> servers{};
  std::array<std::array<Link, kServersMax>, kClientsMax> links{};
  Byte faults_left = 0;
  Byte ticks_left = 0;    // where time is bounded
  Byte gain_left = 0;     // ticks that the server's clock may still run ahead
  Byte phase = 0;         // of its clock in its second, in ticks, where stamps count those
  bool loss = false;      // a fault may have swallowed a removal
  bool untimely = false;  // some answer came late, or not at all
  bool granted = false;   // somebody has had the lock
};

enum class MoveKind : Byte {
  start,
  execute,
  execute_zombie,
  deliver,
  admit,
  turn,
  release,
  extend,
  tick,
  expire,
  gain,
  crash,
  instant_restart,
  flush,
  notice,
  reset,
  kill,
  lag,
  resume,
  legacy_start,
  legacy_execute,
  legacy_release,
};

struct Move {
  MoveKind kind = MoveKind::tick;
  Byte client = 0;
  Byte server = 0;
  Byte detail = 0;  // execute_zombie: which; otherwise a mask of servers backed off from
};

}  // namespace redlock::exhaustive
