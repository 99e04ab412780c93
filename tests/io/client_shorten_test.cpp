// Leases that C++ users shorten, on real servers.
#include <gtest/gtest.h>

#include "io/support/clients_on_servers.hpp"
#include "io/support/eventually.hpp"
#include "redlock/redlock.hpp"
#include "support/allocations.hpp"

namespace redlock::client_shorten_test {
namespace {

using namespace std::chrono_literals;
using test::ClientOnServers;
using test::eventually;

class ClientShortens : public ClientOnServers {
 protected:
  static std::int64_t longest_ttl_ms() {
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      longest = std::max<std::int64_t>(longest, std::stoll(server(i).say({"PTTL", "r"})));
    }
    return longest;
  }
};

TEST_F(ClientShortens, ALeaseEndsSoonerOnAllServersUnderAnotherToken) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease) << to_string(lease.refusal());
  const std::string old(lease->token());
  EXPECT_TRUE(lease->shorten(5s));
  EXPECT_NE(lease->token(), old);
  EXPECT_LE(lease->remaining(), 5s);
  EXPECT_TRUE(lease->live());
  EXPECT_LE(longest_ttl_ms(), 5'000);
  EXPECT_EQ(values(3), everywhere(lease->token()));
  EXPECT_TRUE(lease->extend(60s));
  EXPECT_GT(longest_ttl_ms(), 50'000);
  EXPECT_TRUE(lease->release());
  EXPECT_TRUE(gone());
}

TEST_F(ClientShortens, ATtlThatIsNoShorterExtends) {
  Result lease = client_.try_lock("r", 5s);
  ASSERT_TRUE(lease);
  const std::string token(lease->token());
  EXPECT_TRUE(lease->shorten(60s));
  EXPECT_EQ(lease->token(), token);
  EXPECT_GT(lease->remaining(), 50s);
}

TEST_F(ClientShortens, TheTtlThatItIsKeptAliveWithExtends) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  const KeepAlive kept = lease->keep_alive(1h);
  const std::string token(lease->token());
  EXPECT_TRUE(lease->shorten(60s));
  EXPECT_EQ(lease->token(), token);
}

// Who keeps it alive may be extending it by the longer one at that moment.
TEST_F(ClientShortens, AnyTtlBelowTheOneThatItIsKeptAliveWithShortens) {
  Result lease = client_.try_lock("r", 6s);
  ASSERT_TRUE(lease);
  const KeepAlive kept = lease->keep_alive(1h);
  const std::string token(lease->token());
  // Then no server keeps it for longer than that.
  ASSERT_TRUE(eventually([&] { return lease->remaining() < 5s; }));
  EXPECT_TRUE(lease->shorten(5500ms));
  EXPECT_NE(lease->token(), token);
}

TEST_F(ClientShortens, AnExtendWhoseAnswersWereLostIsShortenedToo) {
  Client hasty(addresses(), {.timeout = 300ms});
  Result lease = hasty.try_lock("r", 10s);
  ASSERT_TRUE(lease);
  for (std::size_t i = 0; i < 3; ++i) server(i).stop();
  EXPECT_FALSE(lease->extend(300s));
  for (std::size_t i = 0; i < 3; ++i) server(i).go_on();
  EXPECT_TRUE(eventually([] { return longest_ttl_ms() > 200'000; }));
  EXPECT_TRUE(lease->shorten(15s));
  // A server that had no connection at that moment is told with the next call.
  EXPECT_TRUE(eventually([&] { return lease->confirm() && longest_ttl_ms() <= 15'000; }));
}

TEST_F(ClientShortens, ALeaseThatWasAttachedIsShortenedWhateverItWasAttachedFor) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  Client other(addresses(), patient());
  Lease again = other.attach(lease->detach(), 1s);
  EXPECT_TRUE(again.shorten(5s));
  EXPECT_LE(longest_ttl_ms(), 5'000);
}

// Nothing may keep a lease alive any more of which that is believed.
TEST_F(ClientShortens, WhatKeepsItAliveKnowsThatItIsOverWhereMemoryRunsOut) {
  bool happened = true;
  std::size_t thrown = 0;
  for (std::size_t n = 0; happened && n < 500; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    Result lease = client_.try_lock("r", 60s);
    ASSERT_TRUE(lease);
    const KeepAlive kept = lease->keep_alive(1h);
    const std::string token(lease->token());
    const test::Tried tried =
        test::try_without(n, test::Shortage::once, [&] { (void)lease->shorten(5s); });
    happened = tried.happened;
    if (tried.threw) {
      ++thrown;
      // Where nothing has begun it is kept as before.
      EXPECT_TRUE(lease->token() == token || kept.lost().stop_requested());
      EXPECT_EQ(lease->live() && lease->token() == token, !kept.lost().stop_requested());
    }
    (void)lease->release();
    EXPECT_TRUE(gone_behind_a_call(client_));
  }
  EXPECT_GT(thrown, 3U);
}

TEST_F(ClientShortens, ALeaseThatIsKeptAliveIsExtendedByTheShortTtl) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  const KeepAlive kept = lease->keep_alive(1h);
  EXPECT_TRUE(lease->shorten(1s));
  const auto end = std::chrono::steady_clock::now() + 3s;
  EXPECT_TRUE(eventually([&] { return std::chrono::steady_clock::now() > end; }));
  EXPECT_TRUE(lease->confirm());
  EXPECT_LE(longest_ttl_ms(), 1'000);
  EXPECT_FALSE(kept.lost().stop_requested());
}

TEST_F(ClientShortens, WhatIsNotOursAnyMoreIsLost) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  const KeepAlive kept = lease->keep_alive(1h);
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  EXPECT_FALSE(lease->shorten(5s));
  EXPECT_FALSE(lease->live());
  EXPECT_TRUE(kept.lost().stop_requested());
  EXPECT_EQ(server(0).say({"GET", "r"}), "somebody else's");
}

TEST_F(ClientShortens, ATtlThatCannotBeMeantChangesNothing) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  const std::string token(lease->token());
  EXPECT_THROW((void)lease->shorten(0s), std::invalid_argument);
  EXPECT_EQ(lease->token(), token);
  EXPECT_TRUE(lease->confirm());
}

}  // namespace
}  // namespace redlock::client_shorten_test
