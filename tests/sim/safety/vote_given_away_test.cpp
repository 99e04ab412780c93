// A holder that hands its own lock on is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::vote_given_away_test {
namespace {

class VoteGivenAwayTest : public CheckerTest {
 protected:
  VoteGivenAwayTest() : CheckerTest(make_waiting_plan()) { set_everywhere(0, "a", 100); }

  // Its command hands the lock `token` on, and the key is gone from server 2.
  void pass(std::string_view token) {
    checker_.command_begins({0, 2, 0, now_ms_ * kMs},
                            deed_of({"EVALSHA", scripts::pass.sha1, "1", "lock", token}));
    remove(0, 2);
  }
};

TEST_F(VoteGivenAwayTest, AVoteOfAHeldLockThatItsHolderHandsOnIsSeen) {
  checker_.granted(0, "a", 97 * kMs);
  pass("a");
  EXPECT_EQ(kinds(), Kinds{ViolationKind::vote_given_away});
}

TEST_F(VoteGivenAwayTest, AVoteThatGoesByAnotherCommandIsNot) {
  checker_.granted(0, "a", 97 * kMs);
  pass("b");
  EXPECT_EQ(kinds(), Kinds{});
  EXPECT_EQ(judged(ViolationKind::vote_given_away), 1U);
}

TEST_F(VoteGivenAwayTest, ALockThatWasGivenUpMayBeHandedOn) {
  checker_.granted(0, "a", 97 * kMs);
  checker_.given_up(0);
  pass("a");
  EXPECT_EQ(kinds(), Kinds{});
}

}  // namespace
}  // namespace redlock::sim::vote_given_away_test
