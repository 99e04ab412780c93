// Locks that C++ users share to read, promote and demote, on real servers.
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "io/support/clients_on_servers.hpp"
#include "io/support/eventually.hpp"
#include "redlock/redlock.hpp"

namespace redlock::client_shared_test {
namespace {

using namespace std::chrono_literals;
using test::ClientOnServers;
using test::eventually;

class ClientShares : public ClientOnServers {
 protected:
  Client other_{addresses(), patient()};
};

TEST_F(ClientShares, ReadersHoldALockTogetherAndAWriterComesInOnceAllAreGone) {
  Result one = client_.try_lock_shared("r", 60s);
  Result two = other_.lock_shared("r", 60s, 1s);
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(one->shared());
  EXPECT_EQ(other_.try_lock("r", 60s).refusal().decision, Decision::denied);
  EXPECT_EQ(client_.inspect("r").majority.readers, 2);
  EXPECT_TRUE(one->confirm());
  EXPECT_TRUE(one->release());
  EXPECT_TRUE(two->confirm());
  EXPECT_TRUE(two->release());
  Result writer = other_.try_lock("r", 60s);
  ASSERT_TRUE(writer);
  EXPECT_FALSE(writer->shared());
  EXPECT_FALSE(client_.inspect("r").majority.readers);
  const Result reader = client_.try_lock_shared("r", 60s);
  EXPECT_FALSE(reader);
}

TEST_F(ClientShares, TheOnlyReaderIsPromotedAndDemotedAgain) {
  Result lease = client_.try_lock_shared("r", 60s);
  Result other = other_.try_lock_shared("r", 60s);
  ASSERT_TRUE(lease && other);
  EXPECT_FALSE(lease->promote());
  EXPECT_FALSE(lease->promote(100ms));
  EXPECT_TRUE(lease->live());
  EXPECT_TRUE(other->release());
  EXPECT_TRUE(lease->promote());
  EXPECT_FALSE(lease->shared());
  EXPECT_TRUE(lease->confirm());
  const Result refused = other_.try_lock_shared("r", 60s);
  EXPECT_FALSE(refused);
  EXPECT_TRUE(lease->demote());
  EXPECT_TRUE(lease->shared());
  const Result joined = other_.try_lock_shared("r", 60s);
  EXPECT_TRUE(joined);
  EXPECT_TRUE(lease->confirm());
}

TEST_F(ClientShares, ADemotionThatNoMajorityHearsOfIsFalse) {
  Result taken = client_.try_lock("r", 60s);
  ASSERT_TRUE(taken);
  Client brief(addresses(), {.timeout = 100ms});
  Lease lease = brief.attach(taken->detach(), 60s);
  for (const std::size_t i : {0U, 1U}) server(i).ask({"CLIENT", "PAUSE", "60000", "WRITE"});
  EXPECT_FALSE(lease.demote());
  EXPECT_TRUE(lease.live());
  for (const std::size_t i : {0U, 1U}) server(i).ask({"CLIENT", "UNPAUSE"});
}

TEST_F(ClientShares, APromotionWaitsUntilTheOtherReaderIsGone) {
  Result lease = client_.try_lock_shared("r", 60s);
  ASSERT_TRUE(lease);
  Result other = other_.try_lock_shared("r", 500ms);
  ASSERT_TRUE(other);
  (void)other->detach();
  EXPECT_TRUE(lease->promote(10s));
}

TEST_F(ClientShares, AStopEndsTheWaitForAPromotion) {
  Result lease = client_.try_lock_shared("r", 60s);
  Result other = other_.try_lock_shared("r", 60s);
  ASSERT_TRUE(lease && other);
  std::stop_source stop;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(100ms);
    stop.request_stop();
  });
  EXPECT_FALSE(lease->promote(std::chrono::milliseconds::max(), stop.get_token()));
  EXPECT_TRUE(lease->confirm());
}

TEST_F(ClientShares, WhatIsKeptAliveIsKeptBehindAPromotion) {
  Result lease = client_.try_lock_shared("r", 600ms);
  ASSERT_TRUE(lease);
  const KeepAlive kept = lease->keep_alive(1h);
  ASSERT_TRUE(lease->promote());
  std::this_thread::sleep_for(1500ms);
  EXPECT_FALSE(kept.lost().stop_requested());
  EXPECT_TRUE(lease->confirm());
}

TEST_F(ClientShares, ItsHandleIsSharedElsewhere) {
  Result lease = client_.try_lock_shared("r", 60s);
  ASSERT_TRUE(lease);
  const Handle handle = lease->detach();
  EXPECT_TRUE(handle.shared);
  Lease again = other_.attach(handle, 60s);
  EXPECT_TRUE(again.shared());
  EXPECT_TRUE(again.promote());
  EXPECT_FALSE(again.handle().shared);
  EXPECT_TRUE(again.release());
  EXPECT_TRUE(gone());
}

TEST_F(ClientShares, WhatCannotBeMeantThrows) {
  Result lease = client_.try_lock("r", 60s);
  Result several = client_.try_lock_all({"a", "b"}, 60s);
  Result reader = client_.try_lock_shared("c", 60s);
  ASSERT_TRUE(lease && several && reader);
  EXPECT_THROW((void)lease->promote(), std::logic_error);
  EXPECT_THROW((void)several->demote(), std::logic_error);
  EXPECT_THROW((void)reader->demote(), std::logic_error);
  EXPECT_THROW((void)client_.attach({.resources = {"a", "b"}, .token = "t", .shared = true}, 60s),
               std::invalid_argument);
}

}  // namespace
}  // namespace redlock::client_shared_test
