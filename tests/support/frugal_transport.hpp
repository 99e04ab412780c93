// The network in memory for tests that count or fail what the library allocates: its own memory
// is none of theirs.
#pragma once
#include "support/allocations.hpp"
#include "support/fake_transport.hpp"

namespace redlock::test {

class FrugalTransport final : public FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  ConnectionId open(const Endpoint& endpoint, Instant answer_by) override {
    const WithMemory memory;
    return FakeTransport::open(endpoint, answer_by);
  }
  LinkStatus status(ConnectionId connection) override {
    const WithMemory memory;
    return FakeTransport::status(connection);
  }
  IoResult send(ConnectionId connection, std::string_view bytes) override {
    const WithMemory memory;
    return FakeTransport::send(connection, bytes);
  }
  IoResult receive(ConnectionId connection, std::span<char> into) override {
    const WithMemory memory;
    return FakeTransport::receive(connection, into);
  }
  void close(ConnectionId connection) override {
    const WithMemory memory;
    FakeTransport::close(connection);
  }
  Woken wait(std::span<Interest> interests, Instant deadline) override {
    const WithMemory memory;
    return FakeTransport::wait(interests, deadline);
  }
};

}  // namespace redlock::test
