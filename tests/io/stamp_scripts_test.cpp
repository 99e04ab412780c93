// The timestamp lock's scripts on a real server whose clock the test sets, so that every boundary
// is exact.
#include <gtest/gtest.h>

#include "io/support/fleet.hpp"
#include "io/support/script_runner.hpp"

namespace redlock::stamp_scripts_test {
namespace {

using test::Fleet;
using test::ScriptRunner;

// 500 ms into a second.
constexpr std::int64_t kNowMs = 1'700'000'000'500;

class StampScripts : public Fleet {
 protected:
  static std::string say(const test::Arguments& arguments) { return server(0).say(arguments); }
  static std::string at(std::int64_t now_ms, const Script& script,
                        const test::Arguments& arguments) {
    return ScriptRunner(server(0)).run_at(now_ms * 1'000, script, "k", arguments);
  }
  static std::string take_at(std::int64_t now_ms, const std::string& lease_ms = "60000",
                             const std::string& unit_ms = "1") {
    return at(now_ms, scripts::stamp_take, {lease_ms, "0077", unit_ms});
  }
  // A stored value, and whether it is still there unchanged after a take.
  static bool resists(const std::string& value, std::int64_t now_ms,
                      const std::string& unit_ms = "1") {
    say({"SET", "k", value});
    const std::string answer = take_at(now_ms, "60000", unit_ms);
    const bool unchanged = say({"GET", "k"}) == value;
    EXPECT_EQ(unchanged, answer == "0") << value << ": " << answer;
    return unchanged;
  }
  static std::string release_at(std::int64_t now_ms, const std::string& ours,
                                const std::string& margin_ms = "3", bool plain = false,
                                const std::string& unit_ms = "1") {
    return at(now_ms, scripts::stamp_release, {ours, margin_ms, unit_ms, plain ? "1" : "0"});
  }
};

TEST_F(StampScripts, AnAbsentKeyIsTakenWithNowPlusLeaseAndLivesThatLong) {
  EXPECT_EQ(take_at(kNowMs), "1700000060500.0077");
  EXPECT_EQ(say({"GET", "k"}), "1700000060500.0077");
  const std::int64_t left_ms = std::stoll(say({"PTTL", "k"}));
  EXPECT_LE(left_ms, 60'000);
  EXPECT_GT(left_ms, 50'000);
}

TEST_F(StampScripts, AFractionOfTheServersMillisecondIsDropped) {
  EXPECT_EQ(ScriptRunner(server(0)).run_at(kNowMs * 1'000 + 999, scripts::stamp_take, "k",
                                           {"60000", "5", "1"}),
            "1700000060500.5");
}

TEST_F(StampScripts, TheLongestLeaseIsWrittenInFullDigits) {
  EXPECT_EQ(take_at(kNowMs, "3153600000000"), "4853600000500.0077");
}

TEST_F(StampScripts, AStampResistsAtItsMomentAndYieldsOneMillisecondLater) {
  const std::string stamp = std::to_string(kNowMs);
  EXPECT_TRUE(resists(stamp, kNowMs - 1));
  EXPECT_TRUE(resists(stamp, kNowMs));
  EXPECT_FALSE(resists(stamp, kNowMs + 1));
}

TEST_F(StampScripts, AFractionNeverMattersForTheDecision) {
  const std::string stamp = std::to_string(kNowMs);
  for (const char* fraction : {".0", ".00000000000000000001", ".99999999999999999999", "."}) {
    EXPECT_TRUE(resists(stamp + fraction, kNowMs)) << fraction;
    EXPECT_FALSE(resists(stamp + fraction, kNowMs + 1)) << fraction;
  }
}

TEST_F(StampScripts, AStampBeyondAllNumbersResists) {
  EXPECT_TRUE(resists(std::string(30, '9'), kNowMs));
  EXPECT_TRUE(resists(std::string(400, '9'), kNowMs));
}

TEST_F(StampScripts, AStampOfLongAgoYields) {
  EXPECT_FALSE(resists("0", kNowMs));
  EXPECT_FALSE(resists("1", kNowMs));
}

TEST_F(StampScripts, WhatIsNoTimestampIsRefusedAndStays) {
  for (const char* value : {"", "abc", "12a", "-5", "+5", "1e5", "1.7E+12", " 5", "5 ", "1.2.3",
                            "0x10", "nan", "inf", ".5", "5\n"}) {
    say({"SET", "k", value});
    EXPECT_EQ(take_at(kNowMs), "error: FOREIGN the value is no timestamp") << value;
    EXPECT_EQ(say({"GET", "k"}), value);
  }
}

TEST_F(StampScripts, AKeyOfAnotherTypeIsRefusedAndStays) {
  say({"HSET", "k", "a", "b"});
  EXPECT_NE(take_at(kNowMs).find("WRONGTYPE"), std::string::npos);
  EXPECT_EQ(say({"HGET", "k", "a"}), "b");
}

TEST_F(StampScripts, SecondsAreWholeAndStandUntilTheNextOneHasBegun) {
  EXPECT_EQ(take_at(kNowMs, "60000", "1000"), "1700000060.0077");
  EXPECT_EQ((say({"DEL", "k"}), take_at(kNowMs, "700", "1000")), "1700000001.0077");
  EXPECT_TRUE(resists("1700000000", kNowMs, "1000"));
  EXPECT_TRUE(resists("1700000000", 1'700'000'000'999, "1000"));
  EXPECT_FALSE(resists("1700000000", 1'700'000'001'000, "1000"));
}

TEST_F(StampScripts, ASecondsLeaseIsNeverCutShort) {
  // Taken at any moment, a lease of 1.2 s is still there 1.2 s later, to the millisecond.
  for (std::int64_t offset_ms = 0; offset_ms < 1'000; offset_ms += 37) {
    say({"DEL", "k"});
    const std::string stamp = take_at(kNowMs + offset_ms, "1200", "1000");
    EXPECT_TRUE(resists(stamp, kNowMs + offset_ms + 1'200, "1000")) << offset_ms;
  }
}

TEST_F(StampScripts, AReleaseNeedsMoreThanItsMarginLeft) {
  const std::string ours = std::to_string(kNowMs) + ".0077";
  const auto released_at = [&](std::int64_t now_ms, const std::string& margin_ms) {
    say({"SET", "k", ours});
    return release_at(now_ms, ours, margin_ms) == "1" && say({"EXISTS", "k"}) == "0";
  };
  EXPECT_TRUE(released_at(kNowMs - 4, "3"));
  EXPECT_FALSE(released_at(kNowMs - 3, "3"));
  EXPECT_TRUE(released_at(kNowMs - 3, "2.999999"));
  EXPECT_TRUE(released_at(kNowMs - 1, "0"));
  EXPECT_FALSE(released_at(kNowMs, "0"));
  EXPECT_FALSE(released_at(kNowMs + 1'000, "0"));
}

TEST_F(StampScripts, AReleaseInSecondsCountsTheStampsWholeSecond) {
  const std::string ours = "1700000000.0077";
  const auto released_at = [&](std::int64_t now_ms) {
    say({"SET", "k", ours});
    return release_at(now_ms, ours, "3", false, "1000") == "1";
  };
  EXPECT_TRUE(released_at(1'700'000'000'996));
  EXPECT_FALSE(released_at(1'700'000'000'997));
}

TEST_F(StampScripts, OnlyTheVeryStampIsReleased) {
  const std::string ours = std::to_string(kNowMs + 60'000) + ".0077";
  for (const std::string& theirs :
       {std::to_string(kNowMs + 60'000) + ".0078", std::to_string(kNowMs + 60'001) + ".0077",
        std::to_string(kNowMs + 60'000), std::to_string(kNowMs + 60'000) + ".00770"}) {
    say({"SET", "k", theirs});
    EXPECT_EQ(release_at(kNowMs, ours), "0") << theirs;
    EXPECT_EQ(say({"GET", "k"}), theirs);
  }
  say({"DEL", "k"});
  EXPECT_EQ(release_at(kNowMs, ours), "0");
}

TEST_F(StampScripts, AMixedFleetReleasesAPlainStampWhileOurLeaseRunsOnTheServersClock) {
  const std::string ours = std::to_string(kNowMs) + ".0077";
  const std::string plain = std::to_string(kNowMs + 5'000);
  const auto released_at = [&](std::int64_t now_ms, const std::string& value) {
    say({"SET", "k", value});
    return release_at(now_ms, ours, "3", true) == "1";
  };
  EXPECT_TRUE(released_at(kNowMs - 1, plain));
  EXPECT_FALSE(released_at(kNowMs, plain)) << "by now it may be an old client's own lock";
  EXPECT_FALSE(released_at(kNowMs - 1, plain + ".5")) << "a native client's";
  EXPECT_FALSE(released_at(kNowMs - 1, "text"));
  EXPECT_FALSE(released_at(kNowMs - 1, std::to_string(kNowMs + 2))) << "within the margin";
}

TEST_F(StampScripts, AnUndoKnowsItsStampByTheFractionAlone) {
  say({"SET", "k", "123.0077"});
  EXPECT_EQ(at(kNowMs, scripts::stamp_undo, {"77"}), "0");
  EXPECT_EQ(at(kNowMs, scripts::stamp_undo, {"123.0077"}), "0");
  EXPECT_EQ(say({"GET", "k"}), "123.0077");
  EXPECT_EQ(at(kNowMs, scripts::stamp_undo, {"0077"}), "1");
  EXPECT_EQ(at(kNowMs, scripts::stamp_undo, {"0077"}), "0");
  say({"SET", "k", "123"});
  EXPECT_EQ(at(kNowMs, scripts::stamp_undo, {""}), "0");
}

TEST_F(StampScripts, ACheckTakesAPlainStampForOursOnlyWhenTold) {
  const auto check = [&](const std::string& value, const char* plain) {
    say({"SET", "k", value});
    return at(kNowMs, scripts::stamp_check, {"123.0077", plain});
  };
  EXPECT_EQ(check("123.0077", "0"), "1");
  EXPECT_EQ(check("123.0078", "0"), "0");
  EXPECT_EQ(check("999", "0"), "0");
  EXPECT_EQ(check("999", "1"), "1");
  EXPECT_EQ(check("999.5", "1"), "0");
  say({"DEL", "k"});
  EXPECT_EQ(at(kNowMs, scripts::stamp_check, {"123.0077", "1"}), "0");
}

}  // namespace
}  // namespace redlock::stamp_scripts_test
