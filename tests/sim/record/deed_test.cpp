// The commands of locks are known by name and by text.
#include "sim/record/deed.hpp"

#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"

namespace redlock::sim::deed_test {
namespace {

TEST(CheckerCommandsTest, EveryScriptOfTheLocksIsKnownByTextAndByName) {
  using namespace scripts;
  for (const Script* script : {&pass, &extend_if_equal, &check_equal, &stamp_take, &stamp_undo,
                               &stamp_release, &stamp_check}) {
    for (const bool by_text : {true, false}) {
      const Deed deed = deed_of({by_text ? "EVAL" : "EVALSHA",
                                 by_text ? script->text : script->sha1, "1", "lock", "4", "5"});
      EXPECT_NE(deed.verb, Verb::count) << script->text;
      EXPECT_EQ(deed.key, "lock");
      EXPECT_EQ(deed.token, script == &stamp_take ? "5" : "4");
    }
  }
}

Deed deed_of_script(const Script& script) {
  return deed_of({"EVALSHA", script.sha1, "1", "lock", "4", "5", "6", "7"});
}

TEST(CheckerCommandsTest, ALockThatIsTakenWithALastFenceAboveTheProposedIsTaken) {
  const Deed deed = deed_of_script(scripts::set_all_if_absent);
  EXPECT_EQ(deed.verb, Verb::take);
  EXPECT_TRUE(deed.done("$1\r\n9\r\n"));
  EXPECT_TRUE(deed.done("+OK\r\n"));
  EXPECT_FALSE(deed.done("$-1\r\n"));
}

TEST(CheckerCommandsTest, SeveralLocksAreNotTakenWhereTheFirstIsAnothers) {
  EXPECT_FALSE(deed_of_script(scripts::set_all_if_absent).done("+BUSY 1\r\n"));
}

TEST(CheckerCommandsTest, OfSeveralLocksTheTokenStandsBehindTheLast) {
  const Deed deed =
      deed_of({"EVALSHA", scripts::set_all_if_absent.sha1, "3", "a", "b", "c", "token", "9"});
  EXPECT_EQ(deed.key, "a");
  EXPECT_EQ(deed.token, "token");
}

TEST(CheckerCommandsTest, ASlotIsNotTakenWhereItIsToldWhichAreFree) {
  const Deed deed = deed_of_script(scripts::permit_take);
  EXPECT_EQ(deed.verb, Verb::take);
  EXPECT_TRUE(deed.done("+OK\r\n"));
  EXPECT_FALSE(deed.done("$5\r\n-2 01\r\n"));
  EXPECT_EQ(deed_of_script(scripts::permit_pass).verb, Verb::release);
}

TEST(CheckerCommandsTest, AFenceThatIsToldWasNotRaised) {
  const Deed deed = deed_of_script(scripts::raise_fence);
  EXPECT_EQ(deed.verb, Verb::raise);
  EXPECT_EQ(deed.token, "4");
  EXPECT_TRUE(deed.done("+RAISED 5\r\n"));
  EXPECT_FALSE(deed.done("+LOST\r\n"));
  EXPECT_FALSE(deed.done("$1\r\n9\r\n"));
}

TEST(CheckerCommandsTest, AnotherScriptIsNothingThatIsFollowed) {
  EXPECT_EQ(deed_of({"EVAL", "return 1", "1", "lock", "4"}).verb, Verb::count);
}

}  // namespace
}  // namespace redlock::sim::deed_test
