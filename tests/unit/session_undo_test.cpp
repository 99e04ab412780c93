// What a session still says before its connection is given up.
#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"
#include "support/session_fixture.hpp"

namespace redlock {
namespace {

using test::Arguments;
using test::delete_of;
using test::SessionTest;
using test::set_of;

class Rule03TheSessionAppendsWhatUndoes : public SessionTest {
 protected:
  std::vector<Arguments> undos(Session::Undo undo = Session::Undo::everything) {
    sent();
    session_.append_undos(undo);
    return sent();
  }
};

TEST_F(Rule03TheSessionAppendsWhatUndoes, AnUnansweredSetIsFollowedByItsDeletionAsText) {
  ASSERT_TRUE(submit(1, set_of("a")));
  sent();
  fail();
  const auto requests = undos();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0],
            (Arguments{"EVAL", std::string(scripts::delete_if_equal.text), "1", "r", "a"}));
}

TEST_F(Rule03TheSessionAppendsWhatUndoes, AnAnsweredSetIsNotTouched) {
  ASSERT_TRUE(submit(1, set_of("a")));
  receive(test::kOk);
  fail();
  EXPECT_TRUE(undos().empty());
}

TEST_F(Rule03TheSessionAppendsWhatUndoes, AnUndoThatIsOnItsWayIsNotDoubled) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(0, delete_of("a")));
  sent();
  fail();
  EXPECT_TRUE(undos().empty());
}

TEST_F(Rule03TheSessionAppendsWhatUndoes, ARemovalBySha1IsRepeatedAsText) {
  ASSERT_TRUE(submit(1, delete_of("z")));
  receive(":1\r\n");
  sent();
  ASSERT_TRUE(submit(1, delete_of("a")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVALSHA"}));
  fail();
  const auto requests = undos();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0][0], "EVAL");
  EXPECT_EQ(requests[0][4], "a");
}

TEST_F(Rule03TheSessionAppendsWhatUndoes, EveryLockIsUndoneOnceAndInOrder) {
  for (const char* token : {"a", "b", "c"}) ASSERT_TRUE(submit(1, set_of(token)));
  ASSERT_TRUE(submit(0, delete_of("b")));
  sent();
  fail();
  const auto requests = undos();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0][4], "a");
  EXPECT_EQ(requests[1][4], "c");
}

TEST_F(Rule03TheSessionAppendsWhatUndoes, ASetThatNeverLeftNeedsNone) {
  ASSERT_TRUE(submit(1, set_of("a")));
  fail(Fault::connect);
  EXPECT_TRUE(session_.unsettled().empty());
}

TEST_F(Rule03TheSessionAppendsWhatUndoes, WhatOneConnectionCannotSendIsLeftForAnother) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(0, delete_of("b")));
  sent();
  fail(Fault::closed);
  session_.submit_last(delete_of("a"));
  const auto commands = session_.unsettled();
  ASSERT_EQ(commands.size(), 2U);
  for (const SharedCommand& command : commands) EXPECT_TRUE(is_removal(*command));
}

TEST_F(Rule03TheSessionAppendsWhatUndoes, InGoodOrderAGrantedLocksSetIsLeftAlone) {
  ASSERT_TRUE(submit(1, set_of("granted elsewhere")));
  ASSERT_TRUE(submit(1, set_of("lost")));
  ASSERT_TRUE(submit(0, delete_of("lost")));
  sent();
  fail(Fault::closed);
  EXPECT_TRUE(undos(Session::Undo::removals).empty());
}

}  // namespace
}  // namespace redlock
