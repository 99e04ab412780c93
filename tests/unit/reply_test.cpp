// Only a denial, or silence that is certain to be ours, proves that nothing was done.
#include "redlock/algorithm/reply.hpp"

#include <gtest/gtest.h>

#include <set>

namespace redlock::reply_test {
namespace {

TEST(Rule05AnErrorIsAVoteAgainst, ASilentServerMayHaveDoneIt) {
  for (const Fault fault : {Fault::tls, Fault::timeout, Fault::closed, Fault::protocol,
                            Fault::rejected, Fault::foreign, Fault::none}) {
    EXPECT_TRUE(may_have_been_done(Reply::unknown(fault, "")));
  }
  EXPECT_TRUE(may_have_been_done(Reply()));
}

TEST(Rule05AnErrorIsAVoteAgainst, WhatWasNeverSentHasNotBeenDone) {
  for (const Fault fault : {Fault::resolve, Fault::refused, Fault::connect, Fault::bound}) {
    EXPECT_FALSE(may_have_been_done(Reply::unknown(fault, "")));
  }
  EXPECT_FALSE(may_have_been_done(Reply::not_sent(Fault::timeout, "")));
}

TEST(Fault, EachHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  const auto last = static_cast<int>(Fault::unanswered);
  for (int i = 0; i <= last; ++i) words.insert(to_string(static_cast<Fault>(i)));
  EXPECT_EQ(words.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_EQ(words.size(), kFaultCount);
  EXPECT_EQ(to_string(Fault::acl), "denied by ACL");
  EXPECT_EQ(to_string(Fault::scripts), "scripts");
  EXPECT_EQ(to_string(Fault::connect), "unreachable");
}

TEST(Reply, AGrantWasDoneAndADenialWasNot) {
  EXPECT_TRUE(may_have_been_done(Reply::granted()));
  EXPECT_FALSE(may_have_been_done(Reply::denied()));
}

TEST(Reply, WhoeverAnsweredWasAsked) {
  EXPECT_TRUE(Reply::granted().sent);
  EXPECT_TRUE(Reply::denied().sent);
}

TEST(Reply, HasAReasonOnlyWhereItIsUnknown) {
  EXPECT_EQ(Reply::unknown(Fault::oom, "no room").reason(), "no room");
  EXPECT_EQ(Reply::not_sent(Fault::timeout, "not in time").reason(), "not in time");
  EXPECT_EQ(Reply::granted(Token("1.2")).reason(), "");
}

TEST(Reply, CarriesWhatIsSaidAsAValue) {
  EXPECT_EQ(*Reply::granted(Token("1.2")).said<Token>(), Token("1.2"));
  EXPECT_EQ(Reply::denied(QueuePosition{Duration::ms(3), 1, 2}).said<QueuePosition>()->index, 1);
  EXPECT_EQ(Reply::denied().said<QueuePosition>(), nullptr);
}

TEST(Reply, IsNoLargerThanAStringWithItsAnswer) {
  EXPECT_LE(sizeof(Reply), sizeof(std::string) + 2 * sizeof(void*));
}

TEST(Reply, IsUnknownUnlessSaidOtherwise) { EXPECT_EQ(Reply{}.answer, Answer::unknown); }

}  // namespace
}  // namespace redlock::reply_test
