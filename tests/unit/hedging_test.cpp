// What was kept back from a hedged server never arrives behind the removal that undoes it.
#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock::hedging_test {
namespace {

class Rule03AKeptBackTake : public test::FakeWorld {
 protected:
  // The third server has just refused a connection, and is well again; the first one's key is
  // taken.
  void SetUp() override {
    server(2).reach = test::FakeServer::Reach::refuses;
    ASSERT_EQ(lock(locks_, "other").decision, Decision::granted);
    server(2).reach = test::FakeServer::Reach::accepts;
    server(0).keys["r"] = "somebody else's";
  }
  // When the second one sets the key it says so, or complains, after this time.
  void second_answers(const std::string& words) {
    server(1).say = [words](const test::Arguments& request) -> std::optional<std::string> {
      if (request.front() == "SET") return words;
      return std::nullopt;
    };
  }

  LockManager locks_ = manager(3);
};

TEST_F(Rule03AKeptBackTake, IsSentBeforeItsUndoWhenAnErrorMakesItNeeded) {
  second_answers("-LOADING Redis is loading\r\n");
  EXPECT_EQ(lock(locks_).decision, Decision::split);
  step_for(Duration::seconds(2));
  EXPECT_EQ(server(2).count("SET"), 1U) << "it may be needed to tell busy from down";
  EXPECT_FALSE(server(2).keys.contains("r"));
}

TEST_F(Rule03AKeptBackTake, IsNotSentWhereTheAttemptIsLostInTheSameMoment) {
  second_answers("");
  const OperationId id = locks_.begin_lock(Resource("r"), Duration::seconds(10));
  pool_.step(clock_.now());
  // Nobody has looked until the answers are overdue.
  clock_.advance(kTimeoutDefault);
  EXPECT_NE(pool_.run(id).decision, Decision::granted);
  step_for(Duration::seconds(2));
  EXPECT_FALSE(server(2).keys.contains("r"));
}

}  // namespace
}  // namespace redlock::hedging_test
