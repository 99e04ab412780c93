// A network in memory: connections to fake servers, on a fake clock.
//
// wait() moves the clock to whatever comes first, an event or the deadline, so that nothing here
// takes time. What has been sent arrives, also after the sender has closed.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "redlock/os/transport.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_server.hpp"

namespace redlock::test {

class FakeTransport : public Transport {
 public:
  explicit FakeTransport(FakeClock& clock) : clock_(clock) {}

  // The server behind an endpoint, by its Endpoint::display().
  FakeServer& server(const std::string& display) { return servers_[display]; }
  // Lets a stopped server go on with what it has received, also on closed connections.
  void resume(FakeServer& server);
  // The server closes all its connections.
  void drop_connections(FakeServer& server);
  // The network forgets the connections that stand: what is sent on them vanishes, and nobody says
  // so. New ones work.
  void forget_flows(FakeServer& server);
  // The server publishes this; how many receive it.
  std::size_t publish(FakeServer& server, const std::string& channel, const std::string& payload);
  // What its clients are subscribed to at the moment, the latest last.
  [[nodiscard]] std::vector<std::string> channels(const FakeServer& server) const;
  // Sends move nothing more until the moment, and everything from then on.
  void raise_send_room_at(Instant at) { room_at_ = at; }

  [[nodiscard]] ConnectionId open(const Endpoint& endpoint, Instant answer_by) override;
  [[nodiscard]] LinkStatus status(ConnectionId connection) override;
  [[nodiscard]] Wants wants(ConnectionId /*connection*/, bool has_output) override {
    return {true, has_output, buffered};
  }
  [[nodiscard]] IoResult send(ConnectionId connection, std::string_view bytes) override;
  [[nodiscard]] IoResult receive(ConnectionId connection, std::span<char> into) override;
  void close(ConnectionId connection) override;
  void forget_all() override;
  Woken wait(std::span<Interest> interests, Instant deadline) override;

  // Every send takes this long.
  Duration send_time;
  // A send moves at most so many bytes, and then none until it is raised.
  std::size_t send_room = ~std::size_t{0};
  // How often bytes were handed over, whatever became of them, and how often somebody waited.
  std::size_t send_count = 0;
  std::size_t wait_count = 0;
  // The next wait() is interrupted by a signal.
  bool interrupt_next_wait = false;
  // Of every connection more has come than its socket shows.
  bool buffered = false;
  [[nodiscard]] std::size_t open_count() const;

 private:
  struct Link {
    FakeServer* server = nullptr;
    Instant decided_at;
    std::string to_server;
    struct Piece {
      Instant at;
      std::string bytes;
    };
    std::deque<Piece> to_client;
    std::string channel;  // that it is subscribed to
    bool closed_by_client = false;
    bool closed_by_server = false;
    bool forgotten = false;
  };

  void execute(Link& link);
  [[nodiscard]] bool readable(const Link& link) const;
  [[nodiscard]] bool writable(const Link& link) const;
  [[nodiscard]] static Instant next_event(const Link& link);

  FakeClock& clock_;
  std::map<std::string, FakeServer> servers_;
  Instant room_at_ = Instant::never();
  ConnectionId last_id_ = 0;
  std::map<ConnectionId, Link> links_;
};

}  // namespace redlock::test
