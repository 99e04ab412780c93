// Only a denial, or silence that is certain to be ours, proves that nothing was done.
#include "redlock/algorithm/reply.hpp"

#include <gtest/gtest.h>

namespace redlock {
namespace {

TEST(Rule05AnErrorIsAVoteAgainst, ASilentServerMayHaveDoneIt) {
  for (const Fault fault : {Fault::timeout, Fault::closed, Fault::protocol, Fault::rejected,
                            Fault::foreign, Fault::none}) {
    EXPECT_TRUE(may_have_been_done(Reply::unknown(fault, "")));
  }
}

TEST(Rule05AnErrorIsAVoteAgainst, WhatWasNeverSentHasNotBeenDone) {
  for (const Fault fault : {Fault::resolve, Fault::connect, Fault::bound}) {
    EXPECT_FALSE(may_have_been_done(Reply::unknown(fault, "")));
  }
}

TEST(Reply, AGrantWasDoneAndADenialWasNot) {
  EXPECT_TRUE(may_have_been_done(Reply::granted()));
  EXPECT_FALSE(may_have_been_done(Reply::denied()));
}

TEST(Reply, IsUnknownUnlessSaidOtherwise) { EXPECT_EQ(Reply{}.answer, Answer::unknown); }

}  // namespace
}  // namespace redlock
