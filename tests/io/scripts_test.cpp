// The quorum lock's scripts on a real server, and that every script is known by its right name.
#include <gtest/gtest.h>

#include <regex>

#include "io/support/fleet.hpp"
#include "io/support/script_runner.hpp"
#include "redlock/os/clock.hpp"

namespace redlock::scripts_test {
namespace {

using test::Fleet;
using test::ScriptRunner;

class Scripts : public Fleet {
 protected:
  static std::string run(const Script& script, const test::Arguments& arguments) {
    return ScriptRunner(server(0)).run(script, "k", arguments);
  }
  static std::string say(const test::Arguments& arguments) { return server(0).say(arguments); }
};

TEST_F(Scripts, TheServerKnowsEachByTheSha1ThatWeSend) {
  for (const Script* script :
       {&scripts::pass,          &scripts::set_if_absent,     &scripts::extend_if_equal,
        &scripts::swap_if_equal, &scripts::check_equal,       &scripts::inspect,
        &scripts::stamp_take,    &scripts::stamp_undo,        &scripts::stamp_release,
        &scripts::stamp_check,   &scripts::set_all_if_absent, &scripts::raise_fence,
        &scripts::pass_all,      &scripts::extend_all,        &scripts::swap_all,
        &scripts::check_all,     &scripts::share_if_free,     &scripts::promote,
        &scripts::demote,        &scripts::permit_take,       &scripts::permit_join,
        &scripts::permit_leave,  &scripts::permit_pass}) {
    EXPECT_EQ(say({"SCRIPT", "LOAD", std::string(script->text)}), script->sha1);
  }
}

TEST_F(Scripts, DeleteRemovesOnlyTheVeryToken) {
  say({"SET", "k", "mine"});
  EXPECT_EQ(run(scripts::pass, {"min"}), "0");
  EXPECT_EQ(run(scripts::pass, {"mine "}), "0");
  EXPECT_EQ(run(scripts::pass, {""}), "0");
  EXPECT_EQ(say({"GET", "k"}), "mine");
  EXPECT_EQ(run(scripts::pass, {"mine"}), "1");
  EXPECT_EQ(say({"EXISTS", "k"}), "0");
  EXPECT_EQ(run(scripts::pass, {"mine"}), "0");
}

TEST_F(Scripts, SwapGivesTheKeyAnotherTokenAndAnyTtl) {
  say({"SET", "k", "mine", "PX", "90000"});
  EXPECT_EQ(run(scripts::swap_if_equal, {"min", "fresh", "1000"}), "0");
  EXPECT_EQ(say({"GET", "k"}), "mine");
  EXPECT_EQ(run(scripts::swap_if_equal, {"mine", "fresh", "1000"}), "1");
  EXPECT_EQ(say({"GET", "k"}), "fresh");
  EXPECT_LE(std::stoi(say({"PTTL", "k"})), 1000);
  EXPECT_EQ(run(scripts::swap_if_equal, {"mine", "late", "1"}), "0");
  EXPECT_EQ(say({"GET", "k"}), "fresh");
}

TEST_F(Scripts, DeleteOfAMissingKeyIsNoSuccessWhateverTheToken) {
  EXPECT_EQ(run(scripts::pass, {""}), "0");
  EXPECT_EQ(run(scripts::pass, {"false"}), "0");
}

TEST_F(Scripts, ExtendLengthensAndNeverShortens) {
  say({"SET", "k", "mine", "PX", "60000"});
  EXPECT_EQ(run(scripts::extend_if_equal, {"mine", "90000"}), "1");
  EXPECT_GT(std::stoll(say({"PTTL", "k"})), 80'000);
  EXPECT_EQ(run(scripts::extend_if_equal, {"mine", "1000"}), "1");
  EXPECT_GT(std::stoll(say({"PTTL", "k"})), 80'000);
}

TEST_F(Scripts, ExtendGivesAKeyWithoutExpiryOne) {
  say({"SET", "k", "mine"});
  EXPECT_EQ(run(scripts::extend_if_equal, {"mine", "60000"}), "1");
  EXPECT_GT(std::stoll(say({"PTTL", "k"})), 50'000);
}

TEST_F(Scripts, ExtendLeavesWhatIsNotOursAlone) {
  say({"SET", "k", "theirs", "PX", "60000"});
  EXPECT_EQ(run(scripts::extend_if_equal, {"mine", "90000"}), "0");
  EXPECT_LE(std::stoll(say({"PTTL", "k"})), 60'000);
  say({"DEL", "k"});
  EXPECT_EQ(run(scripts::extend_if_equal, {"mine", "90000"}), "0");
  EXPECT_EQ(say({"EXISTS", "k"}), "0");
}

TEST_F(Scripts, InspectTellsWhatStandsThereAndForHowLongAndChangesNothing) {
  EXPECT_EQ(run(scripts::inspect, {}), "-2 0 0 ");
  say({"SET", "k", "mine and more"});
  EXPECT_EQ(run(scripts::inspect, {}), "-1 0 0 mine and more");
  say({"PEXPIRE", "k", "60000"});
  const std::string told = run(scripts::inspect, {});
  EXPECT_TRUE(told.ends_with(" 0 0 mine and more")) << told;
  EXPECT_GT(std::stoll(told), 50'000);
  EXPECT_LE(std::stoll(told), 60'000);
  EXPECT_EQ(say({"GET", "k"}), "mine and more");
}

TEST_F(Scripts, InspectCountsAndNamesThoseInLineWhetherAnythingStandsThereOrNot) {
  const auto ticket = [](std::int64_t waited_ms) { return std::to_string(wall_ms() - waited_ms); };
  say({"ZADD", "k:redlock:line", ticket(70'000), "one more", ticket(9'000), "two"});
  const std::regex told(R"(-2 2 2 7\d{4} 8:one more9\d{3} 3:two)");
  EXPECT_TRUE(std::regex_match(run(scripts::inspect, {}), told));
  say({"SET", "k", "mine"});
  const std::regex held(R"(-1 2 2 7\d{4} 8:one more\d+ 3:twomine)");
  EXPECT_TRUE(std::regex_match(run(scripts::inspect, {}), held));
}

TEST_F(Scripts, InspectNamesTheFirstOfALongLine) {
  for (int i = 0; i < 40; ++i)
    say({"ZADD", "k:redlock:line", std::to_string(i), "w" + std::to_string(i)});
  const std::string told = run(scripts::inspect, {});
  EXPECT_TRUE(told.starts_with("-2 40 16 ")) << told;
  EXPECT_TRUE(told.ends_with(":w15")) << told;
}

TEST_F(Scripts, InspectTellsWhatStandsThereAlsoWhereNobodyCanBeCounted) {
  say({"SET", "k:redlock:line", "no line"});
  EXPECT_EQ(run(scripts::inspect, {}), "-2 -1 0 ");
  say({"SET", "k", "mine"});
  EXPECT_EQ(run(scripts::inspect, {}), "-1 -1 0 mine");
}

TEST_F(Scripts, CheckChangesNothing) {
  say({"SET", "k", "mine", "PX", "60000"});
  EXPECT_EQ(run(scripts::check_equal, {"mine"}), "1");
  EXPECT_EQ(run(scripts::check_equal, {"theirs"}), "0");
  EXPECT_EQ(say({"GET", "k"}), "mine");
  say({"DEL", "k"});
  EXPECT_EQ(run(scripts::check_equal, {"mine"}), "0");
}

TEST_F(Scripts, AKeyOfAnotherTypeIsAnErrorAndStays) {
  say({"LPUSH", "k", "mine"});
  for (const Script* script : {&scripts::pass, &scripts::check_equal}) {
    EXPECT_NE(run(*script, {"mine"}).find("WRONGTYPE"), std::string::npos);
  }
  EXPECT_NE(run(scripts::extend_if_equal, {"mine", "5"}).find("WRONGTYPE"), std::string::npos);
  EXPECT_EQ(say({"LLEN", "k"}), "1");
}

}  // namespace
}  // namespace redlock::scripts_test
