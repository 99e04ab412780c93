// By which ticket one stands in line: as the servers' clocks say, where one's own is far off.
#include <gtest/gtest.h>

#include "support/wait_fixture.hpp"

namespace redlock::queued_acquire_ticket_test {
namespace {

using test::kWall;
using test::Nodes;
using test::nodes_of;
using test::only;
using test::t;
using test::Wait;

TEST_F(Wait, ATicketFarFromTheServersClocksIsCorrectedOnce) {
  stand(Duration::ms(60'000));
  drain();
  const std::string off = "9000 4 " + std::to_string(kWall + 5'000);
  deny(0, t(2), off);
  EXPECT_TRUE(drain().empty());
  deny(1, t(2), off);
  ASSERT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1}));
  EXPECT_EQ(join(0).entry.ticket, kWall + 5'000);
  EXPECT_EQ(memory_->clock_offset(), Duration::ms(5'000));
  deny(0, t(3), "9000 4 " + std::to_string(kWall + 90'000));
  deny(1, t(3), "9000 4 " + std::to_string(kWall + 90'000));
  EXPECT_EQ(memory_->clock_offset(), Duration::ms(5'000));
}

TEST_F(Wait, TheMajorityOfTheServersClocksCounts) {
  stand(Duration::ms(60'000), 5);
  drain();
  deny(0, t(2), "9000 4 " + std::to_string(kWall));
  for (const std::size_t node : {1U, 2U}) {
    deny(node, t(2), "9000 4 " + std::to_string(kWall + 5'000));
  }
  EXPECT_EQ(memory_->clock_offset(), Duration::ms(5'000));
}

// With the old one he would stand there among others than on the other servers.
TEST_F(Wait, ACorrectedTicketIsToldWhomeverTheOldOneIsStillOnItsWayTo) {
  stand(Duration::ms(60'000));
  drain();
  const std::string off = "9000 4 " + std::to_string(kWall + 5'000);
  deny(0, t(2), off);
  deny(1, t(2), off);
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1}));
  deny(2, t(3), off);
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{2}));
  EXPECT_EQ(join(2).entry.ticket, kWall + 5'000);
  deny(2, t(4), off);
  EXPECT_TRUE(drain().empty());
}

TEST_F(Wait, ACorrectedTicketHurriesNobodyToAServerThatIsDown) {
  stand(Duration::ms(60'000));
  drain();
  answer(2, Reply::unknown(Fault::closed, "down"), t(1));
  const std::string off = "9000 4 " + std::to_string(kWall + 5'000);
  deny(0, t(2), off);
  deny(1, t(2), off);
  EXPECT_EQ(nodes_of(only<Enqueue>(drain())), (Nodes{0, 1}));
}

// Which of the servers are heard first is chance.
TEST_F(Wait, OneServersClockAloneMovesNoTicket) {
  for (const std::int64_t off_ms : {600'000, -600'000}) {
    stand(Duration::ms(60'000));
    drain();
    deny(0, t(2), "9000 4 " + std::to_string(kWall + off_ms));
    deny(1, t(2), "9000 4 " + std::to_string(kWall));
    EXPECT_TRUE(drain().empty());
    EXPECT_EQ(memory_->clock_offset(), Duration());
  }
}

TEST_F(Wait, WhatMostServersClocksSayMovesATicketInWhateverOrderTheyAreHeard) {
  for (std::size_t odd = 0; odd < 3; ++odd) {
    SCOPED_TRACE(odd);
    stand(Duration::ms(60'000), 5);
    drain();
    for (std::size_t i = 0; i < 3; ++i) {
      deny(i, t(2), "9000 4 " + std::to_string(kWall + (i == odd ? 600'000 : 0)));
    }
    EXPECT_EQ(memory_->clock_offset(), Duration());
  }
}

TEST_F(Wait, AServersNumbersAreNoClockThatCouldOverflow) {
  stand(Duration::ms(60'000));
  drain();
  for (const std::size_t node : {0U, 1U}) deny(node, t(2), "9000 4 -9223372036854775808");
  EXPECT_EQ(line_->outcome(), nullptr);
}

TEST_F(Wait, TheOffsetIsRememberedForTheNextWait) {
  memory_->set_clock_offset(Duration::ms(-700));
  stand(Duration::ms(60'000));
  drain();
  EXPECT_EQ(join(0).entry.ticket, kWall - 700);
}

TEST_F(Wait, ATicketNearTheServersClocksStays) {
  stand(Duration::ms(60'000));
  drain();
  for (const std::size_t node : {0U, 1U, 2U}) {
    deny(node, t(0), "9000 4 " + std::to_string(kWall - kTicketOffMax.count_ms()));
  }
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(memory_->clock_offset(), Duration());
}

}  // namespace
}  // namespace redlock::queued_acquire_ticket_test
