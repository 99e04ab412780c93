// Servers that are backed off from: when a majority needs them after all.
#include "redlock/net/hedged_requests.hpp"

#include <gtest/gtest.h>

#include "support/machine.hpp"

namespace redlock::hedged_requests_test {
namespace {

using Advice = HedgedRequests::Advice;
using test::t;

constexpr std::size_t kMajority = 2;

class HedgedRequestsTest : public testing::Test {
 protected:
  // Two of three are asked, the third is hedged; each may take 40 ms.
  HedgedRequestsTest() {
    hedged_.note_asked(1);
    hedged_.note_asked(1);
    keep(1);
  }
  void keep(AttemptNumber attempt, Command command = CheckEqual{Resource("r"), Token("t")}) {
    const auto shared = std::make_shared<const Command>(std::move(command));
    hedged_.defer({NodeIndex(2), attempt, shared, t(40)}, t(0));
  }
  // How many were kept.
  std::size_t released() {
    std::size_t count = 0;
    hedged_.release([&](const Request&) { ++count; });
    return count;
  }
  HedgedRequests hedged_;
};

TEST_F(HedgedRequestsTest, WhileTheOthersMayMakeAMajorityItIsLeftAlone) {
  EXPECT_EQ(hedged_.advise(kMajority, t(0)), Advice::wait);
  hedged_.note_reply(1, Reply::denied());
  EXPECT_EQ(hedged_.advise(kMajority, t(0)), Advice::wait);
}

TEST_F(HedgedRequestsTest, OnceTheyCannotItIsAsked) {
  hedged_.note_reply(1, Reply::unknown(Fault::connect, "refused"));
  EXPECT_EQ(hedged_.advise(kMajority, t(0)), Advice::ask);
}

TEST_F(HedgedRequestsTest, EachAttemptGivesTheOthersATimeOfItsOwn) {
  ASSERT_EQ(hedged_.next_deadline(), t(10));
  const auto check = std::make_shared<const Command>(CheckEqual{Resource("r"), Token("t")});
  hedged_.defer({NodeIndex(2), 2, check, t(140)}, t(100));
  EXPECT_EQ(hedged_.next_deadline(), t(110));
}

TEST_F(HedgedRequestsTest, OnceAMajorityHasAnsweredATakeItIsNotNeeded) {
  hedged_.note_asked(2);
  hedged_.note_asked(2);
  keep(2, SetIfAbsent{Resource("r"), Token("t"), Duration::ms(5)});
  hedged_.note_reply(2, Reply::denied());
  hedged_.note_reply(2, Reply::granted());
  EXPECT_EQ(hedged_.advise(kMajority, t(30)), Advice::leave);
}

TEST_F(HedgedRequestsTest, WhereVotesOnAHeldLockAreSplitThatOneIsAsked) {
  hedged_.note_reply(1, Reply::granted());
  hedged_.note_reply(1, Reply::denied());
  EXPECT_EQ(hedged_.advise(kMajority, t(0)), Advice::ask);
}

TEST_F(HedgedRequestsTest, WhereTheyAreWonOrLostItIsNotNeeded) {
  HedgedRequests won = hedged_;
  for (int i = 0; i < 2; ++i) {
    won.note_reply(1, Reply::granted());
    hedged_.note_reply(1, Reply::denied());
  }
  EXPECT_EQ(won.advise(kMajority, t(30)), Advice::leave);
  EXPECT_EQ(hedged_.advise(kMajority, t(30)), Advice::leave);
}

// Three of five have answered, the fourth may yet complete a majority, the fifth is hedged.
TEST_F(HedgedRequestsTest, WhileAnAskedServerMayCompleteASplitVoteItIsLeftAlone) {
  hedged_.note_asked(1);
  hedged_.note_asked(1);
  hedged_.note_reply(1, Reply::granted());
  hedged_.note_reply(1, Reply::granted());
  hedged_.note_reply(1, Reply::denied());
  EXPECT_EQ(hedged_.advise(3, t(0)), Advice::wait);
  hedged_.note_reply(1, Reply::unknown(Fault::closed, ""));
  EXPECT_EQ(hedged_.advise(3, t(0)), Advice::ask);
}

TEST_F(HedgedRequestsTest, WhenTheOthersTakeAQuarterOfTheTimeItIsAsked) {
  EXPECT_EQ(hedged_.next_deadline(), t(10));
  EXPECT_EQ(hedged_.advise(kMajority, t(10) - Duration::ns(1)), Advice::wait);
  EXPECT_EQ(hedged_.advise(kMajority, t(10)), Advice::ask);
}

TEST_F(HedgedRequestsTest, IsHandedOutOnce) {
  EXPECT_EQ(released(), 1U);
  EXPECT_EQ(released(), 0U);
  EXPECT_EQ(hedged_.next_deadline(), std::nullopt);
  EXPECT_TRUE(hedged_.empty());
}

TEST_F(HedgedRequestsTest, WhatIsUndoneBeforeItWasHandedOutIsLetGoOf) {
  const auto undo = std::make_shared<const Command>(ReleaseAndHandOver{Resource("r"), Token("t")});
  const auto of_another =
      std::make_shared<const Command>(ReleaseAndHandOver{Resource("r"), Token("u")});
  EXPECT_FALSE(hedged_.drop({NodeIndex(1), 1, undo, t(40), false}));
  EXPECT_FALSE(hedged_.drop({NodeIndex(2), 2, undo, t(40), false}));
  EXPECT_FALSE(hedged_.drop({NodeIndex(2), 1, of_another, t(40), false}));
  EXPECT_TRUE(hedged_.drop({NodeIndex(2), 1, undo, t(40), false}));
  EXPECT_EQ(released(), 0U);
}

TEST_F(HedgedRequestsTest, WhatCouldNotBeHandedOnIsStillKept) {
  EXPECT_THROW(hedged_.release([](const Request&) { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(released(), 1U);
}

TEST_F(HedgedRequestsTest, AnEarlierAttemptsRepliesAndRequestsDoNotCount) {
  for (int i = 0; i < 2; ++i) hedged_.note_reply(1, Reply::unknown(Fault::connect, "refused"));
  hedged_.note_asked(2);
  hedged_.note_asked(2);
  EXPECT_EQ(released(), 0U);
  keep(2);
  hedged_.note_reply(1, Reply::unknown(Fault::connect, "refused"));
  EXPECT_EQ(hedged_.advise(kMajority, t(0)), Advice::wait);
}

}  // namespace
}  // namespace redlock::hedged_requests_test
