// The API of C++ users where a server's silence leaves it open whether a majority holds a lock.
#include <gtest/gtest.h>

#include "io/support/clients_on_servers.hpp"

namespace redlock::client_undecided_test {
namespace {

using namespace std::chrono_literals;
using test::ClientOnServers;
using test::eventually;
using test::Values;

// The first server holds "r", the second has lost it, the third may hold it and does not answer.
class ClientUndecided : public ClientOnServers {
 protected:
  void SetUp() override {
    ClientOnServers::SetUp();
    for (const std::size_t i : {0U, 2U}) server(i).say({"SET", "r", "t", "PX", "60000"});
    server(2).stop();
  }
  void TearDown() override { server(2).go_on(); }

  Client hasty_{addresses(), {.timeout = 200ms}};
};

TEST_F(ClientUndecided, WhatAMajorityMayHoldIsNotKnownToBeFree) {
  const Inspection seen = hasty_.inspect("r");
  EXPECT_TRUE(seen.reachable);
  EXPECT_FALSE(seen.decided);
  EXPECT_FALSE(seen.majority.holder);
  EXPECT_EQ(seen.servers[0].view.holder->token, "t");
  EXPECT_EQ(seen.servers[2].fault, Fault::timeout);
}

TEST_F(ClientUndecided, WhatIsSeenToBeHeldOrFreeIsKnown) {
  server(1).say({"SET", "r", "t", "PX", "60000"});
  EXPECT_TRUE(hasty_.inspect("r").decided);
  for (const std::size_t i : {0U, 1U}) server(i).say({"DEL", "r"});
  EXPECT_TRUE(hasty_.inspect("r").decided) << "the third alone is no majority";
}

TEST_F(ClientUndecided, WithoutAMajorityNothingIsDecided) {
  Client client({server(0).address(), "127.0.0.1:1", "127.0.0.1:2"}, patient());
  EXPECT_FALSE(client.inspect("r").decided);
}

TEST_F(ClientUndecided, WhatMayBeHeldIsTakenAwayWhereverItIs) {
  EXPECT_TRUE(hasty_.force_release("r"));
  EXPECT_EQ(values(2), Values(2, "nil"));
  EXPECT_TRUE(hasty_.try_lock("r", 60s));
  server(2).go_on();
  EXPECT_TRUE(eventually([&] { return server(2).say({"GET", "r"}) != "t"; }));
}

TEST_F(ClientUndecided, WhereNoMajorityIsRidOfItItMayBeHeldStill) {
  server(0).say({"ACL", "SETUSER", "default", "-del"});
  const ForcedRelease released = hasty_.force_release("r");
  server(0).say({"ACL", "SETUSER", "default", "+del"});
  EXPECT_FALSE(released);
  EXPECT_EQ(released.decision, Decision::unreachable);
  EXPECT_EQ(released.troubles.size(), 2U);
}

TEST_F(ClientUndecided, WhatNeverExpiresIsLeftAloneAndNotCalledFree) {
  server(0).say({"PERSIST", "r"});
  EXPECT_EQ(hasty_.force_release("r").decision, Decision::split);
  EXPECT_EQ(server(0).say({"GET", "r"}), "t");
}

}  // namespace
}  // namespace redlock::client_undecided_test
