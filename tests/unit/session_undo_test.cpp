// What a session still says before its connection is given up.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "redlock/wire/scripts.hpp"
#include "support/session_fixture.hpp"

namespace redlock::session_undo_test {
namespace {

using test::Arguments;
using test::check_of;
using test::delete_of;
using test::SessionTest;
using test::set_of;
using test::shared;
using test::t;

class Rule03TheSessionKnowsWhatIsOpen : public SessionTest {
 protected:
  std::vector<Arguments> repeated() {
    sent();
    session_.repeat_removals();
    return sent();
  }
};

TEST_F(Rule03TheSessionKnowsWhatIsOpen, AnUnansweredSetIsAnOpenTake) {
  ASSERT_TRUE(submit(7, set_of("a")));
  sent();
  fail();
  EXPECT_EQ(session_.requests().open_acquisitions(), (std::vector<OperationId>{7}));
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, AnAnsweredSetIsNotOpen) {
  ASSERT_TRUE(submit(1, set_of("a")));
  receive(test::kOk);
  fail();
  EXPECT_TRUE(session_.requests().open_acquisitions().empty());
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, ARemovalBehindTheSetClosesIt) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(2, set_of("b")));
  ASSERT_TRUE(submit(0, delete_of("a")));
  sent();
  fail();
  EXPECT_EQ(session_.requests().open_acquisitions(), (std::vector<OperationId>{2}));
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, RemovalsStayInTheOrderInWhichTheyWereAsked) {
  ASSERT_TRUE(submit(1, delete_of("a")));
  ASSERT_TRUE(submit(0, delete_of("b")));
  sent();
  fail();
  const std::vector<Refused> unsettled = session_.requests().unsettled();
  ASSERT_EQ(unsettled.size(), 2U);
  EXPECT_EQ(lock_name(*unsettled[0].removal), lock_name(*delete_of("a")));
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, WhatWasNeverWrittenCannotHaveBeenDone) {
  ASSERT_TRUE(submit(1, set_of("a")));
  sent();
  ASSERT_TRUE(submit(2, set_of("b")));
  const auto arrivals = fail();
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_TRUE(may_have_been_done(arrivals[0].reply));
  EXPECT_FALSE(may_have_been_done(arrivals[1].reply));
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, ARemovalIsOwedUntilItsLastByteIsSent) {
  ASSERT_TRUE(submit(1, delete_of("a")));
  const std::size_t size = session_.output().size();
  session_.mark_sent(size - 1);
  ASSERT_TRUE(submit(2, set_of("b")));
  ASSERT_GT(session_.output().size(), 1U);
  EXPECT_TRUE(session_.owes_removal());
  session_.mark_sent(1);
  EXPECT_FALSE(session_.owes_removal());
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, ARemovalIsOwedWhateverWasTakenBackBehindIt) {
  ASSERT_TRUE(submit(1, delete_of("a")));
  const std::size_t size = session_.output().size();
  ASSERT_TRUE(submit(2, set_of("b")));
  ASSERT_GT(session_.output().size(), size);
  session_.mark_sent(size - 1);
  session_.take_back();
  EXPECT_TRUE(session_.owes_removal());
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, OfACrowdOnlyTheFirstIsSaidAsTextUnlessItHasFailed) {
  const auto texts_of = [](std::size_t count, bool failed) {
    RequestEncoder encoder;
    Session session({}, encoder);
    for (std::size_t i = 0; i < count; ++i) {
      session.submit_last(test::delete_of(std::to_string(i)));
    }
    std::vector<Arrival> arrivals;
    if (failed) session.fail(Fault::timeout, "no answer", arrivals);
    session.repeat_removals();
    std::string wire;
    while (session.has_output()) {
      wire += session.output();
      session.mark_sent(session.output().size());
    }
    const std::vector<test::Arguments> said = test::take_requests(wire);
    EXPECT_EQ(said.size(), count);
    return std::ranges::count(said, "EVAL", [](const auto& words) { return words.front(); });
  };
  EXPECT_EQ(texts_of(kRemovalsByTextMax + 1, false), 1);
  EXPECT_EQ(texts_of(kRemovalsByTextMax, false), kRemovalsByTextMax);
  EXPECT_EQ(texts_of(kRemovalsByTextMax + 1, true), kRemovalsByTextMax + 1);
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, WhereNothingWasEverSentThereIsNothingLeftToSay) {
  ASSERT_TRUE(submit(1, delete_of("a")));
  EXPECT_FALSE(session_.has_last_words());
  sent();
  EXPECT_TRUE(session_.has_last_words());
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, ALastRemovalGoesOutBehindTheUnansweredSetAsText) {
  ASSERT_TRUE(submit(1, set_of("a")));
  sent();
  fail();
  session_.submit_last(delete_of("a"));
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0], (Arguments{"EVAL", std::string(scripts::pass.text), "1", "r", "a"}));
  EXPECT_TRUE(session_.requests().open_acquisitions().empty());
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, AGrantedLocksSetIsNeverUndoneByTheSessionItself) {
  ASSERT_TRUE(submit(1, set_of("granted elsewhere")));
  sent();
  fail();
  EXPECT_TRUE(repeated().empty());
  EXPECT_TRUE(session_.requests().unsettled().empty());
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, ARemovalAsTextThatIsOnItsWayIsNotRepeated) {
  ASSERT_TRUE(submit(0, delete_of("a")));
  sent();
  fail();
  EXPECT_TRUE(repeated().empty());
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, AnUnansweredCheckIsNone) {
  ASSERT_TRUE(submit(7, check_of("a")));
  sent();
  fail();
  EXPECT_TRUE(session_.requests().open_acquisitions().empty());
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, ARemovalBySha1IsRepeatedAsText) {
  ASSERT_TRUE(submit(1, delete_of("z")));
  receive(":1\r\n");
  sent();
  ASSERT_TRUE(submit(1, delete_of("a")));
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVALSHA"}));
  fail();
  const auto requests = repeated();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0][0], "EVAL");
  EXPECT_EQ(requests[0][4], "a");
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, ATakeThatWaitsToBeSentStaysWhereRemovalsAreRepeated) {
  ASSERT_TRUE(submit(1, set_of("a")));
  session_.repeat_removals();
  EXPECT_EQ(verbs(), (std::vector<std::string>{"EVAL"}));
}

// Only what is said last proves exactly what it removes.
TEST_F(Rule03TheSessionKnowsWhatIsOpen, ARemovalThatWaitsToBeSentStaysWhatItIs) {
  const auto release = shared(StampRelease{Resource("k"), Token("5"), Duration::ms(3),
                                           StampUnit::milliseconds, StampProof::exact_or_plain});
  ASSERT_TRUE(submit(1, release));
  session_.repeat_removals();
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].back(), "1");
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen,
       ARemovalThatWasNeverSentProvesWhenItIsSaidLastExactlyWhatItRemoves) {
  ASSERT_TRUE(submit(1, shared(StampRelease{Resource("k"), Token("5"), Duration::ms(3),
                                            StampUnit::milliseconds, StampProof::exact_or_plain})));
  fail();
  session_.repeat_removals();
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].back(), "0");
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, ARefusedRemovalIsOfUseForAsLongAsWasSaid) {
  ASSERT_TRUE(session_.submit({1, NodeIndex(0), 1}, delete_of("a"), t(50), t(99)));
  receive("-LOADING Redis is loading the dataset in memory\r\n");
  ASSERT_EQ(session_.refused().size(), 1U);
  EXPECT_EQ(session_.refused().front().until, t(99));
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, WhatWasServedBeforeARefusalShowsNoServerWell) {
  const std::string loading = "-LOADING Redis is loading the dataset in memory\r\n";
  for (const bool well : {false, true}) {
    ASSERT_TRUE(submit(1, well ? delete_of("a") : set_of("a")));
    ASSERT_TRUE(submit(2, well ? set_of("a") : delete_of("a")));
    receive(well ? loading + std::string(test::kOk) : std::string(test::kOk) + loading);
    EXPECT_EQ(session_.collect_served(), well);
  }
}

TEST_F(Rule03TheSessionKnowsWhatIsOpen, WhatOneConnectionCannotSendIsLeftForAnother) {
  ASSERT_TRUE(submit(1, set_of("a")));
  ASSERT_TRUE(submit(0, delete_of("b")));
  sent();
  fail(Fault::closed);
  session_.submit_last(delete_of("a"));
  const auto unsettled = session_.requests().unsettled();
  ASSERT_EQ(unsettled.size(), 2U);
  for (const Refused& one : unsettled) EXPECT_TRUE(is_removal(*one.removal));
}

}  // namespace
}  // namespace redlock::session_undo_test
