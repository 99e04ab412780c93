// What the scripts for several locks must do and must not: all, or none.
#include "sim/line_rules.hpp"

namespace redlock::sim::several_rules_test {
namespace {

class SeveralLocks : public ScriptRules {
 protected:
  std::string both(const Script& script, const Arguments& given) {
    Arguments arguments{"EVAL", script.text, "2", "a", "b"};
    arguments.insert(arguments.end(), given.begin(), given.end());
    return run(arguments);
  }
  std::string at(std::string_view key) { return run({"GET", key}); }
  void hold(std::string_view a, std::string_view b) {
    run({"SET", "a", a, "PX", "9000"});
    run({"SET", "b", b, "PX", "9000"});
  }
};

TEST_F(SeveralLocks, AreTakenTogether) {
  EXPECT_EQ(both(scripts::set_all_if_absent, {"ours", "1000"}), "+OK\r\n");
  EXPECT_EQ(at("a") + at("b"), bulk("ours") + bulk("ours"));
  EXPECT_EQ(run({"PTTL", "b"}), ":1000\r\n");
}

TEST_F(SeveralLocks, NoneIsTakenWhereOneIsAnothersAndThatIsNamed) {
  run({"SET", "b", "theirs"});
  EXPECT_EQ(both(scripts::set_all_if_absent, {"ours", "1000"}), "+BUSY 2\r\n");
  EXPECT_EQ(at("a"), kNil);
  run({"SET", "a", "theirs"});
  EXPECT_EQ(both(scripts::set_all_if_absent, {"ours", "1000"}), "+BUSY 1\r\n");
}

TEST_F(SeveralLocks, AKeyOfAnotherTypeIsAnothers) {
  run({"HSET", "b", "f", "v"});
  EXPECT_EQ(both(scripts::set_all_if_absent, {"ours", "1000"}), "+BUSY 2\r\n");
  EXPECT_EQ(at("a"), kNil);
}

TEST_F(SeveralLocks, AreTakenWithWhatWasHandedOverAlready) {
  run({"SET", "b", "ours", "PX", "300"});
  EXPECT_EQ(both(scripts::set_all_if_absent, {"ours", "1000"}), "+OK\r\n");
  EXPECT_EQ(run({"PTTL", "b"}), ":1000\r\n");
}

TEST_F(SeveralLocks, WhatIsOursAlreadyIsNotShortened) {
  run({"SET", "b", "ours", "PX", "9000"});
  EXPECT_EQ(both(scripts::set_all_if_absent, {"ours", "1000"}), "+OK\r\n");
  EXPECT_EQ(run({"PTTL", "a"}) + run({"PTTL", "b"}), ":1000\r\n:9000\r\n");
}

TEST_F(SeveralLocks, HaveOneFenceLargerThanTheLastOfEach) {
  run({"SET", "a:redlock:fence", "5"});
  run({"SET", "b:redlock:fence", "9"});
  EXPECT_EQ(both(scripts::set_all_if_absent, {"ours", "1000", "7", "60000"}), bulk("9"));
  EXPECT_EQ(at("a:redlock:fence"), bulk("5"));
  EXPECT_EQ(both(scripts::raise_fence, {"ours", "10", "60000"}), "+RAISED 10\r\n");
  EXPECT_EQ(at("a:redlock:fence") + at("b:redlock:fence"), bulk("10") + bulk("10"));
}

TEST_F(SeveralLocks, AFenceIsRaisedOnlyWhereAllAreOurs) {
  hold("ours", "theirs");
  EXPECT_EQ(both(scripts::raise_fence, {"ours", "10", "60000"}), "+LOST\r\n");
  EXPECT_EQ(at("a:redlock:fence"), kNil);
}

TEST_F(SeveralLocks, AreReleasedAlsoWhereOneIsNotOursAnyMore) {
  hold("ours", "ours");
  EXPECT_EQ(both(scripts::pass_all, {"ours"}), kYes);
  EXPECT_EQ(at("a") + at("b"), std::string(kNil) + std::string(kNil));
  hold("theirs", "ours");
  EXPECT_EQ(both(scripts::pass_all, {"ours"}), kNo);
  EXPECT_EQ(at("a") + at("b"), bulk("theirs") + std::string(kNil));
}

TEST_F(SeveralLocks, AReleaseTellsAnErrorOnceAllHaveBeenSeenTo) {
  run({"HSET", "a", "f", "v"});
  run({"SET", "b", "ours"});
  EXPECT_NE(both(scripts::pass_all, {"ours"}).find("WRONGTYPE"), std::string::npos);
  EXPECT_EQ(at("b"), kNil);
}

class SeveralInLine : public LineRules {};

TEST_F(SeveralInLine, EachOfSeveralReleasedIsHandedToTheFirstInItsLine) {
  listen("theirs");
  run({"SET", "j", "ours", "PX", "9000"});
  run({"SET", "k", "ours", "PX", "9000"});
  join("theirs", 7);
  EXPECT_EQ(run({"EVAL", scripts::pass_all.text, "2", "j", "k", "ours"}), kYes);
  EXPECT_EQ(run({"GET", "j"}) + stored(), std::string(kNil) + bulk("theirs"));
}

TEST_F(SeveralLocks, AreHeldOnlyTogether) {
  hold("ours", "ours");
  EXPECT_EQ(both(scripts::check_all, {"ours"}), kYes);
  hold("ours", "theirs");
  EXPECT_EQ(both(scripts::check_all, {"ours"}), kNo);
}

TEST_F(SeveralLocks, AreExtendedAndNotShortened) {
  hold("ours", "ours");
  EXPECT_EQ(both(scripts::extend_all, {"ours", "20000"}), kYes);
  EXPECT_EQ(run({"PTTL", "b"}), ":20000\r\n");
  EXPECT_EQ(both(scripts::extend_all, {"ours", "10"}), kYes);
  EXPECT_EQ(run({"PTTL", "a"}), ":20000\r\n");
  hold("ours", "theirs");
  EXPECT_EQ(both(scripts::extend_all, {"ours", "30000"}), kNo);
  EXPECT_EQ(run({"PTTL", "b"}), ":9000\r\n");
}

TEST_F(SeveralLocks, HaveAnotherTokenTogetherOrNotAtAll) {
  hold("ours", "theirs");
  EXPECT_EQ(both(scripts::swap_all, {"ours", "fresh", "1000"}), kNo);
  EXPECT_EQ(at("a"), bulk("ours"));
  hold("ours", "ours");
  EXPECT_EQ(both(scripts::swap_all, {"ours", "fresh", "1000"}), kYes);
  EXPECT_EQ(at("a") + at("b"), bulk("fresh") + bulk("fresh"));
  EXPECT_EQ(run({"PTTL", "b"}), ":1000\r\n");
}

}  // namespace
}  // namespace redlock::sim::several_rules_test
