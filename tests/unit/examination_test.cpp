// An examination, played by hand: one question at a time, and whatever is answered.
#include "redlock/wire/examination.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/resp.hpp"

namespace redlock::examination_test {
namespace {

using test::Arguments;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::array<std::string_view, 2> kQuestion{"INFO", "server"};
constexpr Instant kSoon = Instant::from_ns(1'000);

class ExaminationTest : public testing::Test {
 protected:
  static Endpoint endpoint(const std::string& url) { return parse_server(url).endpoint; }

  static std::vector<Arguments> sent(Examination& examination) {
    std::string wire;
    while (examination.has_output()) {
      const std::string bytes(examination.output());
      examination.mark_sent(bytes.size());
      wire += bytes;
    }
    return test::take_requests(wire);
  }
  // What is answered to a question that was sent.
  static std::vector<RespValue> answers(Examination& examination, const std::string& bytes) {
    sent(examination);
    std::vector<RespValue> answers;
    examination.on_bytes(bytes, answers);
    return answers;
  }

  Examination examination_{endpoint("s")};
};

TEST_F(ExaminationTest, AQuestionIsAskedAndItsAnswerHandedOn) {
  examination_.ask(kQuestion, kSoon);
  EXPECT_THAT(sent(examination_), ElementsAre(Arguments{"INFO", "server"}));
  EXPECT_EQ(examination_.next_deadline(), kSoon);
  EXPECT_FALSE(examination_.idle());
  const auto heard = answers(examination_, test::bulk("redis_version:7"));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].text, "redis_version:7");
  EXPECT_FALSE(examination_.awaits());
  EXPECT_TRUE(examination_.idle());
  EXPECT_EQ(examination_.unanswered_bytes(), 0U);
}

TEST_F(ExaminationTest, AnErrorIsAnAnswer) {
  examination_.ask(kQuestion, kSoon);
  const auto heard = answers(examination_, test::error("NOPERM this user has no permissions"));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].kind, RespKind::error);
  EXPECT_THAT(heard[0].text, HasSubstr("NOPERM"));
  EXPECT_FALSE(examination_.broken());
}

TEST_F(ExaminationTest, AnErrorThatRepeatsThePasswordDoesNotShowIt) {
  Examination examination(endpoint("redis://:sesame-open@s"));
  examination.ask(kQuestion, kSoon);
  sent(examination);
  const auto heard = answers(examination, std::string(test::kOk) + test::error("ERR sesame-open"));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_THAT(heard[0].text, Not(HasSubstr("sesame")));
}

TEST_F(ExaminationTest, AQuestionIsHeldBackUntilTheDatabaseIsSelected) {
  Examination examination(endpoint("redis://s/3"));
  examination.ask(kQuestion, kSoon);
  EXPECT_THAT(sent(examination), ElementsAre(Arguments{"SELECT", "3"}));
  EXPECT_THAT(answers(examination, std::string(test::kOk)), IsEmpty());
  EXPECT_THAT(sent(examination), ElementsAre(Arguments{"INFO", "server"}));
}

TEST_F(ExaminationTest, ARefusedGreetingIsTheEnd) {
  Examination examination(endpoint("redis://:sesame-open@s"));
  examination.ask(kQuestion, kSoon);
  EXPECT_THAT(answers(examination, test::error("WRONGPASS no")), IsEmpty());
  EXPECT_TRUE(examination.broken());
  EXPECT_EQ(examination.fault(), Fault::auth);
  EXPECT_EQ(examination.next_deadline(), std::nullopt);
}

TEST_F(ExaminationTest, AServerWithoutRoomForUsHasSaidNothingOfTheQuestion) {
  examination_.ask(kQuestion, kSoon);
  EXPECT_THAT(answers(examination_, test::error("ERR max number of clients reached")), IsEmpty());
  EXPECT_EQ(examination_.fault(), Fault::maxclients);
}

TEST_F(ExaminationTest, WhatNobodyAskedForIsTheEnd) {
  EXPECT_THAT(answers(examination_, test::integer(1)), IsEmpty());
  EXPECT_TRUE(examination_.broken());
  EXPECT_EQ(examination_.fault(), Fault::protocol);
  examination_.ask(kQuestion, kSoon);
  EXPECT_FALSE(examination_.awaits());
  EXPECT_FALSE(examination_.has_output());
}

TEST_F(ExaminationTest, OfTwoAnswersToOneQuestionTheFirstIsTakenAndTheSecondTheEnd) {
  examination_.ask(kQuestion, kSoon);
  EXPECT_EQ(answers(examination_, test::integer(1) + test::integer(2)).size(), 1U);
  EXPECT_EQ(examination_.fault(), Fault::protocol);
}

TEST_F(ExaminationTest, WhatIsNoRespIsTheEnd) {
  examination_.ask(kQuestion, kSoon);
  EXPECT_THAT(answers(examination_, "HTTP/1.1 400 Bad Request\r\n"), IsEmpty());
  EXPECT_EQ(examination_.fault(), Fault::protocol);
  EXPECT_TRUE(examination_.awaits());
}

}  // namespace
}  // namespace redlock::examination_test
