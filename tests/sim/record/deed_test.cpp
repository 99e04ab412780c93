// The commands of locks are known by name and by text.
#include "sim/record/deed.hpp"

#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"

namespace redlock::sim {
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

TEST(CheckerCommandsTest, AnotherScriptIsNothingThatIsFollowed) {
  EXPECT_EQ(deed_of({"EVAL", "return 1", "1", "lock", "4"}).verb, Verb::count);
}

}  // namespace
}  // namespace redlock::sim
