// To the nanosecond: from when on a removal that its server refused is repeated, and until when.
#include <gtest/gtest.h>

#include "support/machine.hpp"
#include "support/refusing_world.hpp"

namespace redlock {
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
  const Outcome outcome = lock(locks_, "r");
  step_for(Duration::ms(10));
  EXPECT_EQ(server(2).keys["r"], outcome.token.view());
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
}  // namespace redlock
