// The network in memory, with faults that are its own and no server's.
#pragma once
#include <functional>
#include <new>

#include "support/fake_transport.hpp"

namespace redlock::test {

class FaultyTransport final : public FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  ConnectionId open(const Endpoint& endpoint, Instant answer_by) override {
    if (short_of_memory) throw std::bad_alloc();
    return FakeTransport::open(endpoint, answer_by);
  }
  IoResult send(ConnectionId connection, std::string_view bytes) override {
    if (cannot_send) return {IoState::ended, 0, "broken pipe"};
    return FakeTransport::send(connection, bytes);
  }
  Woken wait(std::span<Interest> interests, Instant deadline) override {
    if (before_wait) before_wait();
    return FakeTransport::wait(interests, deadline);
  }

  // Nothing can be opened.
  bool short_of_memory = false;
  // Whatever is still to be read, connections take nothing more.
  bool cannot_send = false;
  std::function<void()> before_wait;
};

}  // namespace redlock::test
