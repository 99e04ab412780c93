// What the listeners of a pool cost in looks, and what is left of them in a child.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redlock/net/listeners.hpp"
#include "support/child.hpp"
#include "support/listeners_fixture.hpp"

namespace redlock::listeners_look_test {
namespace {

using test::FakeServer;
using test::ListenersTest;
using test::Told;
using testing::SizeIs;

TEST_F(ListenersTest, NobodyLooksTwiceForTheSakeOfOneThatNobodyListensTo) {
  server(0).stopped = true;
  pool_.collect(listen(told_, 1));
  listen(told_, 0);
  clock_.advance(kTimeoutDefault * 2);
  const std::size_t before = transport_.wait_count;
  pool_.step(clock_.now());
  EXPECT_EQ(transport_.wait_count - before, 1U);
}

TEST_F(ListenersTest, NobodyLooksTwiceWhereNothingIsOverdue) {
  listen(told_, 1);
  step_for(Duration::ms(1));
  const std::size_t before = transport_.wait_count;
  pool_.step(clock_.now());
  EXPECT_EQ(transport_.wait_count - before, 1U);
}

// Who listens may ask there at any moment; nobody else wants to know before he does.
TEST_F(ListenersTest, OfServersThatAreListenedToAloneUnusedConnectionsAreSeenToEnd) {
  LockManager locks = manager(2);
  lock(locks);
  const OperationId id = listen(told_, 1);
  step_for(Duration::ms(1));
  ASSERT_EQ(pool_.connection_count(), 2U);
  transport_.drop_connections(server(0));
  transport_.drop_connections(server(1));
  step_for(Duration::ms(1));
  EXPECT_EQ(pool_.connection_count(), 1U);
  clock_.advance(kIdleLook);
  ASSERT_EQ(lock(locks, "another").decision, Decision::granted);
  pool_.collect(id);
  step_for(Duration::ms(1));
  ASSERT_EQ(pool_.connection_count(), 2U);
  transport_.drop_connections(server(0));
  step_for(Duration::ms(1));
  EXPECT_EQ(pool_.connection_count(), 2U);
}

TEST_F(ListenersTest, AChildForgetsItsParents) {
  listen(told_, 1);
  step_for(Duration::ms(1));
  const std::size_t requests = server(0).log.size();
  EXPECT_EQ(test::exit_status_of_child([&] {
              if (pool_.listener_count() != 0 || pool_.next_deadline()) return false;
              Told own;
              listen(own, 1);
              step_for(Duration::ms(1));
              const bool another = own.channel(0) != told_.channel(0) && !own.channel(0).empty();
              return another && server(0).log.size() == requests + 1;
            }),
            0);
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  step_for(Duration::ms(1));
  EXPECT_THAT(told_.pushes, SizeIs(1));
}

TEST_F(ListenersTest, OfThoseThatAreForgottenThereIsNoNews) {
  Listeners listeners(transport_, entropy_);
  server(0).reach = FakeServer::Reach::refuses;
  listeners.want(nodes(0, 1).front(), Duration::seconds(60), clock_.now());
  const auto try_to_connect = [&] {
    listeners.attend(clock_.now());
    std::vector<Interest> interests;
    listeners.add_interests(Listeners::Scope::wanted, interests);
    transport_.wait(interests, clock_.now());
    listeners.on_ready(interests, clock_.now());
    listeners.attend(clock_.now());
  };
  try_to_connect();
  ASSERT_TRUE(listeners.has_news());
  listeners.forget_all();
  EXPECT_FALSE(listeners.has_news());
  EXPECT_TRUE(listeners.empty());
}

}  // namespace
}  // namespace redlock::listeners_look_test
