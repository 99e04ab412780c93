// How many connections there may be, and which one makes room.
#include "redlock/net/live_nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "support/fake_world.hpp"
#include "support/scripted.hpp"

namespace redlock::live_nodes_test {
namespace {

using test::Arguments;
using test::FakeServer;
using test::Scene;
using test::Scripted;

class LiveNodesTest : public test::FakeWorld {};

Endpoint endpoint(const std::string& host) {
  Endpoint endpoint;
  endpoint.host = host;
  return endpoint;
}

TEST_F(LiveNodesTest, TheLongestUnusedConnectionMakesRoomForANewOne) {
  for (std::size_t i = 0; i <= kConnectionsMax; ++i) {
    Endpoint server = endpoint("h" + std::to_string(i));
    LockManager locks(pool_, {ServerSpec{server, std::nullopt}}, once());
    ASSERT_EQ(lock(locks).decision, Decision::granted);
    clock_.advance(Duration::us(1));
  }
  EXPECT_EQ(transport_.open_count(), kConnectionsMax);
  LockManager first(pool_, {ServerSpec{endpoint("h0"), std::nullopt}}, once());
  lock(first, "again");
  EXPECT_EQ(transport_.server("h0:6379").connections_opened, 2U);
  EXPECT_EQ(transport_.server("h5:6379").connections_opened, 1U);
}

TEST_F(LiveNodesTest, WhoIsConnectedTakesNobodysRoom) {
  const auto lock_at = [this](std::size_t i) {
    LockManager locks(pool_, {ServerSpec{endpoint("h" + std::to_string(i)), std::nullopt}}, once());
    return lock(locks, "r" + std::to_string(clock_.now().since_epoch_ns())).decision;
  };
  for (std::size_t i = 0; i < kConnectionsMax; ++i) {
    ASSERT_EQ(lock_at(i), Decision::granted);
    clock_.advance(Duration::us(1));
  }
  EXPECT_EQ(lock_at(kConnectionsMax - 1), Decision::granted);
  EXPECT_EQ(transport_.open_count(), kConnectionsMax);
}

TEST_F(LiveNodesTest, NoBusyConnectionMakesRoom) {
  Endpoint first = endpoint("h0");
  LockManager busy(pool_, {ServerSpec{first, Duration::seconds(100)}}, once());
  transport_.server("h0:6379").answer_time = Duration::seconds(1);
  const OperationId id = busy.begin_lock(Resource("r"), Duration::ms(10'000));
  for (std::size_t i = 1; i <= kConnectionsMax; ++i) {
    clock_.advance(Duration::us(1));
    LockManager locks(pool_, {ServerSpec{endpoint("h" + std::to_string(i)), std::nullopt}}, once());
    ASSERT_EQ(lock(locks).decision, Decision::granted);
  }
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
  EXPECT_EQ(transport_.server("h1:6379").connections_opened, 1U);
}

TEST_F(LiveNodesTest, WhereAllConnectionsAreBusyThereIsOneMore) {
  for (std::size_t i = 0; i <= kConnectionsMax; ++i) {
    const std::string host = "h" + std::to_string(i);
    transport_.server(host + ":6379").answer_time = Duration::seconds(1);
    LockManager locks(pool_, {ServerSpec{endpoint(host), Duration::seconds(100)}}, once());
    static_cast<void>(locks.begin_lock(Resource("r"), Duration::ms(10'000)));
  }
  EXPECT_EQ(transport_.open_count(), kConnectionsMax + 1);
}

// How many connections there are at most.
class CountingTransport final : public test::FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  ConnectionId open(const Endpoint& endpoint, Instant answer_by) override {
    const ConnectionId opened = FakeTransport::open(endpoint, answer_by);
    most_open = std::max(most_open, open_count());
    return opened;
  }
  std::size_t most_open = 0;
};

// The oldest has just answered more than it was asked, and is closed at the end of the turn.
TEST(ATurnWithAsManyConnectionsAsThereMayBe, MakesNoRoomByOneThatIsEndingAlready) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  CountingTransport transport(clock);
  Pool pool(transport, clock, entropy);
  const Duration patience = Duration::seconds(5);
  const auto name = [](std::size_t i) { return "h" + std::to_string(i); };
  NodeList nodes;
  for (const std::size_t i : {std::size_t{0}, kConnectionsMax}) {
    nodes.push_back(pool.node(parse_server(name(i)).endpoint, patience));
  }
  FakeServer& talkative = transport.server("h0:6379");
  talkative.say = [](const Arguments&) { return ":0\r\n:0\r\n"; };
  talkative.answer_time = Duration::seconds(1);
  Scene scene;
  const auto ask = [&](std::size_t node) {
    return [=](Scripted& operation, Instant now) {
      operation.ask(node, node + 1, CheckEqual{Resource("r"), Token("t")}, now + patience);
    };
  };
  scene.begun = ask(0);
  scene.answered = [&](Scripted& operation, std::size_t node, Instant now) {
    if (node == 0) ask(1)(operation, now);
  };
  (void)pool.begin(std::make_unique<Scripted>(scene, nodes.size()), nodes);
  pool.step(clock.now());
  for (std::size_t i = 1; i < kConnectionsMax; ++i) {
    clock.advance(Duration::us(1));
    LockManager locks(pool, {parse_server(name(i))}, {});
    ASSERT_EQ(pool.run(locks.begin_lock(Resource("r"), Duration::seconds(10))).decision,
              Decision::granted);
  }
  ASSERT_EQ(transport.most_open, kConnectionsMax);
  while (scene.replies.size() < 2) pool.step(clock.now() + patience);
  EXPECT_EQ(transport.server(name(kConnectionsMax) + ":6379").connections_opened, 1U);
  EXPECT_EQ(transport.most_open, kConnectionsMax);
}

}  // namespace
}  // namespace redlock::live_nodes_test
