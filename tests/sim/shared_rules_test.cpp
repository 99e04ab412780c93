// What shared locks do on one server, claim by claim.
#include "redlock/algorithm/ids.hpp"
#include "sim/line_rules.hpp"

namespace redlock::sim::shared_rules_test {
namespace {

constexpr std::string_view kOk = "+OK\r\n";
constexpr std::string_view kBusy = "+BUSY 1\r\n";
constexpr std::string_view kGranted = "+GRANTED\r\n";

class Sharing : public LineRules {
 protected:
  std::string share(const std::string& token, std::int64_t ttl_ms = 1000) {
    return run(scripts::share_if_free, {token, std::to_string(ttl_ms)});
  }
  std::string extend(const std::string& token, std::int64_t ttl_ms) {
    return run(scripts::extend_if_equal, {token, std::to_string(ttl_ms)});
  }
  std::string check(const std::string& token) { return run(scripts::check_equal, {token}); }
  std::string promote(const std::string& token, const std::string& fresh,
                      std::int64_t ttl_ms = 1000) {
    return run(scripts::promote, {token, fresh, std::to_string(ttl_ms)});
  }
  std::string demote(const std::string& token) { return run(scripts::demote, {token}); }
  std::string join_shared(const std::string& token, std::int64_t ticket,
                          const std::string& echo = "1", const std::string& policy = "1",
                          std::int64_t ttl_ms = 1000) {
    return run(scripts::join,
               {token, std::to_string(ttl_ms), std::to_string(ticket), token, echo, policy, "r"});
  }
  void read_in_line(const std::string& token, std::int64_t ticket) {
    listen(token);
    join_shared(token, ticket);
  }
  std::string until(const std::string& token) {
    return run({"ZSCORE", "k:redlock:readers", token});
  }
  std::string in(std::int64_t ms) const { return bulk(std::to_string(now_ms_ + ms)); }
  static std::string marked() { return bulk(std::string(kSharedMark)); }
};

TEST_F(Sharing, ReadersEnterTogetherAndTheKeyLastsAsLongAsTheLast) {
  EXPECT_EQ(share("a", 1000), kOk);
  EXPECT_EQ(share("b", 300), kOk);
  EXPECT_EQ(stored(), marked());
  EXPECT_EQ(left("k"), ":1000\r\n");
  EXPECT_EQ(until("b"), in(300));
  EXPECT_EQ(check("a"), kYes);
  EXPECT_EQ(check("b"), kYes);
  EXPECT_EQ(check("c"), kNo);
}

TEST_F(Sharing, KeepsOutWhoWantsItAloneAndIsKeptOutByHim) {
  share("a");
  EXPECT_EQ(run({"SET", "k", "w", "NX", "PX", "1000"}), kNil);
  EXPECT_EQ(pass("w"), kNo);
  EXPECT_EQ(pass("a"), kYes);
  EXPECT_EQ(stored(), kNil);
  hold("w");
  EXPECT_EQ(share("a"), kBusy);
}

TEST_F(Sharing, AnExtendProlongsNobodyElse) {
  share("a", 1000);
  share("b", 500);
  EXPECT_EQ(extend("b", 400), kYes);
  EXPECT_EQ(until("b"), in(500)) << "never shortened";
  EXPECT_EQ(extend("b", 3000), kYes);
  EXPECT_EQ(until("b"), in(3000));
  EXPECT_EQ(until("a"), in(1000));
  EXPECT_EQ(left("k"), ":3000\r\n");
  wait(1001);
  EXPECT_EQ(check("a"), kNo);
  EXPECT_EQ(extend("a", 1000), kNo);
  EXPECT_EQ(pass("b"), kYes);
  EXPECT_EQ(stored(), kNil) << "who has ended holds nothing up";
}

TEST_F(Sharing, WhoLeavesShortensTheKeyToTheLastOfTheOthers) {
  share("a", 9000);
  share("b", 1000);
  EXPECT_EQ(pass("a"), kYes);
  EXPECT_EQ(left("k"), ":1000\r\n");
  EXPECT_EQ(pass("a"), kNo);
  EXPECT_EQ(check("b"), kYes);
}

TEST_F(Sharing, WhoWasInWhenTheKeyWasLostIsOutForGood) {
  share("a", 9000);
  run({"DEL", "k"});
  EXPECT_EQ(check("a"), kNo);
  hold("w");
  EXPECT_EQ(extend("a", 9000), kNo);
  pass("w");
  EXPECT_EQ(share("b"), kOk);
  EXPECT_EQ(check("a"), kNo) << "a writer may have been in between";
  EXPECT_EQ(until("a"), kNil);
}

TEST_F(Sharing, DoesNotOvertakeWhoWaitsForItAlone) {
  share("a", 5000);
  wait_in_line("w", 10);
  EXPECT_EQ(share("b"), kBusy);
  EXPECT_EQ(share("a", 6000), kOk) << "who is in already stays in";
  EXPECT_EQ(until("a"), in(6000));
  wait(15'001);
  EXPECT_EQ(share("b"), kOk) << "he was not heard of for long";
}

TEST_F(Sharing, NobodyOvertakesALineOfLaterScripts) {
  hold("h");
  read_in_line("a", 10);
  run({"DEL", "k"});
  run({"HSET", "k:redlock:waiters", "!", "3"});
  EXPECT_EQ(share("b"), kBusy) << "who waits there may want it alone in a way not known here";
}

TEST_F(Sharing, AVoteThatWasRepairedIsNotTakenByTheLineItStoodIn) {
  hold("x");
  join_shared("a", 10);
  read_in_line("b", 20);
  run({"DEL", "k"});
  EXPECT_EQ(share("a"), kOk) << "nobody hears for it in the line";
  listen("c");
  EXPECT_EQ(join_shared("c", 30), kGranted);
  EXPECT_EQ(check("a"), kYes);
  EXPECT_EQ(check("b"), kYes);
  EXPECT_EQ(stored(), marked());
}

TEST_F(Sharing, WhoeverIsLetInBehindOneWhoIsGoneHasTheKey) {
  share("a", 1000);
  listen("w");
  run(scripts::join, {"w", "1000", "10", "w", "1", "1"});
  join_shared("gone", 20);
  read_in_line("b", 30);
  run({"DEL", "k:redlock:readers"});
  run(scripts::pass, {"w"});
  listen("c");
  EXPECT_EQ(join_shared("c", 40), kGranted);
  EXPECT_EQ(check("b"), kYes);
  EXPECT_EQ(stored(), marked());
}

TEST_F(Sharing, AnEarlierPromotionThatStandsYetIsNoLoss) {
  share("a");
  promote("a", "f");
  EXPECT_EQ(promote("a", "g"), kBusy);
  EXPECT_EQ(check("a"), kYes);
  EXPECT_EQ(pass("f"), kYes);
  EXPECT_EQ(promote("a", "g"), "+PROMOTED\r\n");
}

TEST_F(Sharing, OfALineThatIsTooLongToLookAtIsBusy) {
  hold("h");
  for (int i = 0; i < 17; ++i) join_shared("r" + std::to_string(i), i);
  run({"DEL", "k"});
  EXPECT_EQ(share("b"), kBusy);
}

TEST_F(Sharing, TheLastOneOutServesWhoWaits) {
  share("a");
  share("b");
  wait_in_line("w", 10, 321);
  on_pushes();
  pass("a");
  EXPECT_EQ(on_pushes(), Pushes{});
  pass("b");
  EXPECT_EQ(stored(), bulk("w"));
  EXPECT_EQ(on_pushes(), (Pushes{{"w", "granted 1 w"}}));
}

TEST_F(Sharing, AReleaseLetsInAllReadersUpToTheFirstWriter) {
  hold("h");
  read_in_line("a", 10);
  read_in_line("b", 20);
  wait_in_line("w", 30);
  read_in_line("c", 40);
  on_pushes();
  EXPECT_EQ(pass("h"), kYes);
  EXPECT_EQ(on_pushes(),
            (Pushes{{"a", "granted 1 a"}, {"b", "granted 1 b"}, {"w", "next 1000 w"}}));
  EXPECT_EQ(stored(), marked());
  EXPECT_EQ(line(), (Line{"w", "c"}));
  EXPECT_EQ(check("a"), kYes);
  EXPECT_EQ(check("b"), kYes);
  EXPECT_EQ(check("c"), kNo);
  pass("a");
  pass("b");
  EXPECT_EQ(stored(), bulk("w"));
  pass("w");
  EXPECT_EQ(check("c"), kYes);
}

TEST_F(Sharing, WhenAWriterLeavesTheLineThoseBehindHimAreLetIn) {
  share("a");
  wait_in_line("w", 10);
  read_in_line("b", 20);
  EXPECT_EQ(check("b"), kNo);
  on_pushes();
  pass("w");
  EXPECT_EQ(check("b"), kYes);
  EXPECT_EQ(on_pushes(), (Pushes{{"b", "granted 1 b"}}));
}

TEST_F(Sharing, AWriterWhoHasGoneHoldsNobodyUp) {
  share("a");
  join("gone", 10);
  listen("b");
  EXPECT_EQ(join_shared("b", 20), kGranted);
  EXPECT_EQ(line(), Line{});
}

TEST_F(Sharing, AReaderWhoHasGoneIsPassedOver) {
  hold("h");
  join_shared("gone", 10);
  wait_in_line("w", 20);
  pass("h");
  EXPECT_EQ(stored(), bulk("w"));
  EXPECT_EQ(until("gone"), kNil);
}

TEST_F(Sharing, AJoinEntersWhereItIsShared) {
  share("a");
  listen("b");
  EXPECT_EQ(join_shared("b", 10, "1", "3"), kGranted);
  EXPECT_EQ(check("b"), kYes);
  EXPECT_EQ(line(), Line{});
}

TEST_F(Sharing, AnOvertakenJoinGivesNothingAway) {
  hold("h");
  read_in_line("a", 10);
  join_shared("a", 10, "5");
  pass("h");
  wait_in_line("w", 5);
  EXPECT_EQ(join_shared("a", 10, "4"), standing(1000, 1));
  EXPECT_EQ(check("a"), kYes);
  EXPECT_EQ(join_shared("a", 10, "6"), standing(1000, 0)) << "a later one does";
  EXPECT_EQ(stored(), bulk("w"));
}

TEST_F(Sharing, BehindAnExtendNoJoinGivesItsVoteAway) {
  hold("h");
  read_in_line("a", 10);
  pass("h");
  extend("a", 1000);
  wait_in_line("w", 5);
  EXPECT_EQ(join_shared("a", 10, "9"), standing(1000, 1));
  EXPECT_EQ(check("a"), kYes);
}

TEST_F(Sharing, OlderScriptsDoNotServeALineWithReaders) {
  hold("h");
  read_in_line("a", 10);
  EXPECT_EQ(told_of("!"), bulk("2"));
}

TEST_F(Sharing, ARotationReplacesOneReader) {
  share("a", 9000);
  share("b", 1000);
  EXPECT_EQ(run(scripts::swap_if_equal, {"a", "fresh", "500"}), kYes);
  EXPECT_EQ(check("a"), kNo);
  EXPECT_EQ(until("fresh"), in(500));
  EXPECT_EQ(left("k"), ":1000\r\n");
  EXPECT_EQ(run(scripts::swap_if_equal, {"a", "late", "500"}), kNo);
}

TEST_F(Sharing, HasFencesLikeEveryLock) {
  EXPECT_EQ(run(scripts::share_if_free, {"a", "1000", "7", "9000"}), kOk);
  EXPECT_EQ(run(scripts::share_if_free, {"b", "1000", "6", "9000"}), bulk("7"));
  EXPECT_EQ(run(scripts::raise_fence, {"b", "8", "9000"}), "+RAISED 8\r\n");
  EXPECT_EQ(run(scripts::raise_fence, {"c", "9", "9000"}), "+LOST\r\n");
}

TEST_F(Sharing, InspectCountsReaders) {
  share("a");
  share("b", 100);
  EXPECT_EQ(run(scripts::inspect, {}), bulk("1000 0 0 redlock:shared 2"));
  wait(101);
  EXPECT_EQ(run(scripts::inspect, {}), bulk("899 0 0 redlock:shared 1"));
}

TEST_F(Sharing, OnlyTheOnlyReaderIsPromoted) {
  share("a");
  share("b");
  EXPECT_EQ(promote("a", "A"), kBusy);
  EXPECT_EQ(promote("x", "X"), "+LOST\r\n");
  pass("b");
  EXPECT_EQ(promote("a", "A"), "+PROMOTED\r\n");
  EXPECT_EQ(stored(), bulk("A"));
  EXPECT_EQ(share("b"), kBusy);
  EXPECT_EQ(check("A"), kYes);
  EXPECT_EQ(check("a"), kYes) << "until it is given back";
}

TEST_F(Sharing, APromotionThatIsUndoneLeavesTheReaderAndNothingElse) {
  share("a", 5000);
  promote("a", "A", 1000);
  EXPECT_EQ(left("k"), ":5000\r\n");
  read_in_line("b", 10);
  EXPECT_EQ(check("b"), kNo);
  EXPECT_EQ(undo("A"), kYes);
  EXPECT_EQ(stored(), marked());
  EXPECT_EQ(check("a"), kYes);
  EXPECT_EQ(check("A"), kNo);
  EXPECT_EQ(check("b"), kYes) << "who came meanwhile is let in";
  EXPECT_EQ(undo("A"), kNo);
}

TEST_F(Sharing, WhileItIsBeingPromotedAReaderIsExtended) {
  share("a", 500);
  promote("a", "A", 1000);
  EXPECT_EQ(extend("a", 4000), kYes);
  EXPECT_EQ(left("k"), ":4000\r\n");
  undo("A");
  EXPECT_EQ(until("a"), in(4000));
  EXPECT_EQ(stored(), marked());
}

TEST_F(Sharing, OfAPromotionThatWasGrantedNothingIsLeftBehindBothTokens) {
  for (const bool reader_first : {true, false}) {
    share("a", 5000);
    promote("a", "A", 1000);
    EXPECT_EQ(pass(reader_first ? "a" : "A"), kYes);
    EXPECT_EQ(pass(reader_first ? "A" : "a"), kYes);
    EXPECT_EQ(stored(), kNil);
  }
}

TEST_F(Sharing, ALateUndoOfAnEarlierPromotionFindsNothing) {
  share("a", 5000);
  promote("a", "A");
  undo("A");
  promote("a", "B");
  EXPECT_EQ(undo("A"), kNo);
  EXPECT_EQ(stored(), bulk("B"));
}

TEST_F(Sharing, AnExclusiveVoteOfAReaderIsPromotedToo) {
  hold("a", 5000);
  EXPECT_EQ(promote("a", "A", 1000), "+PROMOTED\r\n");
  EXPECT_EQ(undo("A"), kYes);
  EXPECT_EQ(stored(), marked());
  EXPECT_EQ(until("a"), in(5000));
}

TEST_F(Sharing, ADemotionLetsInWhoWaits) {
  hold("w", 5000);
  read_in_line("a", 10);
  wait_in_line("v", 20);
  on_pushes();
  EXPECT_EQ(demote("w"), kYes);
  EXPECT_EQ(stored(), marked());
  EXPECT_EQ(check("w"), kYes);
  EXPECT_EQ(check("a"), kYes);
  EXPECT_EQ(until("w"), in(5000));
  EXPECT_EQ(on_pushes(), (Pushes{{"a", "granted 1 a"}, {"v", "next 5000 v"}}));
  EXPECT_EQ(demote("w"), kYes);
  EXPECT_EQ(demote("x"), kNo);
}

TEST_F(Sharing, ADemotionRevivesNobody) {
  share("old", 9000);
  run({"DEL", "k"});
  hold("w", 5000);
  demote("w");
  EXPECT_EQ(check("old"), kNo);
}

// The lock has expired, and its holder gives it back only then.
TEST_F(Sharing, ALateReleaseIsForgottenWithTheLock) {
  hold("h");
  wait_in_line("a", 10, 100);
  wait_in_line("b", 20);
  pass("h");
  EXPECT_EQ(given(), bulk("1 a"));
  wait(101);
  EXPECT_EQ(undo("a"), kNo);
  EXPECT_EQ(given(), kNil);
}

}  // namespace
}  // namespace redlock::sim::shared_rules_test
