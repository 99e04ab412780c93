// What a command looks like on the wire, and what a reply to it means.
#include "redlock/wire/translate.hpp"

#include <gtest/gtest.h>

#include "redlock/algorithm/holding.hpp"
#include "redlock/wire/scripts.hpp"
#include "support/resp.hpp"

namespace redlock::translate_test {
namespace {

using test::Arguments;

const Resource kKey(std::string("k\0\n", 3));
const Token kToken("tok");

Arguments written(const Command& command, ScriptForm form = ScriptForm::sha1) {
  std::string bytes;
  append_request(bytes, command, form);
  auto requests = test::take_requests(bytes);
  EXPECT_EQ(requests.size(), 1U);
  EXPECT_EQ(bytes, "");
  return requests.at(0);
}

Arguments script(const Script& script, std::initializer_list<std::string> arguments) {
  Arguments all{"EVALSHA", std::string(script.sha1), "1", std::string(kKey.view())};
  all.insert(all.end(), arguments);
  return all;
}

RespValue value(RespKind kind, std::int64_t integer = 0, std::string text = {}) {
  return {kind, integer, std::move(text)};
}

TEST(AppendRequest, TakesALockExactlyAsTheUserlandClassDoes) {
  EXPECT_EQ(written(SetIfAbsent{kKey, kToken, Duration::ms(1'500)}),
            (Arguments{"SET", std::string(kKey.view()), "tok", "NX", "PX", "1500"}));
}

TEST(AppendRequest, TakesALockByAScriptThatDoesTheSame) {
  Arguments by_text = script(scripts::set_if_absent, {"tok", "1500"});
  by_text[0] = "EVAL";
  by_text[1] = scripts::set_if_absent.text;
  EXPECT_EQ(written(SetIfAbsent{kKey, kToken, Duration::ms(1'500)}, ScriptForm::text), by_text);
}

TEST(AppendRequest, NamesScriptsByTheirSha1AndPassesKeyAndArgumentsApart) {
  EXPECT_EQ(written(ReleaseAndHandOver{kKey, kToken}), script(scripts::pass, {"tok"}));
  EXPECT_EQ(written(ReleaseAndHandOver{kKey, kToken, false}), script(scripts::pass, {"tok", "0"}));
  EXPECT_EQ(written(ExtendIfEqual{kKey, kToken, Duration::ms(70)}),
            script(scripts::extend_if_equal, {"tok", "70"}));
  EXPECT_EQ(written(RotateIfEqual{kKey, Token("old"), kToken, Duration::ms(70)}),
            script(scripts::swap_if_equal, {"old", "tok", "70"}));
  EXPECT_EQ(written(CheckEqual{kKey, kToken}), script(scripts::check_equal, {"tok"}));
  EXPECT_EQ(written(StampUndo{kKey, kToken}), script(scripts::stamp_undo, {"tok"}));
  EXPECT_EQ(written(Inspect{kKey}), script(scripts::inspect, {}));
  const FenceProposal fence{8, Duration::ms(90)};
  EXPECT_EQ(written(SetAllIfAbsent{kKey, kToken, Duration::ms(70), fence}),
            script(scripts::set_all_if_absent, {"tok", "70", "8", "90"}));
  EXPECT_EQ(written(SetAllIfAbsent{kKey, kToken, Duration::ms(70), {}}),
            script(scripts::set_all_if_absent, {"tok", "70"}));
  EXPECT_EQ(written(RaiseFence{kKey, kToken, fence}),
            script(scripts::raise_fence, {"tok", "8", "90"}));
}

TEST(AppendRequest, SharedLocksHaveScriptsThatTakeAndThatChangeThem) {
  const FenceProposal fence{8, Duration::ms(90)};
  EXPECT_EQ(written(ShareIfFree{kKey, kToken, Duration::ms(70), {}}),
            script(scripts::share_if_free, {"tok", "70"}));
  EXPECT_EQ(written(ShareIfFree{kKey, kToken, Duration::ms(70), fence}),
            script(scripts::share_if_free, {"tok", "70", "8", "90"}));
  EXPECT_EQ(written(Promote{kKey, kToken, Token("new"), Duration::ms(70)}),
            script(scripts::promote, {"tok", "new", "70"}));
  EXPECT_EQ(written(Demote{kKey, kToken}), script(scripts::demote, {"tok"}));
  const LineEntry entry{5, "ch", 3, ClaimPolicy::claim};
  EXPECT_EQ(written(Enqueue{kKey, kToken, Duration::ms(70), entry, LockMode::shared}),
            script(scripts::join, {"tok", "70", "5", "ch", "3", "1", "r"}));
}

TEST(AppendRequest, APermitIsTakenAndWaitedForWithTheNumberOfAll) {
  EXPECT_EQ(written(TakeSlot{kKey, kToken, Duration::ms(70), 3}),
            script(scripts::permit_take, {"tok", "70", "3"}));
  const LineEntry entry{5, "ch", 2, {}};
  EXPECT_EQ(written(StandForPermit{kKey, kToken, Duration::ms(70), entry, 3}),
            script(scripts::permit_join, {"tok", "70", "5", "ch", "2", "0", "3"}));
  EXPECT_EQ(written(LeavePermits{kKey, kToken}), script(scripts::permit_leave, {"tok"}));
}

TEST(AppendRequest, SeveralResourcesHaveScriptsOfTheirOwn) {
  const Resources both(std::vector<Resource>{Resource("b"), Resource("a")});
  const auto all = [](const Script& script, std::initializer_list<std::string> arguments) {
    Arguments words{"EVALSHA", std::string(script.sha1), "2", "a", "b"};
    words.insert(words.end(), arguments);
    return words;
  };
  EXPECT_EQ(written(SetAllIfAbsent{both, kToken, Duration::ms(70), {}}),
            all(scripts::set_all_if_absent, {"tok", "70"}));
  EXPECT_EQ(written(ReleaseAndHandOver{both, kToken}), all(scripts::pass_all, {"tok"}));
  EXPECT_EQ(written(ReleaseAndHandOver{both, kToken, false}), all(scripts::pass_all, {"tok", "0"}));
  EXPECT_EQ(written(ExtendIfEqual{both, kToken, Duration::ms(70)}),
            all(scripts::extend_all, {"tok", "70"}));
  EXPECT_EQ(written(RotateIfEqual{both, Token("old"), kToken, Duration::ms(70)}),
            all(scripts::swap_all, {"old", "tok", "70"}));
  EXPECT_EQ(written(CheckEqual{both, kToken}), all(scripts::check_all, {"tok"}));
}

TEST(AppendRequest, StampsCarryTheirUnit) {
  EXPECT_EQ(written(StampAcquire{kKey, kToken, Duration::ms(70), StampUnit::milliseconds}),
            script(scripts::stamp_take, {"70", "tok", "1"}));
  EXPECT_EQ(written(StampAcquire{kKey, kToken, Duration::ms(70), StampUnit::seconds}),
            script(scripts::stamp_take, {"70", "tok", "1000"}));
}

TEST(AppendRequest, AStampReleaseKeepsTheFractionOfItsMarginAndSaysWhatProofItTakes) {
  const Duration margin = Duration::us(2'500);
  EXPECT_EQ(
      written(StampRelease{kKey, Token("12.5"), margin, StampUnit::seconds, StampProof::exact}),
      script(scripts::stamp_release, {"12.5", "2.500000", "1000", "0"}));
  EXPECT_EQ(written(StampRelease{kKey, Token("12.5"), margin, StampUnit::milliseconds,
                                 StampProof::exact_or_plain}),
            script(scripts::stamp_release, {"12.5", "2.500000", "1", "1"}));
  EXPECT_EQ(written(StampCheck{kKey, Token("12.5"), StampProof::exact_or_plain}),
            script(scripts::stamp_check, {"12.5", "1"}));
}

TEST(AppendRequest, AMarginHasAPointAndSixDecimals) {
  const auto margin = [](Duration span) {
    return written(
               StampRelease{kKey, Token("12.5"), span, StampUnit::milliseconds, StampProof::exact})
        .at(5);
  };
  EXPECT_EQ(margin(Duration()), "0.000000");
  EXPECT_EQ(margin(Duration::ns(1)), "0.000001");
  EXPECT_EQ(margin(Duration::ns(2'999'999)), "2.999999");
  EXPECT_EQ(margin(Duration::ms(3'153'600'000'000)), "3153600000000.000000");
}

TEST(AppendRequest, ATtlIsRoundedUpSoThatNoKeyEndsBeforeItsHolderBelieves) {
  EXPECT_EQ(written(SetIfAbsent{kKey, kToken, Duration::us(10'900)}).back(), "11");
  EXPECT_EQ(written(ExtendIfEqual{kKey, kToken, Duration::ns(1)}).back(), "1");
  EXPECT_EQ(
      written(StampAcquire{kKey, kToken, Duration::us(10'001), StampUnit::milliseconds}).at(4),
      "11");
}

TEST(AppendRequest, ALookIsAPlainCommandThatLeavesNothingBehind) {
  const Command look = CheckEndless{kKey};
  EXPECT_EQ(written(look), (Arguments{"PTTL", std::string(kKey.view())}));
  EXPECT_FALSE(traits_of(look).needs_script);
}

TEST(AppendRequest, ByTextTheWholeScriptTravels) {
  const Arguments arguments = written(ReleaseAndHandOver{kKey, kToken}, ScriptForm::text);
  EXPECT_EQ(arguments.at(0), "EVAL");
  EXPECT_EQ(arguments.at(1), scripts::pass.text);
  EXPECT_EQ(arguments.at(3), kKey.view());
}

TEST(ReplyTo, ASetIsGrantedByOkAndDeniedByNilAndNothingElse) {
  const Command set = SetIfAbsent{kKey, kToken, Duration::ms(5)};
  EXPECT_EQ(reply_to(set, value(RespKind::status, 0, "OK"))->answer, Answer::granted);
  EXPECT_EQ(reply_to(set, value(RespKind::nil))->answer, Answer::denied);
  EXPECT_FALSE(reply_to(set, value(RespKind::status, 0, "QUEUED")));
  EXPECT_FALSE(reply_to(set, value(RespKind::integer, 1)));
  EXPECT_FALSE(reply_to(set, value(RespKind::bulk, 0, "OK")));
  EXPECT_FALSE(reply_to(set, value(RespKind::other)));
  EXPECT_FALSE(reply_to(set, value(RespKind::array)));
}

TEST(ReplyTo, APromotionIsGrantedOrDeniedForOthersSakeOrBecauseItIsNotOurs) {
  const Command promote = Promote{kKey, kToken, Token("new"), Duration::ms(5)};
  EXPECT_EQ(reply_to(promote, value(RespKind::status, 0, "PROMOTED")), Reply::granted());
  EXPECT_EQ(reply_to(promote, value(RespKind::status, 0, "BUSY 1")),
            Reply::denied(BusyResource{0}));
  EXPECT_EQ(reply_to(promote, value(RespKind::status, 0, "LOST")), Reply::denied());
  // Of a removal, where a proxy leaves an answer out.
  EXPECT_FALSE(reply_to(promote, value(RespKind::integer, 1)));
  EXPECT_FALSE(reply_to(promote, value(RespKind::status, 0, "OK")));
  const Command share = ShareIfFree{kKey, kToken, Duration::ms(5), {}};
  EXPECT_EQ(reply_to(share, value(RespKind::status, 0, "OK")), Reply::granted(FenceVote{true, 0}));
  EXPECT_EQ(reply_to(share, value(RespKind::status, 0, "BUSY 1")), Reply::denied(BusyResource{0}));
  EXPECT_FALSE(reply_to(share, value(RespKind::nil)));
}

TEST(ReplyTo, WhatIsSeenOfASharedLockIsHowManyHoldIt) {
  const auto seen = [](const std::string& text) {
    return seen_by({true, reply_to(Inspect{kKey}, value(RespKind::bulk, 0, text)).value()});
  };
  EXPECT_EQ(seen("500 0 0 redlock:shared 2").readers, 2);
  EXPECT_EQ(seen("500 0 0 redlock:shared 2").holding->token.view(), kSharedMark);
  for (const std::string text : {"redlock:shared", "redlock:shared ", "redlock:shared x",
                                 "redlock:shared2", "redlock:shared:2"}) {
    EXPECT_FALSE(seen("500 0 0 " + text).readers) << text;
    EXPECT_EQ(seen("500 0 0 " + text).holding->token.view(), text);
  }
}

TEST(ReplyTo, ALockWithAFenceIsGrantedAlsoByTheLastOneThatIsInTheWay) {
  const Command set = SetAllIfAbsent{kKey, kToken, Duration::ms(5), {}};
  EXPECT_EQ(reply_to(set, value(RespKind::status, 0, "OK")), Reply::granted(FenceVote{true, 0}));
  EXPECT_EQ(reply_to(set, value(RespKind::bulk, 0, "12")), Reply::granted(FenceVote{false, 12}));
  EXPECT_EQ(reply_to(set, value(RespKind::status, 0, "BUSY 1")), Reply::denied(BusyResource{0}));
  EXPECT_FALSE(reply_to(set, value(RespKind::nil)));
  for (const char* text : {"", "x", "1x", "-1", "99999999999999999999"}) {
    EXPECT_FALSE(reply_to(set, value(RespKind::bulk, 0, text))) << text;
  }
  // Of a removal, where a proxy leaves an answer out: the lock may have been taken.
  EXPECT_FALSE(reply_to(set, value(RespKind::integer, 0)));
  EXPECT_FALSE(reply_to(set, value(RespKind::integer, 1)));
  for (const char* text : {"BUSY", "BUSY 0", "BUSY 2", "BUSY 1x", "BUSY -1"}) {
    EXPECT_FALSE(reply_to(set, value(RespKind::status, 0, text))) << text;
  }
}

TEST(ReplyTo, ARaiseIsDeniedWithOrWithoutTheLastOne) {
  const Command raise = RaiseFence{kKey, kToken, {7, Duration::ms(5)}};
  EXPECT_EQ(reply_to(raise, value(RespKind::status, 0, "RAISED 7")), Reply::granted());
  EXPECT_EQ(reply_to(raise, value(RespKind::status, 0, "LOST")), Reply::denied());
  EXPECT_EQ(reply_to(raise, value(RespKind::bulk, 0, "12")), Reply::denied(FenceVote{false, 12}));
  // Of another raise, or of a removal.
  EXPECT_FALSE(reply_to(raise, value(RespKind::status, 0, "RAISED 8")));
  EXPECT_FALSE(reply_to(raise, value(RespKind::integer, 1)));
  EXPECT_FALSE(reply_to(raise, value(RespKind::nil)));
}

TEST(ReplyTo, WhereNoLargerFenceCanBeTheKeyIsNoneOfOurs) {
  const RespValue largest = value(RespKind::bulk, 0, std::to_string(kFenceMax));
  const RespValue error = value(RespKind::error, 0, "FENCE the key of the fence holds");
  const RespValue other_type = value(RespKind::error, 0, "WRONGTYPE Operation against a key");
  for (const Command& command :
       {Command(SetAllIfAbsent{kKey, kToken, {}, {}}), Command(RaiseFence{kKey, kToken, {}})}) {
    EXPECT_EQ(reply_to(command, largest)->fault, Fault::foreign);
    EXPECT_TRUE(may_have_been_done(*reply_to(command, largest)));
    EXPECT_EQ(reply_to(command, error)->fault, Fault::foreign);
    EXPECT_EQ(reply_to(command, other_type)->fault, Fault::foreign);
  }
}

TEST(ReplyTo, AScriptIsGrantedByOneAndDeniedByZeroAndNothingElse) {
  for (const Command& command :
       {Command(ReleaseAndHandOver{kKey, kToken}), Command(ExtendIfEqual{kKey, kToken, {}}),
        Command(CheckEqual{kKey, kToken}), Command(RotateIfEqual{kKey, kToken, kToken, {}}),
        Command(StampRelease{kKey, Token("1.2"), {}}), Command(StampCheck{kKey, Token("1.2")}),
        Command(StampUndo{kKey, kToken})}) {
    EXPECT_EQ(reply_to(command, value(RespKind::integer, 1))->answer, Answer::granted);
    EXPECT_EQ(reply_to(command, value(RespKind::integer, 0))->answer, Answer::denied);
    EXPECT_FALSE(reply_to(command, value(RespKind::integer, 2)));
    EXPECT_FALSE(reply_to(command, value(RespKind::integer, -1)));
    EXPECT_FALSE(reply_to(command, value(RespKind::status, 0, "OK")));
    EXPECT_FALSE(reply_to(command, value(RespKind::nil)));
    EXPECT_FALSE(reply_to(command, value(RespKind::bulk, 0, "1")));
  }
}

TEST(ReplyTo, OnlyAKeyWithoutAnEndIsEndless) {
  const Command look = CheckEndless{kKey};
  EXPECT_EQ(reply_to(look, value(RespKind::integer, -1))->answer, Answer::granted);
  for (const std::int64_t left : {-2, 0, 1, 5'000}) {
    EXPECT_EQ(reply_to(look, value(RespKind::integer, left))->answer, Answer::denied) << left;
  }
  EXPECT_FALSE(reply_to(look, value(RespKind::nil)));
  EXPECT_FALSE(reply_to(look, value(RespKind::bulk, 0, "-1")));
}

TEST(ReplyTo, WhatStandsThereIsToldAsItIs) {
  const Command inspect = Inspect{kKey};
  const auto held = reply_to(inspect, value(RespKind::bulk, 0, "1500 3 0 tok"));
  ASSERT_TRUE(held);
  EXPECT_EQ(held->answer, Answer::granted);
  EXPECT_EQ(seen_by({true, *held}).holding->token, Token("tok"));
  EXPECT_EQ(seen_by({true, *held}).waiters, 3);
  const auto free = reply_to(inspect, value(RespKind::bulk, 0, "-2 3 0 "));
  ASSERT_TRUE(free);
  EXPECT_EQ(free->answer, Answer::denied);
  EXPECT_FALSE(seen_by({true, *free}).holding);
  EXPECT_EQ(seen_by({true, *free}).waiters, 3);
  EXPECT_FALSE(reply_to(inspect, value(RespKind::integer, 3)));
  EXPECT_FALSE(reply_to(inspect, value(RespKind::nil)));
  EXPECT_FALSE(reply_to(inspect, value(RespKind::status, 0, "OK")));
  const auto other = reply_to(inspect, value(RespKind::error, 0, "WRONGTYPE it is a hash"));
  EXPECT_EQ(other->answer, Answer::unknown);
  EXPECT_EQ(other->fault, Fault::foreign);
}

TEST(ReplyTo, AStampIsGrantedByItselfAndDeniedByZero) {
  const Command take = StampAcquire{kKey, kToken, Duration::ms(5)};
  const auto granted = reply_to(take, value(RespKind::bulk, 0, "123.tok"));
  EXPECT_EQ(granted->answer, Answer::granted);
  ASSERT_NE(granted->said<Token>(), nullptr);
  EXPECT_EQ(*granted->said<Token>(), Token("123.tok"));
  EXPECT_EQ(reply_to(take, value(RespKind::integer, 0))->answer, Answer::denied);
  EXPECT_FALSE(reply_to(take, value(RespKind::integer, 1)));
  EXPECT_FALSE(reply_to(take, value(RespKind::nil)));
}

Reply error_reply(const Command& command, std::string text) {
  const auto reply = reply_to(command, value(RespKind::error, 0, std::move(text)));
  EXPECT_TRUE(reply);
  return reply.value_or(Reply{});
}

TEST(Rule05AnErrorIsAVoteAgainst, AServersErrorIsNeitherGrantNorDenial) {
  for (const char* text : {"OOM command not allowed", "READONLY You can't write", "LOADING Redis",
                           "NOAUTH Authentication required.", "MASTERDOWN Link", "BUSY script",
                           "ERR unknown command", "NOPERM no", ""}) {
    for (const Command& command : {Command(SetIfAbsent{kKey, kToken, Duration::ms(5)}),
                                   Command(ReleaseAndHandOver{kKey, kToken}),
                                   Command(StampAcquire{kKey, kToken, Duration::ms(5)})}) {
      EXPECT_EQ(error_reply(command, text).answer, Answer::unknown) << text;
      EXPECT_EQ(error_reply(command, text).fault, fault_of(text)) << text;
    }
  }
}

TEST(ReplyTo, AKeyOfAnotherTypeIsNotOurs) {
  EXPECT_EQ(error_reply(ReleaseAndHandOver{kKey, kToken}, "ERR ...: WRONGTYPE Operation").answer,
            Answer::denied);
  EXPECT_EQ(error_reply(CheckEqual{kKey, kToken}, "WRONGTYPE Operation").answer, Answer::denied);
  EXPECT_EQ(error_reply(StampRelease{kKey, Token("1.2"), {}}, "WRONGTYPE Operation").answer,
            Answer::denied);
}

TEST(ReplyTo, AStampLockMeetsForeignValues) {
  const Command take = StampAcquire{kKey, kToken, Duration::ms(5)};
  EXPECT_EQ(error_reply(take, "WRONGTYPE Operation against a key").fault, Fault::foreign);
  EXPECT_EQ(error_reply(take, "FOREIGN the value is no timestamp").fault, Fault::foreign);
}

TEST(ReplyTo, AStampInAnotherUnitIsForeignAndTheReasonNamesBothUnits) {
  const Command ms = StampAcquire{kKey, kToken, Duration::ms(5), StampUnit::milliseconds};
  const Command s = StampAcquire{kKey, kToken, Duration::ms(5), StampUnit::seconds};
  EXPECT_EQ(error_reply(ms, "UNIT too coarse").fault, Fault::foreign);
  EXPECT_EQ(error_reply(ms, "ERR user_script:1: UNIT too coarse").reason(),
            "the stamp seems to be in seconds, and milliseconds are expected");
  EXPECT_EQ(error_reply(ms, "UNIT too fine").reason(),
            "the stamp seems to be in microseconds, and milliseconds are expected");
  EXPECT_EQ(error_reply(s, "UNIT too fine").reason(),
            "the stamp seems to be in milliseconds, and seconds are expected");
}

TEST(ReplyTo, OfTheTroublesOfAClusterOnlyThatItIsDownPasses) {
  const Command take = SetIfAbsent{kKey, kToken, Duration::ms(5)};
  const Reply down = error_reply(take, "CLUSTERDOWN The cluster is down");
  EXPECT_EQ(down.fault, Fault::cluster);
  EXPECT_TRUE(down.passes);
  EXPECT_TRUE(error_reply(take, "ERR in a script: -CLUSTERDOWN Hash slot not served").passes);
  EXPECT_FALSE(error_reply(take, "MOVED 866 127.0.0.1:7001").passes);
}

TEST(ReplyTo, ReasonsArePrintableAndClipped) {
  const Reply reply = error_reply(SetIfAbsent{kKey, kToken, Duration::ms(5)},
                                  "bad\x1b[31m" + std::string(10'000, 'x'));
  EXPECT_EQ(reply.reason().size(), kReasonBytesMax);
  EXPECT_TRUE(reply.reason().starts_with("bad?[31m"));
}

TEST(ReplyTo, ALongRefusalOfAScriptIsClippedSoThatWhatToAllowIsToldWithin) {
  const Reply reply =
      error_reply(SetIfAbsent{kKey, kToken, Duration::ms(5)},
                  "NOPERM no permissions to run the 'eval' command" + std::string(10'000, 'x'));
  EXPECT_EQ(reply.reason().size(), kReasonBytesMax);
  EXPECT_TRUE(reply.reason().ends_with("allow +eval +evalsha)"));
}

TEST(IsUnknownScript, OnlyAnErrorThatBeginsWithNoscript) {
  EXPECT_TRUE(is_unknown_script(value(RespKind::error, 0, "NOSCRIPT No matching script.")));
  EXPECT_FALSE(is_unknown_script(value(RespKind::error, 0, "ERR NOSCRIPT")));
  EXPECT_FALSE(is_unknown_script(value(RespKind::bulk, 0, "NOSCRIPT")));
}

}  // namespace
}  // namespace redlock::translate_test
