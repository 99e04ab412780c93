// What the scripts of permits must do and must not: a slot is one holder's, and every slot that
// gets free finds a waiter.
#include "sim/line_rules.hpp"

namespace redlock::sim::permit_rules_test {
namespace {

class Permits : public LineRules {
 protected:
  std::string on(const std::string& key, const Script& script, const Arguments& given) {
    Arguments arguments{"EVAL", script.text, "1", key};
    arguments.insert(arguments.end(), given.begin(), given.end());
    return run(arguments);
  }
  static std::string slot(int number) { return "r:redlock:slot:" + std::to_string(number); }
  std::string take(int number, const std::string& token, const std::string& permits = "3") {
    return on(slot(number), scripts::permit_take, {token, "1000", permits});
  }
  std::string stand(const std::string& token, const std::string& ticket, int listens = 1) {
    if (listens != 0) listen(token);
    return on("r:redlock:slot", scripts::permit_join,
              {token, "1000", ticket, token, "1", "0", "3"});
  }
  std::string give_back(int number, const std::string& token) {
    return on(slot(number), scripts::permit_pass, {token});
  }
  std::string leave(const std::string& token) {
    return on("r:redlock:slot", scripts::permit_leave, {token});
  }
  void take_all() {
    for (const int number : {0, 1, 2}) take(number, "held" + std::to_string(number));
  }
  std::string stands(const std::string& left, const std::string& place, const std::string& free) {
    return bulk(left + ' ' + place + ' ' + std::to_string(kNowMs) + ' ' + free);
  }
};

TEST_F(Permits, ASlotIsTakenByOne) {
  EXPECT_EQ(take(1, "a"), "+OK\r\n");
  EXPECT_EQ(run({"GET", slot(1)}) + run({"PTTL", slot(1)}), bulk("a") + ":1000\r\n");
  EXPECT_EQ(take(1, "b"), bulk("-2 101"));
  EXPECT_EQ(run({"GET", slot(1)}), bulk("a"));
}

TEST_F(Permits, WhereNoneIsFreeItIsToldWhenTheNextEnds) {
  take_all();
  run({"PEXPIRE", slot(2), "300"});
  EXPECT_EQ(take(0, "b"), bulk("300 000"));
  run({"SET", slot(2), "x"});
  EXPECT_EQ(take(0, "b"), bulk("1000 000"));
}

TEST_F(Permits, WhereNoneEverEndsThatIsTold) {
  for (const int number : {0, 1}) run({"SET", slot(number), "x"});
  EXPECT_EQ(take(0, "b", "2"), bulk("-1 00"));
}

TEST_F(Permits, AKeyOfAnotherTypeIsNotFree) {
  run({"HSET", slot(1), "f", "v"});
  EXPECT_EQ(take(1, "b"), bulk("-2 101"));
}

TEST_F(Permits, WhoNamesMoreOfThemKnowsMoreSlots) {
  take_all();
  EXPECT_EQ(take(0, "b", "5"), bulk("-2 00011"));
}

TEST_F(Permits, WhoStandsInLineIsToldWhichAreFree) {
  take(0, "a");
  EXPECT_EQ(stand("w", "1"), stands("-2", "0", "011"));
  take_all();
  EXPECT_EQ(stand("v", "2"), stands("1000", "1", "000"));
  EXPECT_EQ(run({"GET", "r:redlock:slot"}), kNil);
}

TEST_F(Permits, WhoGivesASlotBackTellsTheFirstWhichAndTheNextToLookLater) {
  take_all();
  stand("first", "1");
  stand("second", "2");
  EXPECT_EQ(give_back(1, "held1"), kYes);
  EXPECT_EQ(pushes_, (Pushes{{"first", "slot 1 first"}, {"second", "next 100 second"}}));
  EXPECT_EQ(run({"GET", slot(1)}), kNil);
}

TEST_F(Permits, EverySlotThatGetsFreeFindsAnotherWaiter) {
  take_all();
  stand("first", "1");
  stand("second", "2");
  give_back(2, "held2");
  give_back(0, "held0");
  EXPECT_EQ(pushes_.back(), (Push{"second", "slot 0 second"}));
  give_back(1, "held1");
  EXPECT_EQ(pushes_.size(), 3U);
}

TEST_F(Permits, WhoCannotBeReachedIsPassedOver) {
  take_all();
  stand("gone", "1");
  unsubscribe("gone");
  stand("there", "2");
  give_back(1, "held1");
  EXPECT_EQ(pushes_, (Pushes{{"there", "slot 1 there"}}));
}

TEST_F(Permits, WhoGivesBackWhatIsNotHisTellsNobody) {
  take_all();
  stand("w", "1");
  EXPECT_EQ(give_back(1, "other"), kNo);
  EXPECT_EQ(pushes_.size(), 0U);
  EXPECT_EQ(run({"GET", slot(1)}), bulk("held1"));
}

TEST_F(Permits, WhoWasToldAndDoesNotWantItHasTheNextToldByRemovingNothing) {
  take_all();
  stand("first", "1");
  stand("second", "2");
  give_back(1, "held1");
  EXPECT_EQ(give_back(1, "first"), kNo);
  EXPECT_EQ(pushes_.back(), (Push{"second", "slot 1 second"}));
}

TEST_F(Permits, WhoLeavesIsToldOfNothingAndTellsNobody) {
  take_all();
  stand("first", "1");
  stand("second", "2");
  EXPECT_EQ(leave("first"), kNo);
  EXPECT_EQ(pushes_.size(), 0U);
  give_back(1, "held1");
  EXPECT_EQ(pushes_, (Pushes{{"second", "slot 1 second"}}));
}

TEST_F(Permits, WhoWaitsForTheSlotByItsOwnNameComesFirst) {
  take_all();
  stand("w", "1");
  listen("named");
  on(slot(1), scripts::join, {"named", "1000", "5", "named", "1", "1"});
  give_back(1, "held1");
  EXPECT_EQ(run({"GET", slot(1)}), bulk("named"));
  EXPECT_EQ(pushes_, (Pushes{{"named", "granted 1 named"}}));
}

TEST_F(Permits, ALineOfANewerVersionIsLeftAlone) {
  take_all();
  stand("w", "1");
  run({"HSET", "r:redlock:slot:redlock:waiters", "!", "3"});
  EXPECT_EQ(give_back(1, "held1"), kYes);
  EXPECT_EQ(pushes_.size(), 0U);
}

}  // namespace
}  // namespace redlock::sim::permit_rules_test
