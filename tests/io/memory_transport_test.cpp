// Waiting for servers in memory and for others at once.
#include "redlock/os/memory_transport.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "redlock/config/endpoint.hpp"

namespace redlock::memory_transport_test {
namespace {

// Says what it is told to say, and notes until when it was to wait.
class Others final : public Transport {
 public:
  ConnectionId open(const Endpoint& /*endpoint*/, Instant /*answer_by*/) override { return 1; }
  LinkStatus status(ConnectionId /*connection*/) override {
    return {LinkState::connected, Fault::none, {}};
  }
  IoResult send(ConnectionId /*connection*/, std::string_view /*bytes*/) override { return {}; }
  IoResult receive(ConnectionId /*connection*/, std::span<char> /*into*/) override { return {}; }
  void close(ConnectionId /*connection*/) override {}
  void forget_all() override {}
  Woken wait(std::span<Interest> /*interests*/, Instant deadline) override {
    waited_until = deadline;
    return woken;
  }
  std::optional<Watch> watch(std::span<const Interest> interests) override {
    watched = interests.size();
    return watch_for;
  }

  std::optional<Watch> watch_for;
  std::size_t watched = 0;
  Woken woken = Woken::deadline;
  Instant waited_until;
};

class MemoryBesideOthers : public testing::Test {
 protected:
  ~MemoryBesideOthers() override { memory::forget_all(); }
  static Endpoint server_from(std::string_view text) { return parse_server(text).endpoint; }

  SystemClock clock_;
  Others others_;
  MemoryTransport transport_{others_, clock_};
  const ConnectionId here_ = transport_.open(server_from("memory://a"), Instant::never());
  const ConnectionId there_ = transport_.open(server_from("127.0.0.1"), Instant::never());
};

// The call is over once it was told.
TEST_F(MemoryBesideOthers, ACallIsToldThoughAnAnswerIsThere) {
  ASSERT_EQ(transport_.send(here_, "*1\r\n$4\r\nPING\r\n").state, IoState::progress);
  Interest interests[] = {{here_, {}}, {there_, {}}};
  others_.woken = Woken::called;
  EXPECT_EQ(transport_.wait(interests, Instant::never()), Woken::called);
  EXPECT_TRUE(interests[0].readable);
  others_.woken = Woken::deadline;
  EXPECT_EQ(transport_.wait(interests, Instant::never()), Woken::ready);
}

TEST_F(MemoryBesideOthers, WhoeverWaitsForNoneInMemoryIsNotWokenForThem) {
  Interest interests[] = {{there_, {}}};
  const Instant deadline = clock_.now() + Duration::seconds(60);
  others_.woken = Woken::called;
  EXPECT_EQ(transport_.wait(interests, deadline), Woken::called);
  EXPECT_EQ(others_.waited_until, deadline);
}

// Nothing tells an event loop of what comes in memory.
TEST_F(MemoryBesideOthers, ALoopLooksOftenWhereAnyIsInMemory) {
  constexpr int kDescriptor = 7;
  const Interest both[] = {{here_, {}}, {there_, {}}};
  EXPECT_FALSE(transport_.watch(both)) << "the others have no descriptor";
  others_.watch_for = Watch{kDescriptor, Instant::never()};
  const Instant before = clock_.now();
  const std::optional<Watch> watch = transport_.watch(both);
  ASSERT_TRUE(watch);
  EXPECT_EQ(others_.watched, 1U);
  EXPECT_EQ(watch->descriptor, kDescriptor);
  EXPECT_GE(watch->until, before + kMemoryLook);
  EXPECT_LE(watch->until, clock_.now() + kMemoryLook);
  ASSERT_EQ(transport_.send(here_, "*1\r\n$4\r\nPING\r\n").state, IoState::progress);
  EXPECT_EQ(transport_.watch(both).value().until, Instant());
  const Interest elsewhere[] = {{there_, {}}};
  EXPECT_EQ(transport_.watch(elsewhere).value().until, Instant::never());
}

}  // namespace
}  // namespace redlock::memory_transport_test
