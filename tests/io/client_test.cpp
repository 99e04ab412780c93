// The API of C++ users on real servers: what Client and Lease promise.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>

#include "io/support/clients_on_servers.hpp"
#include "support/child.hpp"

namespace redlock::client_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::ClientOnServers;
using test::eventually;
using test::exit_status_of_child;
using test::Values;

TEST_F(ClientOnServers, ALockIsAKeyWithItsTokenOnEveryServer) {
  const Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease) << to_string(lease.refusal());
  EXPECT_EQ(lease->resource(), "r");
  EXPECT_TRUE(eventually([&] { return values(3) == everywhere(lease->token()); }));
}

TEST_F(ClientOnServers, ALeaseMayBeTrustedForItsTtlLessDrift) {
  const Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->live());
  EXPECT_LE(lease->remaining(), 60s - 602ms);
  EXPECT_GT(lease->remaining(), 30s);
  // Half of it, by a user who trusts no clock.
  Client other(addresses(), {.timeout = 5s, .drift_factor = 0.5});
  const Result brief = other.try_lock("another", 60s);
  ASSERT_TRUE(brief);
  EXPECT_LE(brief->remaining(), 30s);
}

TEST_F(ClientOnServers, WhatSomebodyElseHoldsIsDenied) {
  const Result theirs = client_.try_lock("r", 60s);
  Client other(addresses(), patient());
  const Result ours = other.try_lock("r", 60s);
  ASSERT_FALSE(ours);
  EXPECT_EQ(ours.refusal().decision, Decision::denied);
  EXPECT_TRUE(ours.refusal().troubles.empty());
  // Who tries once stands in no line.
  EXPECT_EQ(server(0).say({"CLIENT", "LIST", "TYPE", "pubsub"}), "");
}

TEST_F(ClientOnServers, AServerShowsItsNameToWhoeverAsksWhoIsThere) {
  Client client(addresses(), {.timeout = 5s, .client_name = "nightly"});
  ASSERT_TRUE(client.try_lock("r", 60s));
  // A majority is enough for the lock, and this may be the server that comes last: it is told the
  // name by the next call then.
  const auto is_named = [&] {
    static_cast<void>(client.inspect("r"));
    return server(0).say({"CLIENT", "LIST"}).find("name=nightly") != std::string::npos;
  };
  EXPECT_TRUE(eventually(is_named));
}

TEST_F(ClientOnServers, ServersThatAreDownAreToldFromALockThatIsHeld) {
  Client client({"127.0.0.1:1", "127.0.0.1:2"}, patient());
  const Result lease = client.try_lock("r", 60s);
  ASSERT_FALSE(lease);
  const Refusal& refusal = lease.refusal();
  EXPECT_EQ(refusal.decision, Decision::unreachable);
  EXPECT_FALSE(refusal.own_bound);
  ASSERT_EQ(refusal.troubles.size(), 2U);
  EXPECT_EQ(refusal.troubles[0].server, "127.0.0.1:1");
  EXPECT_EQ(refusal.troubles[0].fault, Fault::refused);
  EXPECT_FALSE(refusal.troubles[0].reason.empty());
}

TEST_F(ClientOnServers, AReleasedLeaseIsOverAndItsKeysAreGone) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->release());
  EXPECT_FALSE(lease->live());
  EXPECT_EQ(lease->remaining(), 0ms);
  EXPECT_FALSE(lease->release());
  EXPECT_FALSE(lease->extend(60s));
  EXPECT_FALSE(lease->confirm());
  EXPECT_TRUE(gone());
}

TEST_F(ClientOnServers, WhatWasReleasedIsNotReleasedAgainAtItsEnd) {
  // Whoever releases reads the key; whoever takes it does not.
  const auto reads = [] { return server(0).calls("get"); };
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  // A take that is read only now would let the key be gone before its release is read.
  ASSERT_TRUE(eventually([&] { return values(3) == everywhere(lease->token()); }));
  ASSERT_TRUE(lease->release());
  ASSERT_TRUE(gone());
  const std::uint64_t before = reads();
  EXPECT_GT(before, 0U);
  lease = Refusal{};
  // What was sent before it has been read by then.
  const Result next = client_.try_lock("r", 60s);
  EXPECT_TRUE(eventually([] { return server(0).say({"EXISTS", "r"}) == "1"; }));
  EXPECT_EQ(reads(), before);
}

TEST_F(ClientOnServers, TheEndOfALeaseGivesItBack) {
  {
    const Result lease = client_.try_lock("r", 60s);
  }
  EXPECT_TRUE(gone());
}

TEST_F(ClientOnServers, TheEndOfALeaseWaitsForNoServer) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  for (std::size_t i = 0; i < 3; ++i) server(i).stop();
  const auto began = steady_clock::now();
  lease = Refusal{};
  // Each server may take five seconds.
  EXPECT_LT(steady_clock::now() - began, 4s);
  for (std::size_t i = 0; i < 3; ++i) server(i).go_on();
  EXPECT_TRUE(gone());
}

TEST_F(ClientOnServers, AMovedLeaseIsGivenBackOnceByItsNewOwner) {
  Result first = client_.try_lock("r", 60s);
  ASSERT_TRUE(first);
  Lease second = *std::move(first);
  EXPECT_TRUE(second.live());
  EXPECT_FALSE(first->live());
  EXPECT_EQ(first->token(), "");
  EXPECT_EQ(first->remaining(), 0ms);
  EXPECT_FALSE(first->release());
  EXPECT_FALSE(first->confirm());
  EXPECT_FALSE(first->extend(60s));
  EXPECT_FALSE(first->shorten(1s));
  EXPECT_TRUE(second.confirm());
  EXPECT_TRUE(second.release());
}

TEST_F(ClientOnServers, ALeaseThatIsMovedIntoAnotherReplacesIt) {
  Result first = client_.try_lock("a", 60s);
  Result second = client_.try_lock("b", 60s);
  ASSERT_TRUE(first && second);
  *first = *std::move(second);
  EXPECT_TRUE(gone("a"));
  EXPECT_EQ(first->resource(), "b");
  EXPECT_TRUE(first->confirm());
}

TEST_F(ClientOnServers, ALeaseThatIsMovedIntoItselfIsHeldOn) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  Lease& itself = *lease;
  *lease = std::move(itself);
  EXPECT_TRUE(lease->confirm());
}

TEST_F(ClientOnServers, ALeaseOutlivesItsClient) {
  std::optional<Client> client(std::in_place, addresses(), patient());
  Result lease = client->try_lock("r", 60s);
  ASSERT_TRUE(lease);
  client.reset();
  EXPECT_TRUE(lease->confirm());
  EXPECT_TRUE(lease->extend(90s));
  lease = Refusal{};
  EXPECT_TRUE(gone());
}

TEST_F(ClientOnServers, ThreeThousandLeasesThatEndTogetherAreAllGivenBack) {
  Client client(addresses(), patient());
  std::vector<Lease> leases;
  for (int i = 0; i < 3'000; ++i) {
    Result lease = client.try_lock(std::to_string(i), 600s);
    ASSERT_TRUE(lease) << to_string(lease.refusal());
    leases.push_back(*std::move(lease));
  }
  leases.clear();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(eventually([i] { return server(i).say({"DBSIZE"}) == "0"; }));
  }
}

TEST_F(ClientOnServers, AnExtendedLeaseLastsLonger) {
  Result lease = client_.try_lock("r", 10s);
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->extend(60s));
  EXPECT_GT(lease->remaining(), 30s);
  // A shorter time takes nothing away.
  EXPECT_TRUE(lease->extend(10s));
  EXPECT_GT(lease->remaining(), 30s);
}

TEST_F(ClientOnServers, ALeaseThatWasTakenAwayIsLostAsSoonAsTheServersSaySo) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  EXPECT_TRUE(lease->live());
  EXPECT_FALSE(lease->confirm());
  EXPECT_FALSE(lease->live());
  lease = Refusal{};
  EXPECT_EQ(values(3), everywhere("somebody else's"));
}

TEST_F(ClientOnServers, AnExtendThatNobodyAnsweredTakesNothingAway) {
  Client client(addresses(), {.timeout = 50ms});
  Result lease = client.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  server(0).stop();
  server(1).stop();
  EXPECT_FALSE(lease->extend(90s));
  EXPECT_TRUE(lease->live());
  server(0).go_on();
  server(1).go_on();
  EXPECT_TRUE(eventually([&] { return lease->extend(90s); }));
}

TEST_F(ClientOnServers, AMinorityThatSaysNoIsNoLoss) {
  Client client(addresses(), {.timeout = 50ms});
  Result lease = client.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  // In whatever order it comes with the lock.
  server(0).say({"SET", "r", "somebody else's"});
  server(1).stop();
  EXPECT_FALSE(lease->extend(90s));
  EXPECT_FALSE(lease->confirm());
  EXPECT_TRUE(lease->live());
  server(1).go_on();
}

TEST_F(ClientOnServers, AnExtendThatAMajorityDeniesEndsTheLease) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  for (std::size_t i = 0; i < 3; ++i) server(i).say({"SET", "r", "somebody else's"});
  EXPECT_FALSE(lease->extend(90s));
  EXPECT_FALSE(lease->live());
}

TEST_F(ClientOnServers, ALeaseIsOverAtItsEndWithoutAskingAnybody) {
  Result lease = client_.try_lock("r", 50ms);
  ASSERT_TRUE(lease);
  EXPECT_TRUE(eventually([&] { return !lease->live(); }));
  EXPECT_FALSE(lease->extend(60s));
  EXPECT_FALSE(lease->live());
}

TEST_F(ClientOnServers, ArgumentsThatCannotBeMeantAreNamed) {
  const auto complaint = [](auto call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint([&] { (void)client_.try_lock("r", -1s); }), "ttl must be greater than 0");
  EXPECT_EQ(complaint([&] { (void)client_.try_lock("r", std::chrono::hours::max()); }),
            "ttl must be at most 3153600000000 ms");
  EXPECT_EQ(complaint([&] { (void)client_.lock("r", 10s, -1ms); }), "wait must be at least 0");
  EXPECT_EQ(complaint([&] { (void)client_.try_lock(std::string(65'537, 'r'), 10s); }),
            "resource must be at most 65536 bytes long");
  EXPECT_EQ(complaint([] { Client(addresses(), {.owner = std::string(257, 'o')}); }),
            "owner must be at most 256 bytes long");
  EXPECT_TRUE(Client(addresses(), {.owner = std::string(256, 'o')}).try_lock("s", 10s));
  Result lease = client_.try_lock("r", 10s);
  ASSERT_TRUE(lease);
  EXPECT_EQ(complaint([&] { (void)lease->extend(0s); }), "ttl must be greater than 0");
  EXPECT_EQ(complaint([&] { (void)lease->keep_alive(9s); }),
            "max must be at least the ttl of the lease");
  EXPECT_TRUE(lease->confirm());
}

class ClientTooLate : public ClientOnServers {
 protected:
  // What it says of a lease where the servers answer behind its time.
  static bool says_yes(const std::function<bool(Lease&)>& call) {
    Client client(addresses(), {.timeout = 5s});
    Result lease = client.try_lock("r", 500ms);
    EXPECT_TRUE(lease);
    const auto over = steady_clock::now() + 600ms;
    // Their keys outlive what the lease knows of.
    for (std::size_t i = 0; i < 3; ++i) server(i).say({"PEXPIRE", "r", "60000"});
    for (std::size_t i = 0; i < 3; ++i) server(i).stop();
    const std::jthread resumes([over] {
      EXPECT_TRUE(eventually([over] { return steady_clock::now() > over; }));
      for (std::size_t i = 0; i < 3; ++i) server(i).go_on();
    });
    const bool yes = call(*lease);
    EXPECT_FALSE(lease->live());
    return yes;
  }
};

TEST_F(ClientTooLate, AnAnswerThatComesWhenTheTimeIsOverConfirmsNothing) {
  EXPECT_FALSE(says_yes([](Lease& lease) { return lease.confirm(); }));
}

TEST_F(ClientTooLate, NorDoesItExtendAnything) {
  EXPECT_FALSE(says_yes([](Lease& lease) { return lease.extend(60s); }));
}

TEST_F(ClientOnServers, ABoundOfOurOwnIsNotCalledAnOutage) {
  Client client({server(0).address()}, {.timeout = 5s});
  std::vector<Lease> leases;
  for (int i = 0; i < 600; ++i) {
    Result lease = client.try_lock(std::to_string(i), 600s);
    ASSERT_TRUE(lease);
    leases.push_back(*std::move(lease));
  }
  server(0).stop();
  // One of them is waited for, in vain.
  leases.clear();
  const Result lease = client.try_lock("one more", 60s);
  server(0).go_on();
  ASSERT_FALSE(lease);
  EXPECT_TRUE(lease.refusal().own_bound) << to_string(lease.refusal());
  EXPECT_EQ(lease.refusal().troubles.at(0).fault, Fault::bound);
}

TEST_F(ClientOnServers, InAChildALeaseIsDeadAndItsEndDoesNothing) {
  Result lease = client_.try_lock("r", 60s);
  ASSERT_TRUE(lease);
  EXPECT_EQ(exit_status_of_child([&] {
              const bool dead = !lease->live() && lease->remaining() == 0ms &&
                                !lease->extend(60s) && !lease->confirm() && !lease->release();
              lease = Refusal{};
              // What had been begun would be sent with this.
              const Result own = client_.try_lock("child's", 60s);
              return dead && own;
            }),
            0);
  EXPECT_TRUE(lease->confirm());
  EXPECT_TRUE(eventually([&] { return values(3) == everywhere(lease->token()); }));
}

TEST_F(ClientOnServers, AChildTakesLeasesOfItsOwnWithItsParentsClient) {
  const Result parents = client_.try_lock("parent's", 60s);
  EXPECT_EQ(exit_status_of_child([&] {
              Result own = client_.try_lock("child's", 60s);
              const Result denied = client_.try_lock("parent's", 60s);
              return own && own->confirm() && !denied && own->release();
            }),
            0);
  EXPECT_TRUE(eventually([&] { return values(3, "parent's") == everywhere(parents->token()); }));
}

TEST_F(ClientOnServers, MoreThanTwoThreadsWithAClientEachExcludeEachOther) {
  std::atomic<int> inside = 0;
  std::atomic<int> turns = 0;
  std::atomic<int> overlaps = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        Client client(addresses(), {.timeout = 5s, .retry_delay = 4ms});
        for (int turn = 0; turn < 20; ++turn) {
          const Result lease = client.lock("r", 600s, std::chrono::milliseconds::max());
          if (!lease) return;
          if (inside.fetch_add(1) != 0) ++overlaps;
          std::this_thread::yield();
          inside.fetch_sub(1);
          ++turns;
        }
      });
    }
  }
  EXPECT_EQ(turns, 16 * 20);
  EXPECT_EQ(overlaps, 0);
}

}  // namespace
}  // namespace redlock::client_test
