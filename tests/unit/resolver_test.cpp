// Host names to addresses: numbers at once, names on a thread, answers remembered for a while.
#include "redlock/runtime/resolver.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <thread>

#include "support/machine.hpp"

namespace redlock {
namespace {

using test::t;

constexpr std::uint16_t kPort = 6379;

// /etc/hosts knows it: no test here asks the network.
const std::string kName = "localhost";

void wait_for(const ResolveJob& job) {
  pollfd probe{job.descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&probe, 1, 10'000), 1);
  ASSERT_TRUE(job.done());
}

TEST(Resolver, NumbersAreKnownAtOnce) {
  Resolver resolver;
  for (const char* host : {"127.0.0.1", "::1"}) {
    const Resolver::Answer answer = resolver.resolve(host, kPort, t(0));
    EXPECT_EQ(answer.job, nullptr) << host;
    EXPECT_EQ(answer.known.addresses.size(), 1U) << host;
  }
}

TEST(Resolver, ANameIsLookedUpOnAThreadAndThenRememberedForAWhile) {
  Resolver resolver;
  const auto job = resolver.resolve(kName, kPort, t(0)).job;
  ASSERT_NE(job, nullptr);
  wait_for(*job);
  ASSERT_FALSE(job->result().addresses.empty()) << job->result().failure;
  resolver.remember(*job, t(5));
  const Instant until = t(5) + kResolvedFor;
  EXPECT_EQ(resolver.resolve(kName, kPort, until - test::kOneNs).job, nullptr);
  EXPECT_NE(resolver.resolve(kName, kPort, until).job, nullptr);
}

TEST(Resolver, ALookUpThatOutlastedItsCallerServesTheNextOne) {
  Resolver resolver;
  const auto job = resolver.resolve(kName, kPort, t(0)).job;
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(resolver.resolve(kName, kPort, t(60)).job, job);
  wait_for(*job);
  EXPECT_EQ(resolver.resolve(kName, kPort, t(0) + kResolvedFor - test::kOneNs).job, job);
}

TEST(Resolver, WhatNobodyFetchedForLongIsLookedUpAnew) {
  Resolver resolver;
  const auto job = resolver.resolve(kName, kPort, t(0)).job;
  ASSERT_NE(job, nullptr);
  wait_for(*job);
  const auto anew = resolver.resolve(kName, kPort, t(0) + kResolvedFor).job;
  ASSERT_NE(anew, nullptr);
  EXPECT_NE(anew, job);
}

TEST(Resolver, WhatNobodyFetchedForLongGivesItsDescriptorBackWhateverIsAskedNext) {
  Resolver resolver;
  std::weak_ptr<ResolveJob> left;
  {
    const auto job = resolver.resolve(kName, 1, t(0)).job;
    ASSERT_NE(job, nullptr);
    wait_for(*job);
    left = job;
  }
  const auto other = resolver.resolve(kName, 2, t(0) + kResolvedFor).job;
  // Its thread may be about to let go of it.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!left.expired() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_TRUE(left.expired());
}

TEST(Resolver, AddressesThatLedNowhereAreForgotten) {
  Resolver resolver;
  const auto job = resolver.resolve(kName, kPort, t(0)).job;
  ASSERT_NE(job, nullptr);
  wait_for(*job);
  resolver.remember(*job, t(0));
  ASSERT_EQ(resolver.resolve(kName, kPort, t(1)).job, nullptr);
  resolver.forget(kName, kPort);
  EXPECT_NE(resolver.resolve(kName, kPort, t(1)).job, nullptr);
}

TEST(Resolver, PortsOfOneHostAreLookedUpEachForItself) {
  Resolver resolver;
  const auto one = resolver.resolve(kName, 1, t(0)).job;
  const auto two = resolver.resolve(kName, 2, t(0)).job;
  EXPECT_NE(one, two);
}

TEST(Resolver, MayBeGoneBeforeItsThreadIs) {
  std::shared_ptr<ResolveJob> job;
  {
    Resolver resolver;
    job = resolver.resolve(kName, kPort, t(0)).job;
    resolver.forget_all();
  }
  wait_for(*job);
}

}  // namespace
}  // namespace redlock
