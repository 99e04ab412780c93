// What servers say to those who stand in line, as text.
#include "redlock/wire/line_codec.hpp"

#include <gtest/gtest.h>

namespace redlock::line_codec_test {
namespace {

TEST(StandingText, TellsWhatIsLeftThePlaceAndTheServersClock) {
  const auto standing = parse_queue_position("1500 7 1795360752993");
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->left, Duration::ms(1'500));
  EXPECT_EQ(standing->index, 7);
  EXPECT_EQ(standing->server_ms, 1'795'360'752'993);
}

TEST(StandingText, AKeyWithoutEndHasNoRest) {
  EXPECT_EQ(parse_queue_position("-1 1 7")->left, std::nullopt);
  EXPECT_EQ(parse_queue_position("-2 1 7")->left, Duration());
}

TEST(StandingText, AnythingElseIsNone) {
  for (const char* text : {"", "1", "1 1", "1 -1 3", "1 1 3 4", "x 1 3", "1 1 3x", "1  1 3"}) {
    EXPECT_FALSE(parse_queue_position(text)) << text;
  }
}

TEST(PushText, GrantedNamesTheJoinAndTheToken) {
  const auto push = parse_push("granted 12 an owner:0a 1");
  ASSERT_TRUE(push);
  EXPECT_EQ(push->kind, Push::Kind::granted);
  EXPECT_EQ(push->echo, 12U);
  EXPECT_EQ(push->token, Token("an owner:0a 1"));
}

TEST(PushText, NextTellsWhatIsLeft) {
  const auto push = parse_push("next 250 tok");
  ASSERT_TRUE(push);
  EXPECT_EQ(push->kind, Push::Kind::next);
  EXPECT_EQ(push->left, Duration::ms(250));
  EXPECT_EQ(push->token, Token("tok"));
  EXPECT_EQ(parse_push("next -2 tok")->left, Duration());
  EXPECT_EQ(parse_push("next -1 tok")->left, std::nullopt);
}

TEST(PushText, AnythingElseIsNone) {
  for (const char* text : {"", "granted", "granted ", "granted 1", "granted 1 ", "granted x tok",
                           "granted -1 tok", "next tok", "next 5", "next 5 ", "last 5 tok"}) {
    EXPECT_FALSE(parse_push(text)) << text;
  }
}

}  // namespace
}  // namespace redlock::line_codec_test
