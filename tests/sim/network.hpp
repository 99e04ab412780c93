// The simulated network: one first-in-first-out stream of bytes per direction and connection.
//
// Streams behave like TCP: bytes arrive whole, in order, at some time, or the connection breaks.
// A blocked link keeps what is on its way and delivers it later; nothing is ever lost from the
// middle. All delays are drawn from the schedule's seed. One thread.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/algorithm/reply.hpp"
#include "sim/event_queue.hpp"
#include "sim/random.hpp"
#include "sim/record/links.hpp"
#include "sim/servers.hpp"
#include "sim/trace.hpp"

namespace redlock::sim {

inline constexpr std::uint64_t kNeverReset = std::numeric_limits<std::uint64_t>::max();

// How one side's bytes are cut on their way.
enum class Slicing { none, pieces, single_bytes };

// One direction of one connection.
struct Pipe {
  struct Piece {
    std::int64_t sent_ns = 0;
    std::int64_t written_ns = 0;  // by the process; it may have paused before they left
    std::int64_t arrives_ns = 0;
    std::size_t size = 0;
    bool end = false;  // the sender has closed; no bytes follow
  };
  std::string bytes;
  std::size_t bytes_offset = 0;
  std::vector<Piece> pieces;
  std::size_t pieces_offset = 0;
  std::int64_t last_arrival_ns = 0;
  std::uint64_t delivered = 0;
  std::uint64_t reset_after = kNeverReset;  // delivered bytes
};

enum class ClientSide { connecting, connected, failed, closed };

struct Connection {
  std::uint32_t id = 0;  // its position, from 0
  std::uint32_t client = 0;
  std::uint32_t server = 0;
  ClientSide client_side = ClientSide::connecting;
  bool server_side = false;   // the server knows the connection
  std::int64_t used_ns = 0;   // when the client last wrote, or opened it
  std::int64_t ended_ns = 0;  // when the client's end heard of the end
  bool turned_away = false;   // the server would not have it, and said so
  // When the bytes that arrived last were written; 0: not known.
  std::int64_t written_ns = 0;
  bool misused = false;
  // It was used once more after it had been unused for so long that it may be replaced.
  bool outlived = false;
  bool half_closed = false;  // closed, and answers are still read
  bool silent = false;       // half-open: whatever is sent vanishes
  bool forgotten = false;    // so, because a request came after too long
  Slicing slicing = Slicing::none;
  // For the checker: all that the client wrote, how much it read, and where whole answers ended.
  std::string written;
  std::uint64_t read = 0;
  std::vector<std::uint64_t> answer_ends;
  bool left_soon = false;   // it has said that it is a replica: what is left goes on the next one
  bool spoiled = false;     // an answer was not what the server meant: behind it none is counted
  bool by_the_end = false;  // closed because a request was over
  std::int64_t unaccepted_ns = 0;  // when the server refused its password; 0: it did not
  Pipe up;
  Pipe down;
  // The client's end.
  std::string inbox;
  std::size_t inbox_offset = 0;
  bool peer_ended = false;
  Fault fault = Fault::none;
  const char* reason = "";
  bool taken = true;  // the kernel took all of what the client gave it last
  std::size_t send_room = std::numeric_limits<std::size_t>::max();  // until some of it arrives
  // The server's end.
  ServerSession session;
  std::string unread;  // arrived while the server could not read
  bool unread_end = false;

  void note_answer(std::size_t size) {
    if (spoiled) return;
    answer_ends.push_back(size + (answer_ends.empty() ? 0 : answer_ends.back()));
  }
};

enum Direction : unsigned { kUp = 0, kDown = 1 };

// Between one client and one server.
struct Link {
  std::int64_t delay_low_ns = 0;
  std::int64_t delay_high_ns = 0;
  std::int64_t slow_until_ns = 0;
  std::int64_t slow_by_ns = 0;  // at most, in addition
  std::int64_t blocked_until_ns[2] = {0, 0};
  // Of connections that are being opened.
  std::int64_t opens_late_until_ns = 0;
  std::int64_t opens_late_by_ns = 0;
  std::int64_t opens_fail_until_ns = 0;
  Fault opens_fail_by = Fault::none;
  std::int64_t queue_full_until_ns = 0;  // the client's kernel takes nothing
};

enum class Reachable { yes, refused, silent };

// The ends that the network serves.
class NetworkEnds {
 public:
  virtual ~NetworkEnds() = default;
  virtual Reachable server_reachable(std::uint32_t server) = 0;
  virtual void server_accepts(Connection& connection) = 0;
  virtual void server_receives(Connection& connection, std::string_view bytes) = 0;
  virtual void server_sees_end(Connection& connection) = 0;
  virtual void client_ready(std::uint32_t client) = 0;
  // The moment of the client's next time-out; 0 when there is none or it is of no interest.
  virtual std::int64_t client_deadline_ns(std::uint32_t client) = 0;
  // Something was kept for that moment.
  virtual void held_back(std::int64_t until_ns) = 0;
  // It breaks now, at the byte that was drawn for that.
  virtual void breaks(const Connection& connection) = 0;
  // Bytes of this client leave no earlier than that.
  virtual std::int64_t client_sends_from_ns(std::uint32_t client) = 0;
};

class Network final : public Links {
 public:
  // All references must outlive the network.
  Network(NetworkEnds& ends, EventQueue& queue, Trace& trace, const std::int64_t& now_ns,
          std::uint64_t seed, std::uint32_t clients, std::uint32_t servers);

  [[nodiscard]] Link& link(std::uint32_t client, std::uint32_t server) {
    return links_[client * servers_ + server];
  }
  [[nodiscard]] Connection& connection(std::uint32_t id) { return *connections_[id]; }
  [[nodiscard]] std::uint32_t connection_count() const {
    return static_cast<std::uint32_t>(connections_.size());
  }
  // What the checker asks.
  [[nodiscard]] bool sound(std::uint32_t client, std::uint32_t server) const override;
  [[nodiscard]] bool under_way(std::uint32_t client, std::uint32_t server,
                               std::uint32_t except) const override;
  [[nodiscard]] std::vector<EndedLink> ended(std::uint32_t client, std::uint32_t server,
                                             std::uint32_t newest) const override;
  [[nodiscard]] std::vector<EndedLink> forgotten(std::uint32_t client,
                                                 std::uint32_t server) const override;
  // The slicing of connections opened from now on.
  void set_slicing(Slicing slicing) { slicing_ = slicing; }
  // From now on flows that carried no request for so long are forgotten; 0: never.
  void set_forgets_after(std::int64_t span_ns) { forgets_after_ns_ = span_ns; }
  [[nodiscard]] std::int64_t now_ns() const { return now_ns_; }
  // An answer to a closed connection takes with it what its server has not read.
  void set_resets_on_close() { resets_on_close_ = true; }
  void set_send_room(std::size_t bytes) { send_room_ = bytes; }

  // How often bytes were cut on their way, and how often a kernel took less than it was given.
  [[nodiscard]] std::uint64_t slice_count() const { return slice_count_; }
  [[nodiscard]] std::uint64_t short_count() const { return short_count_; }
  [[nodiscard]] std::uint64_t full_count() const { return full_count_; }
  [[nodiscard]] std::uint64_t late_open_count() const { return late_open_count_; }
  [[nodiscard]] std::uint64_t failed_open_count() const { return failed_open_count_; }
  [[nodiscard]] std::uint64_t reset_on_close_count() const { return reset_on_close_count_; }
  // What the client's kernel would take now.
  [[nodiscard]] std::size_t room(const Connection& connection);

  // From now on nothing passes on any of the client's connections, and nobody says so.
  void cut_off(std::uint32_t client);
  // Lifts what still waits to strike.
  void heal();

  // What clients do.
  Connection& open(std::uint32_t client, std::uint32_t server);
  // The number of bytes accepted.
  std::size_t send_up(Connection& connection, std::string_view bytes);
  void close(Connection& connection);
  // Like close(), but reads on until the server has ended it too.
  void close_behind(Connection& connection);
  // What servers do.
  void send_down(Connection& connection, std::string_view bytes);
  // The server closes after what it has sent.
  void end_down(Connection& connection);
  // Breaks the connection at once; both ends notice.
  void reset(Connection& connection);

  void take(const Event& event);

 private:
  void connect(Connection& connection);
  void deliver(Connection& connection, Direction direction);
  void hand_over(Connection& connection, Direction direction, std::string_view bytes);
  void answer_closed(Connection& connection);
  void hand_over_end(Connection& connection, Direction direction);
  void enqueue(Connection& connection, Direction direction, std::size_t size, bool end);
  void add_piece(Connection& connection, Direction direction, const Pipe::Piece& piece);
  [[nodiscard]] std::int64_t draw_delay(const Link& link);
  [[nodiscard]] bool blocked(Connection& connection, Direction direction, EventKind again);
  void tell_story(const Connection& connection, Direction direction, const Pipe::Piece& piece,
                  std::string_view bytes);

  NetworkEnds& ends_;
  EventQueue& queue_;
  Trace& trace_;
  const std::int64_t& now_ns_;
  Random random_;
  std::uint32_t servers_;
  std::vector<Link> links_;
  std::vector<std::unique_ptr<Connection>> connections_;
  Slicing slicing_ = Slicing::none;
  std::int64_t forgets_after_ns_ = 0;
  std::size_t send_room_ = std::numeric_limits<std::size_t>::max();
  std::uint64_t slice_count_ = 0;
  std::uint64_t short_count_ = 0;
  std::uint64_t full_count_ = 0;
  std::uint64_t late_open_count_ = 0;
  std::uint64_t failed_open_count_ = 0;
  std::uint64_t reset_on_close_count_ = 0;
  bool resets_on_close_ = false;
};

}  // namespace redlock::sim
