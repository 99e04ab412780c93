// What each script must do and must not, at the edges of the server's clock.
#include "sim/script_rules.hpp"

namespace redlock::sim::script_rules_test {
namespace {

using CompareAndDelete = ScriptRules;

TEST_F(CompareAndDelete, DeletesOnlyWhatHoldsTheToken) {
  run({"SET", "k", "theirs"});
  EXPECT_EQ(run(scripts::pass, {"ours"}), kNo);
  EXPECT_EQ(stored(), bulk("theirs"));
  EXPECT_EQ(run(scripts::pass, {"theirs"}), kYes);
  EXPECT_EQ(stored(), kNil);
}

TEST_F(CompareAndDelete, OfNothingIsNotConfirmed) { EXPECT_EQ(run(scripts::pass, {"ours"}), kNo); }

using CompareAndExtend = ScriptRules;

TEST_F(CompareAndExtend, LeavesWhatIsNotOursAlone) {
  run({"SET", "k", "theirs", "PX", "1000"});
  EXPECT_EQ(run(scripts::extend_if_equal, {"ours", "9000"}), kNo);
  EXPECT_EQ(run({"PTTL", "k"}), ":1000\r\n");
  EXPECT_EQ(run(scripts::extend_if_equal, {"theirs", "9000"}), kYes);
  EXPECT_EQ(run({"PTTL", "k"}), ":9000\r\n");
}

TEST_F(CompareAndExtend, NeverShortens) {
  run({"SET", "k", "ours", "PX", "9000"});
  EXPECT_EQ(run(scripts::extend_if_equal, {"ours", "1000"}), kYes);
  EXPECT_EQ(run({"PTTL", "k"}), ":9000\r\n");
}

using CompareAndSwap = ScriptRules;

TEST_F(CompareAndSwap, LeavesWhatIsNotOursAlone) {
  EXPECT_EQ(run(scripts::swap_if_equal, {"ours", "fresh", "1000"}), kNo);
  EXPECT_EQ(stored(), kNil);
  run({"SET", "k", "theirs", "PX", "9000"});
  EXPECT_EQ(run(scripts::swap_if_equal, {"ours", "fresh", "1000"}), kNo);
  EXPECT_EQ(stored(), bulk("theirs"));
  EXPECT_EQ(run({"PTTL", "k"}), ":9000\r\n");
}

TEST_F(CompareAndSwap, MakesTheKeyEndSoonerWithAnotherToken) {
  run({"SET", "k", "ours", "PX", "9000"});
  EXPECT_EQ(run(scripts::swap_if_equal, {"ours", "fresh", "1000"}), kYes);
  EXPECT_EQ(stored(), bulk("fresh"));
  EXPECT_EQ(run({"PTTL", "k"}), ":1000\r\n");
}

TEST_F(CompareAndSwap, ThatComesLateOrTwiceCutsNothingShort) {
  run({"SET", "k", "ours", "PX", "9000"});
  run(scripts::swap_if_equal, {"ours", "fresh", "1000"});
  run(scripts::extend_if_equal, {"fresh", "9000"});
  EXPECT_EQ(run(scripts::swap_if_equal, {"ours", "fresh", "1000"}), kNo);
  EXPECT_EQ(run({"PTTL", "k"}), ":9000\r\n");
}

TEST_F(CompareAndSwap, WorksWhereTheKeyOfTheWaitersHoldsSomethingElse) {
  run({"SET", "k", "ours", "PX", "9000"});
  run({"SET", "k:redlock:waiters", "no hash"});
  EXPECT_EQ(run(scripts::swap_if_equal, {"ours", "fresh", "1000"}), kYes);
  EXPECT_EQ(stored(), bulk("fresh"));
}

TEST_F(ScriptRules, OnlyWhatHoldsTheTokenIsHeld) {
  EXPECT_EQ(run(scripts::check_equal, {"ours"}), kNo);
  run({"SET", "k", "theirs"});
  EXPECT_EQ(run(scripts::check_equal, {"ours"}), kNo);
  EXPECT_EQ(run(scripts::check_equal, {"theirs"}), kYes);
}

using StampTaking = ScriptRules;

TEST_F(StampTaking, WaitsUntilTheStampHasPassed) {
  run({"SET", "k", stamp(kNowMs, "5")});
  EXPECT_EQ(run(scripts::stamp_take, {"1000", "7", "1"}), kNo);
  EXPECT_EQ(stored(), bulk(stamp(kNowMs, "5")));
  go_to(kNowMs + 1);
  EXPECT_EQ(run(scripts::stamp_take, {"1000", "7", "1"}), bulk(stamp(kNowMs + 1001, "7")));
}

TEST_F(StampTaking, LeavesNothingBehindForEver) {
  run(scripts::stamp_take, {"1000", "7", "1"});
  EXPECT_EQ(run({"PTTL", "k"}), ":1000\r\n");
}

TEST_F(StampTaking, OverwritesNoValueThatIsNoTimestamp) {
  for (const std::string value : {"", "no stamp", "12x", "-5", "1.2.3", ".5"}) {
    run({"SET", "k", value});
    EXPECT_EQ(run(scripts::stamp_take, {"1000", "7", "1"}).substr(0, 8), "-FOREIGN") << value;
    EXPECT_EQ(stored(), bulk(value));
  }
}

TEST_F(StampTaking, TellsWhatIsAHundredToTenThousandTimesOffAndNothingElse) {
  constexpr std::int64_t kNowS = kNowMs / 1000;
  const auto answer = [&](std::int64_t stored_stamp, std::string_view unit) {
    run({"SET", "k", std::to_string(stored_stamp)});
    return run(scripts::stamp_take, {"1000", "7", unit}).substr(0, 5);
  };
  const std::string_view taken = "$15\r\n";
  for (const std::int64_t unit_ms : {1, 1000}) {
    const std::string unit = std::to_string(unit_ms);
    const std::int64_t now = kNowMs / unit_ms;
    EXPECT_EQ(answer(now * 100 - 1, unit), kNo) << "a lease of centuries";
    EXPECT_EQ(answer(now * 100, unit), "-UNIT");
    EXPECT_EQ(answer(now * 10'000, unit), "-UNIT");
    EXPECT_EQ(answer(now * 10'000 + 10'000, unit), kNo);
  }
  EXPECT_EQ(answer(kNowMs / 100 + 1, "1"), taken) << "a date of 1970";
  EXPECT_EQ(answer(kNowMs / 100, "1"), "-UNIT");
  EXPECT_EQ(answer(kNowMs / 10'000, "1"), "-UNIT");
  EXPECT_EQ(answer(kNowMs / 10'000 - 1, "1"), taken);
  EXPECT_EQ(answer(kNowS / 1'000, "1000"), "$12\r\n") << "there is no unit coarser than seconds";
}

// What clients of an earlier version send.
const Script kEarlierStampTake{
    R"(local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then return held end
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
if held then
  local stamp = string.match(held, '^(%d+)%.?%d*$')
  if not stamp then return redis.error_reply('FOREIGN the value is no timestamp') end
  if math.floor(now_ms / ARGV[3]) <= tonumber(stamp) then return 0 end
end
local mine = string.format('%.0f', math.floor((now_ms + ARGV[1]) / ARGV[3])) .. '.' .. ARGV[2]
redis.call('SET', KEYS[1], mine, 'PX', ARGV[1])
return mine)",
    "99a143a6ff0bab50b555bae86fd62edc9da69262"};

TEST_F(StampTaking, AndItsEarlierTextRespectEachOther) {
  for (const Script* first : {&kEarlierStampTake, &scripts::stamp_take}) {
    const Script& second = first == &kEarlierStampTake ? scripts::stamp_take : kEarlierStampTake;
    for (const std::string_view unit : {"1", "1000"}) {
      go_to(kNowMs);
      run({"DEL", "k"});
      run(*first, {"1000", "7", unit});
      const std::string held = stored();
      go_to(kNowMs + 999);
      EXPECT_EQ(run(second, {"1000", "8", unit}), kNo);
      EXPECT_EQ(stored(), held);
      go_to(kNowMs + 2'001);
      EXPECT_NE(run(second, {"1000", "8", unit}), kNo);
      EXPECT_NE(stored(), held);
    }
  }
}

using StampUndoing = ScriptRules;

TEST_F(StampUndoing, GoesByTheFraction) {
  run({"SET", "k", stamp(kNowMs, "5")});
  EXPECT_EQ(run(scripts::stamp_undo, {"7"}), kNo);
  EXPECT_EQ(stored(), bulk(stamp(kNowMs, "5")));
  EXPECT_EQ(run(scripts::stamp_undo, {"5"}), kYes);
  EXPECT_EQ(stored(), kNil);
}

using StampReleasing = ScriptRules;

TEST_F(StampReleasing, WantsMoreThanTheMarginToBeLeft) {
  const std::string ours = stamp(kNowMs + 10, "5");
  run({"SET", "k", ours});
  EXPECT_EQ(run(scripts::stamp_release, {ours, "10.000000", "1", "0"}), kNo);
  EXPECT_EQ(stored(), bulk(ours));
  EXPECT_EQ(run(scripts::stamp_release, {ours, "9.999000", "1", "0"}), kYes);
  EXPECT_EQ(stored(), kNil);
}

TEST_F(StampReleasing, LeavesAnotherStampOfTheSameMillisecondAlone) {
  const std::string theirs = stamp(kNowMs + 1000, "6");
  run({"SET", "k", theirs});
  for (const std::string_view plain_counts : {"0", "1"}) {
    EXPECT_EQ(run(scripts::stamp_release, {stamp(kNowMs + 1000, "5"), "3", "1", plain_counts}),
              kNo);
  }
  EXPECT_EQ(stored(), bulk(theirs));
}

TEST_F(StampReleasing, TakesAPlainStampForOursOnlyInAMixedFleetAndWhileOurLeaseRuns) {
  const std::string ours = stamp(kNowMs + 10, "5");
  const std::string plain = std::to_string(kNowMs + 5000);
  run({"SET", "k", plain});
  EXPECT_EQ(run(scripts::stamp_release, {ours, "3", "1", "0"}), kNo);
  go_to(kNowMs + 10);
  EXPECT_EQ(run(scripts::stamp_release, {ours, "3", "1", "1"}), kNo);
  EXPECT_EQ(stored(), bulk(plain));
  go_to(kNowMs + 9);
  EXPECT_EQ(run(scripts::stamp_release, {ours, "3", "1", "1"}), kYes);
}

TEST_F(ScriptRules, AStampIsHeldByItsExactValue) {
  const std::string ours = stamp(kNowMs + 1000, "5");
  EXPECT_EQ(run(scripts::stamp_check, {ours, "0"}), kNo);
  run({"SET", "k", stamp(kNowMs + 1000, "6")});
  EXPECT_EQ(run(scripts::stamp_check, {ours, "1"}), kNo);
  run({"SET", "k", std::to_string(kNowMs + 1000)});
  EXPECT_EQ(run(scripts::stamp_check, {ours, "0"}), kNo);
  EXPECT_EQ(run(scripts::stamp_check, {ours, "1"}), kYes);
  run({"SET", "k", ours});
  EXPECT_EQ(run(scripts::stamp_check, {ours, "0"}), kYes);
}

}  // namespace
}  // namespace redlock::sim::script_rules_test
