// What a server has refused to remove, on the next connection to it.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "support/refusing_world.hpp"

namespace redlock::refused_reopened_test {
namespace {

using test::kLoading;

class Rule14ANewConnection : public test::Rule14RefusedRemovals {
 protected:
  Rule14ANewConnection() { pool_.set_idle_limit(kIdleLimitMin); }
  // The third refuses it, and is well again.
  void release_in_vain() {
    third_refuses(kLoading);
    release(locks_);
    third_is_well();
  }
  LockManager locks_ = manager(3);
};

TEST_F(Rule14ANewConnection, RepeatsThemBeforeAnythingIsTakenThere) {
  const std::vector<std::function<void()>> ends{
      [this] { transport_.drop_connections(server(2)); },
      [this] { transport_.forget_flows(server(2)); },
      [this] { pool_.close_idle(Duration()); },
  };
  for (const auto& happens : ends) {
    release_in_vain();
    happens();
    clock_.advance(kIdleLimitMin);
    const Outcome outcome = lock(locks_);
    step_for(Duration::ms(1));
    EXPECT_EQ(server(2).keys["r"], outcome.token.view()) << &happens - ends.data();
    unlock(locks_, outcome.token);
  }
}

// An answer that lies there makes them go on the old one, which is replaced all the same.
TEST_F(Rule14ANewConnection, TakesThePlaceOfASilentOneThoughTheyWereRepeatedOnThat) {
  release_in_vain();
  server(2).answer_time = Duration::ms(10);
  pool_.run(locks_.begin_check(Resource("other"), Token("t")));
  server(2).answer_time = Duration();
  clock_.advance(kIdleLimitMin);
  transport_.forget_flows(server(2));
  const Outcome outcome = lock(locks_);
  step_for(Duration::ms(1));
  EXPECT_EQ(server(2).keys["r"], outcome.token.view());
}

TEST_F(Rule14ANewConnection, RepeatsNoneWhoseMinuteIsOver) {
  release_in_vain();
  transport_.forget_flows(server(2));
  clock_.advance(kOwedFor * 2);
  const std::size_t before = removals();
  call(locks_);
  EXPECT_EQ(removals(), before);
  EXPECT_TRUE(third_holds());
}

// Only to find out whether the server is well again nothing is asked of it.
TEST_F(Rule14ANewConnection, DoesNotCountOnWhatTheServerDidBeforeItsTrouble) {
  release_in_vain();
  call(locks_);
  server(2).stopped = true;
  pool_.run(locks_.begin_check(Resource("other"), Token("t")));
  step_for(Duration::ms(1));
  transport_.drop_connections(server(2));
  step_for(Duration::ms(1));
  server(2).stopped = false;
  clock_.advance(kRepeatPause * 2);
  const Outcome outcome = lock(locks_);
  ASSERT_EQ(outcome.decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_NE(server(2).keys["r"], outcome.token.view()) << "the old key was in the way";
}

TEST_F(Rule14ANewConnection, GrantsThemTheirPause) {
  release_in_vain();
  transport_.drop_connections(server(2));
  const std::size_t before = removals();
  call(locks_);
  EXPECT_EQ(removals(), before);
  clock_.advance(kRepeatPause);
  call(locks_);
  EXPECT_FALSE(third_holds());
}

}  // namespace
}  // namespace redlock::refused_reopened_test
