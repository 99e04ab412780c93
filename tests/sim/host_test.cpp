// A simulated machine as the production code sees it: its clocks, and which process it runs.
#include <gtest/gtest.h>

#include <ctime>

#include "sim/host_clock.hpp"
#include "sim/host_process.hpp"

namespace redlock::sim::host_test {
namespace {

class HostTest : public testing::Test {
 protected:
  std::int64_t world_now_ns_ = 5 * kMs;
  std::int64_t wall_step_ns_ = 0;
  SimClock rate_{1'000 * kMs, 0};
  HostTime time_{world_now_ns_, 7};
  HostClock clock_{rate_, wall_step_ns_, time_};
};

TEST_F(HostTest, TimePassesWithinATurn) {
  const Instant first = clock_.now();
  Instant last = first;
  for (int i = 0; i < 100; ++i) {
    const Instant next = clock_.now();
    EXPECT_GE(next, last);
    last = next;
  }
  EXPECT_GT(last, first);
  EXPECT_LT(last - first, Duration::ms(5));
}

TEST_F(HostTest, WhatPassesIsTheSameFromTheSameSeed) {
  HostTime again_time(world_now_ns_, 7);
  HostClock again(rate_, wall_step_ns_, again_time);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(clock_.now(), again.now());
}

TEST_F(HostTest, OnlyTheClockThatCountsSleepGoesOnWhileTheMachineSleeps) {
  const std::int64_t steady_ns = clock_.steady_ns();
  const std::int64_t awake_ns = clock_.awake_ns();
  world_now_ns_ += 300 * kMs;
  time_.asleep_ns += 300 * kMs;
  EXPECT_EQ(clock_.steady_ns() - steady_ns, 300 * kMs);
  EXPECT_EQ(clock_.awake_ns(), awake_ns);
}

TEST_F(HostTest, AForkIsNoticedByWhoeverRemembersItsProcess) {
  ProcessMark mark{1, 1};
  const InProcess process(mark);
  const ForkWatch watch;
  EXPECT_FALSE(watch.forked());
  ++mark.fork_count;
  EXPECT_TRUE(watch.forked());
}

TEST_F(HostTest, ProcessesAreNestedAsTheirTurnsAre) {
  ProcessMark one{1, 1};
  ProcessMark two{1, 2};
  const InProcess outer(one);
  const ForkWatch watch;
  {
    const InProcess inner(two);
    EXPECT_TRUE(watch.forked());
  }
  EXPECT_FALSE(watch.forked());
}

}  // namespace
}  // namespace redlock::sim::host_test
