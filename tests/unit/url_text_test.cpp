// Percent signs, words and hosts.
#include "redlock/config/url_text.hpp"

#include <gtest/gtest.h>

#include "redlock/config/endpoint.hpp"

namespace redlock::url_text_test {
namespace {

TEST(UrlText, APlusIsASpaceInAFormOnly) {
  EXPECT_EQ(percent_decoded("a+b%2b"), "a+b+");
  EXPECT_EQ(form_decoded("a+b%2b"), "a b+");
}

TEST(UrlText, WordsOfASwitchAreKnownInAnyLetterCase) {
  for (const char* word : {"1", "true", "TRUE", "On", "yes"}) EXPECT_EQ(flag_word(word), true);
  for (const char* word : {"0", "false", "False", "OFF", "no"}) EXPECT_EQ(flag_word(word), false);
  for (const char* word : {"", "2", "01", "y", "null", "true "}) {
    EXPECT_EQ(flag_word(word), std::nullopt) << word;
  }
}

TEST(UrlText, NumbersHaveNothingAroundThem) {
  EXPECT_EQ(whole_number("-12", ""), -12);
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "0x1"}) {
    EXPECT_THROW(static_cast<void>(whole_number(text, "no")), ArgumentError) << text;
  }
  EXPECT_EQ(decimal_seconds("0.1"), 0.1);
  EXPECT_EQ(decimal_seconds("3600."), 3600);
  EXPECT_EQ(decimal_seconds("0.00000000000000000001"), 1e-20);
  EXPECT_EQ(decimal_seconds("0.33333333333333333333"), 0.333333333333333);
  EXPECT_EQ(decimal_seconds(".5"), 0.5);
  for (const char* text : {"", "1s", "+1", "1,5", " 1", "1 ", "0x1", "nan", "1e1", ".", "-1",
                           "1.2.3", "1000000000000000"}) {
    EXPECT_THROW(static_cast<void>(decimal_seconds(text)), ArgumentError) << text;
  }
}

TEST(UrlText, OneColonEndsTheHostAndAnAddressWithSeveralStandsInBrackets) {
  EXPECT_EQ(authority_of("h:1").host, "h");
  EXPECT_EQ(authority_of("h:1").port, 1);
  EXPECT_EQ(authority_of("[::1]").host, "::1");
  EXPECT_EQ(authority_of("[::1]").port, std::nullopt);
  EXPECT_EQ(authority_of("[::1]:2").host, "::1");
  EXPECT_EQ(authority_of("[::1]:2").port, 2);
  for (const char* text : {"a:1,b:2", "::1", "::1:6379", "h:1:2"}) {
    EXPECT_THROW(static_cast<void>(authority_of(text)), ArgumentError) << text;
  }
}

}  // namespace
}  // namespace redlock::url_text_test
