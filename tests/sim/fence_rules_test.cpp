// What the scripts of fences must do and must not.
#include "sim/script_rules.hpp"

namespace redlock::sim::fence_rules_test {
namespace {

constexpr std::string_view kTaken = "+OK\r\n";
constexpr std::string_view kKept = "86400000";

class Fences : public ScriptRules {
 protected:
  std::string take(std::string_view token, std::string_view proposal) {
    return run(scripts::set_all_if_absent, {token, "1000", proposal, kKept});
  }
  std::string raise(std::string_view token, std::string_view proposal) {
    return run(scripts::raise_fence, {token, proposal, kKept});
  }
  std::string last() { return run({"GET", "k:redlock:fence"}); }
};

TEST_F(Fences, TheFirstProposalIsRecordedWithTheLock) {
  EXPECT_EQ(take("ours", "7"), kTaken);
  EXPECT_EQ(stored(), bulk("ours"));
  EXPECT_EQ(run({"PTTL", "k"}), ":1000\r\n");
  EXPECT_EQ(last(), bulk("7"));
  EXPECT_EQ(run({"PTTL", "k:redlock:fence"}), ":86400000\r\n");
}

TEST_F(Fences, NothingIsRecordedWhereTheLockIsAnothers) {
  run({"SET", "k", "theirs"});
  EXPECT_EQ(take("ours", "7"), "+BUSY 1\r\n");
  EXPECT_EQ(last(), kNil);
}

TEST_F(Fences, AProposalThatIsNotLargerIsAnsweredByTheLastOneThoughTheLockIsTaken) {
  take("theirs", "7");
  for (const std::string_view proposal : {"6", "7"}) {
    run({"DEL", "k"});
    EXPECT_EQ(take("ours", proposal), bulk("7"));
    EXPECT_EQ(stored(), bulk("ours"));
    EXPECT_EQ(last(), bulk("7"));
  }
}

TEST_F(Fences, AreComparedAsNumbers) {
  take("theirs", "9");
  run({"DEL", "k"});
  EXPECT_EQ(take("ours", "10"), kTaken);
  run({"DEL", "k"});
  EXPECT_EQ(take("ours", "9007199254740990"), kTaken);
  run({"DEL", "k"});
  EXPECT_EQ(take("ours", "9007199254740991"), kTaken);
  run({"DEL", "k"});
  EXPECT_EQ(take("ours", "9007199254740991"), bulk("9007199254740991"));
}

TEST_F(Fences, AreRaisedByTheHolderOnly) {
  take("theirs", "7");
  EXPECT_EQ(raise("ours", "9"), "+LOST\r\n");
  EXPECT_EQ(last(), bulk("7"));
  EXPECT_EQ(raise("theirs", "9"), "+RAISED 9\r\n");
  EXPECT_EQ(last(), bulk("9"));
  EXPECT_EQ(raise("theirs", "9"), bulk("9"));
  EXPECT_EQ(raise("theirs", "8"), bulk("9"));
  EXPECT_EQ(last(), bulk("9"));
}

TEST_F(Fences, ARaiseLetsTheFenceLiveAnew) {
  take("ours", "7");
  go_to(kNowMs + 400);
  EXPECT_EQ(raise("ours", "8"), "+RAISED 8\r\n");
  EXPECT_EQ(run({"PTTL", "k:redlock:fence"}), ":86400000\r\n");
  EXPECT_EQ(run({"PTTL", "k"}), ":600\r\n");
}

TEST_F(Fences, AreRememberedNoShorterThanOthersWished) {
  take("ours", "7");
  EXPECT_EQ(run(scripts::raise_fence, {"ours", "8", "10"}), "+RAISED 8\r\n");
  EXPECT_EQ(run({"PTTL", "k:redlock:fence"}), ":86400000\r\n");
}

TEST_F(Fences, NothingIsTakenWhereTheirKeyHoldsSomethingElse) {
  for (const std::string_view else_there : {"text", "", "-1", "1.5", "12345678901234567"}) {
    run({"SET", "k:redlock:fence", else_there});
    EXPECT_NE(take("ours", "7").find("FENCE"), std::string::npos) << else_there;
    EXPECT_EQ(stored(), kNil);
  }
  run({"DEL", "k:redlock:fence"});
  run({"HSET", "k:redlock:fence", "f", "v"});
  EXPECT_NE(take("ours", "7").find("WRONGTYPE"), std::string::npos);
  EXPECT_EQ(stored(), kNil);
}

}  // namespace
}  // namespace redlock::sim::fence_rules_test
