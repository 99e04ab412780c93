// To the nanosecond: from when on a removal that its server refused is repeated, and until when.
#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"
#include "support/machine.hpp"
#include "support/refusing_world.hpp"

namespace redlock::refused_bounds_test {
namespace {

using test::kLoading;
using test::kOneNs;

class Rule14WhatWasRefused : public test::Rule14RefusedRemovals {
 protected:
  // The third refuses it, and is well again; when that was.
  Instant refuse(const std::string& key) {
    third_refuses(kLoading);
    const Instant refused_at = clock_.now();
    release(locks_, key);
    third_is_well();
    return refused_at;
  }
  // Its connection is used a little before the minute is over, and so is no idle one.
  Instant refuse_for_a_minute(const std::string& key) {
    const Instant refused_at = refuse(key);
    third_refuses(kLoading);
    clock_.advance_to(refused_at + kOwedFor - Duration::seconds(1));
    call(locks_);
    third_is_well();
    return refused_at;
  }
  // To whoever takes the lock again: not where the old key is still in the way.
  bool third_gives(const std::string& key) {
    EXPECT_TRUE(third_holds(key));
    const Outcome outcome = lock(locks_, key);
    EXPECT_EQ(outcome.decision, Decision::granted);
    step_for(Duration::ms(10));
    return server(2).keys[key] == outcome.token.view();
  }
  void end_request() {
    pool_.deliver();
    step_for(Duration::ms(1));
  }

  LockManager locks_ = manager(3);
};

TEST_F(Rule14WhatWasRefused, IsRepeatedBehindAnswersFromTheEndOfItsPauseOn) {
  for (const Duration before : {kOneNs, Duration()}) {
    const std::string key = std::to_string(before.count_ns());
    clock_.advance_to(refuse(key) + kRepeatPause - before);
    call(locks_);
    EXPECT_EQ(third_holds(key), before == kOneNs);
  }
}

// The answer came when the call that had asked was over, and nobody has read it.
TEST_F(Rule14WhatWasRefused, IsRepeatedBeforeATakeWhereAnAnswerLiesUnread) {
  clock_.advance_to(refuse("r") + kRepeatPause);
  server(2).answer_time = Duration::ms(2);
  ASSERT_EQ(lock(locks_, "other").decision, Decision::granted);
  clock_.advance(Duration::ms(5));
  EXPECT_TRUE(third_gives("r"));
}

TEST_F(Rule14WhatWasRefused, IsRepeatedBeforeATakeWhereAnAnswerCameInItsPause) {
  for (const Duration before : {kOneNs, Duration()}) {
    const std::string key = std::to_string(before.count_ns());
    const Instant refused_at = refuse(key);
    call(locks_);
    clock_.advance_to(refused_at + kRepeatPause - before);
    EXPECT_EQ(third_gives(key), before == Duration());
  }
}

TEST_F(Rule14WhatWasRefused, IsRepeatedBeforeATakeThoughAnErrorCameBehindTheAnswer) {
  const Instant refused_at = refuse("r");
  call(locks_);
  third_refuses("BUSY Redis is busy running a script.");
  pool_.run(locks_.begin_check(Resource("other"), Token("t")));
  step_for(Duration::ms(1));
  third_is_well();
  clock_.advance_to(refused_at + kRepeatPause);
  EXPECT_TRUE(third_gives("r"));
}

// There may be many of them, and an extend has its own time.
TEST_F(Rule14WhatWasRefused, IsRepeatedBehindWhatIsNoTake) {
  const Instant refused_at = refuse("r");
  call(locks_);
  clock_.advance_to(refused_at + kRepeatPause);
  const std::size_t before = server(2).log.size();
  pool_.run(locks_.begin_check(Resource("other"), Token("t")));
  step_for(Duration::ms(1));
  ASSERT_EQ(server(2).log.size(), before + 2);
  EXPECT_EQ(server(2).log[before][1], scripts::check_equal.text);
  EXPECT_EQ(server(2).log[before + 1][1], scripts::pass.text);
}

TEST_F(Rule14WhatWasRefused, IsRepeatedBehindTheAnswerToATakeWhereItWasRefusedAgain) {
  const Instant refused_at = refuse("r");
  call(locks_);
  third_refuses(kLoading);
  clock_.advance_to(refused_at + kRepeatPause);
  call(locks_);
  third_is_well();
  const std::size_t before = removals();
  clock_.advance(kRepeatPause);
  EXPECT_FALSE(third_gives("r"));
  EXPECT_EQ(removals(), before + 1) << "behind what shows that it is well";
}

TEST_F(Rule14WhatWasRefused, IsRepeatedBehindAnswersForAMinuteAndNoLonger) {
  for (const Duration before : {kOneNs, Duration()}) {
    const std::string key = std::to_string(before.count_ns());
    clock_.advance_to(refuse_for_a_minute(key) + kOwedFor - before);
    call(locks_);
    EXPECT_EQ(third_holds(key), before == Duration());
  }
}

TEST_F(Rule14WhatWasRefused, IsRepeatedAtTheEndOfARequestFromTheEndOfItsPauseOn) {
  for (const bool connected : {true, false}) {
    for (const Duration before : {kOneNs, Duration()}) {
      SCOPED_TRACE(connected);
      const std::string key = std::to_string(connected) + std::to_string(before.count_ns());
      third_refuses(kLoading);
      const Instant refused_at = clock_.now();
      release(locks_, key);
      if (!connected) pool_.close_idle(Duration());
      third_is_well();
      clock_.advance_to(refused_at + kRepeatPause - before);
      end_request();
      EXPECT_EQ(third_holds(key), before == kOneNs);
    }
  }
}

TEST_F(Rule14WhatWasRefused, IsRepeatedAtTheEndOfARequestForAMinuteAndNoLonger) {
  for (const Duration before : {kOneNs, Duration()}) {
    const std::string key = std::to_string(before.count_ns());
    clock_.advance_to(refuse_for_a_minute(key) + kOwedFor - before);
    end_request();
    EXPECT_EQ(third_holds(key), before == Duration());
  }
}

// The pause is for servers that go on refusing; there may be no later connection.
TEST_F(Rule14WhatWasRefused, IsSaidOnceMoreWhereItsConnectionIsTidiedAwayInItsPause) {
  refuse("r");
  pool_.close_idle(Duration());
  EXPECT_FALSE(third_holds());
}

}  // namespace
}  // namespace redlock::refused_bounds_test
