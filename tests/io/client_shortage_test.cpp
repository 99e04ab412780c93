// The API of C++ users on real servers, where memory runs out: nothing stays locked by that.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "io/support/clients_on_servers.hpp"
#include "support/allocations.hpp"

namespace redlock::client_shortage_test {
namespace {

using namespace std::chrono_literals;
using test::ClientOnServers;
using test::eventually;
using test::Shortage;

constexpr std::size_t kAllocationsMax = 2'000;

class ClientWithoutMemory : public ClientOnServers, public testing::WithParamInterface<Shortage> {
 protected:
  // Calls it with each of its allocations failing in turn, and `check` behind each.
  template <typename Call, typename Check>
  static void without_each(Call call, Check check) {
    bool happened = true;
    std::size_t thrown = 0;
    for (std::size_t n = 0; happened && n < kAllocationsMax && !HasFailure(); ++n) {
      SCOPED_TRACE("allocation " + std::to_string(n));
      check([&](auto&... arguments) {
        const test::Tried tried = test::try_without(n, GetParam(), [&] { call(arguments...); });
        happened = tried.happened;
        thrown += tried.threw ? 1U : 0U;
      });
    }
    EXPECT_FALSE(happened) << "more allocations than were tried";
    EXPECT_GT(thrown, 0U);
  }
  // A server that could not be asked for lack of memory is waited for.
  static Options brief() { return {.timeout = 500ms, .retry_delay = 20ms}; }
  static void lock_is_given_back(std::chrono::milliseconds wait) {
    without_each([wait](Client& client, Result& lease) { lease = client.lock("r", 60s, wait); },
                 [](auto call) {
                   Client client(addresses(), brief());
                   Result lease = Refusal{};
                   call(client, lease);
                   if (lease) (void)lease->release();
                   EXPECT_TRUE(gone_behind_a_call(client));
                 });
  }
};

INSTANTIATE_TEST_SUITE_P(All, ClientWithoutMemory,
                         testing::Values(Shortage::once, Shortage::lasting),
                         [](const auto& shortage) {
                           return shortage.param == Shortage::once ? "once" : "lasting";
                         });

TEST_P(ClientWithoutMemory, ALockIsGivenBack) { lock_is_given_back(0ms); }

TEST_P(ClientWithoutMemory, ALockThatIsWaitedForIsGivenBack) { lock_is_given_back(100ms); }

TEST_P(ClientWithoutMemory, AReleaseIsDoneByTheNextCall) {
  without_each([](Lease& lease) { (void)lease.release(); },
               [](auto call) {
                 Client client(addresses(), brief());
                 Result lease = client.try_lock("r", 60s);
                 ASSERT_TRUE(lease);
                 call(*lease);
                 EXPECT_FALSE(lease->live());
                 EXPECT_TRUE(gone_behind_a_call(client));
               });
}

// Nobody is told of it, so none throws.
TEST_P(ClientWithoutMemory, TheEndOfALeaseIsMadeUpForByTheNextCall) {
  for (std::size_t n = 0; n < 40; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    Client client(addresses(), brief());
    std::optional<Result> lease = client.try_lock("r", 60s);
    ASSERT_TRUE(*lease);
    {
      const test::FailingAllocations failing(n, GetParam());
      lease.reset();
    }
    ASSERT_TRUE(gone_behind_a_call(client));
  }
}

TEST_F(ClientOnServers, WhatIsOwedIsDoneByWhateverIsCalledNext) {
  Client client(addresses(), patient());
  Result other = client.try_lock("other", 60s);
  Result given_back = client.try_lock("given back", 60s);
  // The end of a lease would be a call of its own.
  Result more = Refusal{};
  ASSERT_TRUE(other && given_back);
  // The third server may hear of a release with the next call only.
  const auto majority_is_free = [] { return std::ranges::count(values(3), "nil") >= 2; };
  const std::map<std::string, std::function<void()>> calls = {
      {"lock", [&] { EXPECT_TRUE(more = client.try_lock("one more", 60s)); }},
      {"inspect", [&] { (void)client.inspect("other"); }},
      {"confirm", [&] { EXPECT_TRUE(other->confirm()); }},
      {"extend", [&] { EXPECT_TRUE(other->extend(60s)); }},
      {"shorten", [&] { EXPECT_TRUE(other->shorten(30s)); }},
      {"release", [&] { EXPECT_TRUE(given_back->release()); }},
  };
  for (const auto& [name, call] : calls) {
    SCOPED_TRACE(name);
    std::optional<Result> lease = client.try_lock("r", 60s);
    ASSERT_TRUE(*lease);
    {
      const test::FailingAllocations failing(0, Shortage::lasting);
      lease.reset();
    }
    EXPECT_FALSE(majority_is_free()) << "nothing could be sent";
    call();
    ASSERT_TRUE(eventually(majority_is_free));
  }
}

TEST_P(ClientWithoutMemory, OrByTheEndOfItsClient) {
  for (std::size_t n = 0; n < 40; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    std::optional<Client> client(std::in_place, addresses(), brief());
    std::optional<Result> lease = client->try_lock("r", 60s);
    ASSERT_TRUE(*lease);
    {
      const test::FailingAllocations failing(n, GetParam());
      lease.reset();
    }
    client.reset();
    ASSERT_TRUE(gone());
  }
}

class ClientWithoutMemoryOnce : public ClientWithoutMemory {
 protected:
  // All deeds were done, or it says why not.
  static bool is_whole(const ServerReport& report) {
    if (report.fault != Fault::none) return true;
    if (report.trials.empty()) return false;
    return report.trials.back().deed == "wait" || report.trials.back().fault != Fault::none;
  }
};
INSTANTIATE_TEST_SUITE_P(All, ClientWithoutMemoryOnce, testing::Values(Shortage::once));

TEST_P(ClientWithoutMemoryOnce, AnExaminationTakesItsTrialLockBack) {
  without_each([](Client& client) { EXPECT_TRUE(is_whole(client.examine().at(0))); },
               [](auto call) {
                 Client client(addresses(1), brief());
                 call(client);
                 EXPECT_TRUE(eventually([&] {
                   (void)client.inspect("r");
                   return server(0).say({"DBSIZE"}) == "0";
                 }));
               });
}

// What could not be kept any more says so; the lease itself may be good, and kept anew.
TEST_F(ClientOnServers, WhatKeptALeaseBeforeDoesNotEndWhatKeepsItNow) {
  for (std::size_t n = 0; n < kAllocationsMax; ++n) {
    Result lease = client_.try_lock("r", 60s);
    ASSERT_TRUE(lease);
    std::optional<KeepAlive> before = lease->keep_alive(1h);
    // One of them is met when the servers have confirmed it.
    bool shortened = false;
    (void)test::try_without(n, Shortage::once, [&] { shortened = lease->shorten(1500ms); });
    const bool told = before->lost().stop_requested();
    ASSERT_FALSE(shortened && told && lease->live()) << "it is kept on, and told to be lost";
    if (!told || !lease->live()) continue;
    const KeepAlive now = lease->keep_alive(1h);
    EXPECT_FALSE(now.lost().stop_requested());
    before.reset();
    const auto began = std::chrono::steady_clock::now();
    ASSERT_TRUE(eventually([&] { return std::chrono::steady_clock::now() - began > 2s; }));
    EXPECT_TRUE(lease->live());
    EXPECT_FALSE(now.lost().stop_requested());
    return;
  }
  ADD_FAILURE() << "none of the allocations came behind the confirmation";
}

// The thread ends with its client, and the process goes on.
TEST_F(ClientOnServers, TheRenewalThreadEndsWithoutMemory) {
  bool happened = true;
  for (std::size_t n = 0; happened && n < kAllocationsMax; ++n) {
    std::optional<Client> client(std::in_place, addresses(), patient());
    std::optional<Result> lease = client->try_lock("r", 600ms);
    ASSERT_TRUE(*lease);
    std::optional<KeepAlive> kept = (*lease)->keep_alive(1h);
    // It has connections of its own once it has extended the lease.
    const auto began = std::chrono::steady_clock::now();
    ASSERT_TRUE(eventually([&] { return std::chrono::steady_clock::now() - began > 300ms; }));
    const test::FailingElsewhere failing(n);
    lease.reset();
    client.reset();
    kept.reset();
    happened = failing.happened();
  }
  EXPECT_FALSE(happened);
}

}  // namespace
}  // namespace redlock::client_shortage_test
