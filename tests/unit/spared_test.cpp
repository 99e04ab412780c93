// Servers that are backed off from: when a majority needs them after all.
#include "redlock/runtime/spared.hpp"

#include <gtest/gtest.h>

#include "support/machine.hpp"

namespace redlock {
namespace {

using Advice = Spared::Advice;
using test::t;

constexpr std::size_t kMajority = 2;

class SparedTest : public testing::Test {
 protected:
  // Two of three are asked, the third is spared; each may take 40 ms.
  SparedTest() {
    spared_.note_asked(1);
    spared_.note_asked(1);
    keep(1);
  }
  void keep(AttemptNumber attempt, Command command = CheckEqual{Resource("r"), Token("t")}) {
    const auto shared = std::make_shared<const Command>(std::move(command));
    spared_.keep({NodeIndex(2), attempt, shared, t(40)}, t(0));
  }
  // How many were kept.
  std::size_t released() {
    std::size_t count = 0;
    spared_.release([&](const Request&) { ++count; });
    return count;
  }
  Spared spared_;
};

TEST_F(SparedTest, WhileTheOthersMayMakeAMajorityItIsLeftAlone) {
  EXPECT_EQ(spared_.advise(kMajority, t(0)), Advice::wait);
  spared_.note_reply(1, Reply::denied());
  EXPECT_EQ(spared_.advise(kMajority, t(0)), Advice::wait);
}

TEST_F(SparedTest, OnceTheyCannotItIsAsked) {
  spared_.note_reply(1, Reply::unknown(Fault::connect, "refused"));
  EXPECT_EQ(spared_.advise(kMajority, t(0)), Advice::ask);
}

TEST_F(SparedTest, EachAttemptGivesTheOthersATimeOfItsOwn) {
  ASSERT_EQ(spared_.next_deadline(), t(10));
  const auto check = std::make_shared<const Command>(CheckEqual{Resource("r"), Token("t")});
  spared_.keep({NodeIndex(2), 2, check, t(140)}, t(100));
  EXPECT_EQ(spared_.next_deadline(), t(110));
}

TEST_F(SparedTest, OnceAMajorityHasAnsweredATakeItIsNotNeeded) {
  spared_.note_asked(2);
  spared_.note_asked(2);
  keep(2, SetIfAbsent{Resource("r"), Token("t"), Duration::ms(5)});
  spared_.note_reply(2, Reply::denied());
  spared_.note_reply(2, Reply::granted());
  EXPECT_EQ(spared_.advise(kMajority, t(30)), Advice::leave);
}

TEST_F(SparedTest, WhereVotesOnAHeldLockAreSplitThatOneIsAsked) {
  spared_.note_reply(1, Reply::granted());
  spared_.note_reply(1, Reply::denied());
  EXPECT_EQ(spared_.advise(kMajority, t(0)), Advice::ask);
}

TEST_F(SparedTest, WhereTheyAreWonOrLostItIsNotNeeded) {
  Spared won = spared_;
  for (int i = 0; i < 2; ++i) {
    won.note_reply(1, Reply::granted());
    spared_.note_reply(1, Reply::denied());
  }
  EXPECT_EQ(won.advise(kMajority, t(30)), Advice::leave);
  EXPECT_EQ(spared_.advise(kMajority, t(30)), Advice::leave);
}

// Three of five have answered, the fourth may yet complete a majority, the fifth is spared.
TEST_F(SparedTest, WhileAnAskedServerMayCompleteASplitVoteItIsLeftAlone) {
  spared_.note_asked(1);
  spared_.note_asked(1);
  spared_.note_reply(1, Reply::granted());
  spared_.note_reply(1, Reply::granted());
  spared_.note_reply(1, Reply::denied());
  EXPECT_EQ(spared_.advise(3, t(0)), Advice::wait);
  spared_.note_reply(1, Reply::unknown(Fault::closed, ""));
  EXPECT_EQ(spared_.advise(3, t(0)), Advice::ask);
}

TEST_F(SparedTest, WhenTheOthersTakeAQuarterOfTheTimeItIsAsked) {
  EXPECT_EQ(spared_.next_deadline(), t(10));
  EXPECT_EQ(spared_.advise(kMajority, t(10) - Duration::ns(1)), Advice::wait);
  EXPECT_EQ(spared_.advise(kMajority, t(10)), Advice::ask);
}

TEST_F(SparedTest, IsHandedOutOnce) {
  EXPECT_EQ(released(), 1U);
  EXPECT_EQ(released(), 0U);
  EXPECT_EQ(spared_.next_deadline(), std::nullopt);
  EXPECT_EQ(spared_.advise(kMajority, t(10)), Advice::wait);
}

TEST_F(SparedTest, WhatIsUndoneBeforeItWasHandedOutIsLetGoOf) {
  const auto undo = std::make_shared<const Command>(Pass{Resource("r"), Token("t")});
  const auto of_another = std::make_shared<const Command>(Pass{Resource("r"), Token("u")});
  EXPECT_FALSE(spared_.drop({NodeIndex(1), 1, undo, t(40), false}));
  EXPECT_FALSE(spared_.drop({NodeIndex(2), 2, undo, t(40), false}));
  EXPECT_FALSE(spared_.drop({NodeIndex(2), 1, of_another, t(40), false}));
  EXPECT_TRUE(spared_.drop({NodeIndex(2), 1, undo, t(40), false}));
  EXPECT_EQ(released(), 0U);
}

TEST_F(SparedTest, WhatCouldNotBeHandedOnIsStillKept) {
  EXPECT_THROW(spared_.release([](const Request&) { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(released(), 1U);
}

TEST_F(SparedTest, AnEarlierAttemptsRepliesAndRequestsDoNotCount) {
  for (int i = 0; i < 2; ++i) spared_.note_reply(1, Reply::unknown(Fault::connect, "refused"));
  spared_.note_asked(2);
  spared_.note_asked(2);
  EXPECT_EQ(released(), 0U);
  keep(2);
  spared_.note_reply(1, Reply::unknown(Fault::connect, "refused"));
  EXPECT_EQ(spared_.advise(kMajority, t(0)), Advice::wait);
}

}  // namespace
}  // namespace redlock
