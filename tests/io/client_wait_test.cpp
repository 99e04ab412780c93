// Waits of C++ users on real servers: in line or by trying again, and how they end.
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "io/support/clients_on_servers.hpp"

namespace redlock::client_wait_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::ClientOnServers;
using test::eventually;

TEST_F(ClientOnServers, AWaitGetsWhatIsGivenBackMeanwhile) {
  Result theirs = client_.try_lock("r", 60s);
  ASSERT_TRUE(theirs);
  std::jthread giver([&] {
    // The other one has been refused once.
    EXPECT_TRUE(eventually([] { return server(0).calls("set") >= 2; }));
    theirs = Refusal{};
  });
  Client other(addresses(), patient());
  const Result ours = other.lock("r", 60s, std::chrono::milliseconds::max());
  EXPECT_TRUE(ours);
}

TEST_F(ClientOnServers, AWaitStandsInLineAndLeavesNothingThere) {
  Result theirs = client_.try_lock("r", 60s);
  ASSERT_TRUE(theirs);
  std::jthread giver([&] {
    EXPECT_TRUE(eventually([] { return server(0).say({"ZCARD", "r:redlock:line"}) == "1"; }));
    theirs = Refusal{};
  });
  Client other(addresses(), patient());
  Result ours = other.lock("r", 60s, std::chrono::milliseconds::max());
  ASSERT_TRUE(ours);
  EXPECT_TRUE(ours->confirm());
  EXPECT_TRUE(ours->release());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(eventually([i] { return server(i).say({"DBSIZE"}) == "0"; }));
  }
}

TEST_F(ClientOnServers, AClientThatIsNotToStandInLineTriesAgainAndAgain) {
  Result theirs = client_.try_lock("r", 60s);
  ASSERT_TRUE(theirs);
  std::jthread giver([&] {
    EXPECT_TRUE(eventually([] { return server(0).calls("set") >= 4; }));
    theirs = Refusal{};
  });
  Options polls = patient();
  polls.line = false;
  Client other(addresses(), polls);
  const Result ours = other.lock("r", 60s, std::chrono::milliseconds::max());
  EXPECT_TRUE(ours);
  EXPECT_EQ(server(0).calls("subscribe"), 0U);
}

TEST_F(ClientOnServers, AWaitIsOverWhenItsTimeIs) {
  const Result theirs = client_.try_lock("r", 60s);
  Client other(addresses(), patient());
  const auto began = steady_clock::now();
  const Result ours = other.lock("r", 60s, 200ms);
  ASSERT_FALSE(ours);
  EXPECT_EQ(ours.refusal().decision, Decision::denied);
  EXPECT_GE(steady_clock::now() - began, 190ms);
}

TEST_F(ClientOnServers, AStopEndsAWaitWithoutEndAndLeavesNothing) {
  const Result theirs = client_.try_lock("r", 60s);
  std::stop_source source;
  std::jthread stopper([&] {
    EXPECT_TRUE(eventually([] { return server(0).calls("set") >= 2; }));
    source.request_stop();
  });
  Client other(addresses(), patient());
  const Result ours = other.lock("r", 60s, std::chrono::milliseconds::max(), source.get_token());
  ASSERT_FALSE(ours);
  EXPECT_EQ(ours.refusal().decision, Decision::aborted);
  EXPECT_TRUE(eventually([&] { return values(3) == everywhere(theirs->token()); }));
  EXPECT_TRUE(eventually([] { return server(0).say({"DBSIZE"}) == "1"; }));
}

TEST_F(ClientOnServers, AStopUndoesWhatIsUnderWayAndWaitsForNoServer) {
  Client client(addresses(), {.timeout = 60s});
  {
    ASSERT_TRUE(client.try_lock("connects", 60s));
  }
  server(0).stop();
  server(1).stop();
  std::stop_source source;
  steady_clock::time_point stopped;
  std::jthread stopper([&] {
    EXPECT_TRUE(eventually([] { return server(2).say({"GET", "r"}) != "nil"; }));
    // By then that answer has been taken too, and none is to come.
    const auto taken = steady_clock::now() + 100ms;
    EXPECT_TRUE(eventually([taken] { return steady_clock::now() > taken; }));
    stopped = steady_clock::now();
    source.request_stop();
  });
  const Result lease = client.lock("r", 60s, 60s, source.get_token());
  const auto returned = steady_clock::now();
  stopper.join();
  server(0).go_on();
  server(1).go_on();
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.refusal().decision, Decision::aborted);
  // Each server may take a minute.
  EXPECT_LT(returned - stopped, 20s);
  EXPECT_TRUE(gone());
}

TEST_F(ClientOnServers, AStopThatCameBeforeAsksNobody) {
  const std::uint64_t before = server(0).calls("set");
  {
    ASSERT_TRUE(client_.try_lock("connects", 60s));
  }
  // Two others may have given it.
  EXPECT_TRUE(eventually([&] { return server(0).calls("set") == before + 1; }));
  std::stop_source source;
  source.request_stop();
  const Result lease = client_.lock("r", 60s, 60s, source.get_token());
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.refusal().decision, Decision::aborted);
  {
    ASSERT_TRUE(client_.try_lock("next", 60s));
  }
  EXPECT_TRUE(eventually([&] { return server(0).calls("set") == before + 2; }));
}

}  // namespace
}  // namespace redlock::client_wait_test
