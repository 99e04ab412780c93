// The bounded RESP codec: every slicing reads the same, and every bound holds.
#include "redlock/wire/codec.hpp"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <array>
#include <cerrno>
#include <new>

#include "redlock/algorithm/entropy.hpp"
#include "support/resp.hpp"
#include "support/seeded_entropy.hpp"
#include "support/system_calls.hpp"

namespace redlock::codec_test {
namespace {

std::vector<RespValue> read_in_slices(std::string_view bytes, std::size_t slice,
                                      std::string* error = nullptr) {
  RespReader reader;
  std::vector<RespValue> values;
  for (std::size_t at = 0; at < bytes.size(); at += slice) {
    reader.feed(bytes.substr(at, slice));
    while (auto value = reader.next()) values.push_back(std::move(*value));
  }
  if (error != nullptr) *error = reader.error();
  return values;
}

std::string error_of(std::string_view bytes) {
  std::string error;
  read_in_slices(bytes, bytes.size(), &error);
  return error;
}

TEST(AppendCommand, FramesEveryArgumentByItsLengthAndKeepsNullBytes) {
  std::string out = "before";
  const std::string key("a\0\r\n", 4);
  append_command(out, std::array<std::string_view, 3>{"GET", key, ""});
  EXPECT_EQ(out, "before" + test::request({"GET", key, ""}));
}

TEST(AppendCommand, WritesByteForByteWhatHiredisFormats) {
  test::SeededEntropy entropy;
  for (std::size_t count = 1; count <= 40; ++count) {
    std::vector<std::string> texts;
    std::vector<std::string_view> arguments;
    std::vector<const char*> starts;
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < count; ++i) {
      texts.emplace_back(random_between(entropy, 0, i < 3 ? 100'000 : 20), '\r');
    }
    for (const std::string& text : texts) {
      arguments.emplace_back(text);
      starts.push_back(text.data());
      sizes.push_back(text.size());
    }
    std::string ours;
    append_command(ours, arguments);
    char* theirs = nullptr;
    const auto size =
        redisFormatCommandArgv(&theirs, static_cast<int>(count), starts.data(), sizes.data());
    EXPECT_EQ(ours, std::string_view(theirs, static_cast<std::size_t>(size))) << count;
    redisFreeCommand(theirs);
  }
}

TEST(RespReader, TellsTheKindsApart) {
  const auto values = read_in_slices("+OK\r\n-ERR no\r\n:-42\r\n", 7);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].kind, RespKind::status);
  EXPECT_EQ(values[0].text, "OK");
  EXPECT_EQ(values[1].kind, RespKind::error);
  EXPECT_EQ(values[1].text, "ERR no");
  EXPECT_EQ(values[2].kind, RespKind::integer);
  EXPECT_EQ(values[2].integer, -42);
}

TEST(RespReader, KeepsNullBytesAndEmptyStringsAndNil) {
  const std::string binary("a\0b", 3);
  const auto values = read_in_slices(test::bulk(binary) + "$0\r\n\r\n$-1\r\n*-1\r\n", 1);
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(values[0].kind, RespKind::bulk);
  EXPECT_EQ(values[0].text, binary);
  EXPECT_EQ(values[1].kind, RespKind::bulk);
  EXPECT_EQ(values[1].text, "");
  EXPECT_EQ(values[2].kind, RespKind::nil);
  EXPECT_EQ(values[3].kind, RespKind::nil);
}

TEST(RespReader, AnArrayHasItsElements) {
  const auto values = read_in_slices("*2\r\n:1\r\n*2\r\n$1\r\nx\r\n$-1\r\n:7\r\n", 3);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].kind, RespKind::array);
  ASSERT_EQ(values[0].elements.size(), 2U);
  EXPECT_EQ(values[0].elements[0].integer, 1);
  const RespValue& inner = values[0].elements[1];
  EXPECT_EQ(inner.kind, RespKind::array);
  ASSERT_EQ(inner.elements.size(), 2U);
  EXPECT_EQ(inner.elements[0].text, "x");
  EXPECT_EQ(inner.elements[1].kind, RespKind::nil);
  EXPECT_EQ(values[1].kind, RespKind::integer);
  EXPECT_EQ(values[1].integer, 7);
}

TEST(RespReader, EverySlicingReadsTheSame) {
  std::string bytes;
  for (int i = 0; i < 50; ++i) {
    bytes += test::integer(i) + test::bulk(std::string(static_cast<std::size_t>(i * 7), 'x')) +
             test::error("ERR " + std::to_string(i)) + std::string(test::kNil);
  }
  const auto whole = read_in_slices(bytes, bytes.size());
  ASSERT_EQ(whole.size(), 200U);
  for (const std::size_t slice : {1U, 2U, 3U, 5U, 13U, 100U, 4096U}) {
    const auto sliced = read_in_slices(bytes, slice);
    ASSERT_EQ(sliced.size(), whole.size()) << slice;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      ASSERT_EQ(sliced[i].text, whole[i].text) << slice << ", " << i;
      ASSERT_EQ(sliced[i].integer, whole[i].integer) << slice << ", " << i;
    }
  }
}

TEST(RespReader, ReadsAReplyOfExactlyTheBoundInEverySlicingAndNotOneByteMore) {
  const std::string longest = test::bulk(std::string(kReplyBytesMax - 10, 'x'));
  const std::string too_long = test::bulk(std::string(kReplyBytesMax - 9, 'x'));
  ASSERT_EQ(longest.size(), kReplyBytesMax);
  for (const std::size_t slice : {1'000'000U, 8'192U, 65'535U, 1'000U}) {
    std::string error;
    EXPECT_EQ(read_in_slices(longest + longest, slice, &error).size(), 2U) << slice;
    EXPECT_EQ(error, "") << slice;
    EXPECT_TRUE(read_in_slices(too_long, slice, &error).empty()) << slice;
    EXPECT_EQ(error, "the reply is longer than 65536 bytes") << slice;
  }
}

TEST(RespReader, ManyRepliesAtOnceAreNotOneLongReply) {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += test::integer(i);
  ASSERT_GT(bytes.size(), 2 * kReplyBytesMax);
  EXPECT_EQ(read_in_slices(bytes, bytes.size()).size(), 20'000U);
}

TEST(RespReader, TheGigabyteThatAHeaderPromisesIsNeverReserved) {
  RespReader reader;
  reader.feed("$1073741824\r\n");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.error(), "");
  std::size_t fed = 0;
  while (reader.error().empty() && fed < 10 * kReplyBytesMax) {
    reader.feed(std::string(1'000, 'x'));
    EXPECT_FALSE(reader.next());
    fed += 1'000;
  }
  EXPECT_LE(fed, kReplyBytesMax + 10'000);
}

TEST(RespReader, ALineWithoutEndIsCutOffAtTheBound) {
  EXPECT_EQ(error_of("+" + std::string(4 * kReplyBytesMax, 'x')),
            "the reply is longer than 65536 bytes");
}

TEST(RespReader, NestingIsBoundedBeforeTheReaderDescends) {
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i) bytes += "*1\r\n";
  EXPECT_EQ(error_of(bytes), "the reply is nested too deeply or has too many elements");
}

TEST(RespReader, FourLevelsAreReadAndFiveAreNot) {
  EXPECT_EQ(error_of("*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"), "");
  EXPECT_NE(error_of("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"), "");
}

TEST(RespReader, AnArrayOfTheBoundIsReadAndOneElementMoreIsNot) {
  std::string elements;
  for (std::size_t i = 0; i < kReplyElementsMax; ++i) elements += ":1\r\n";
  EXPECT_EQ(error_of("*128\r\n" + elements), "");
  EXPECT_NE(error_of("*129\r\n" + elements + ":1\r\n"), "");
}

TEST(RespReader, AnArrayOfManySmallPiecesIsBoundedInBytesToo) {
  std::string bytes = "*128\r\n";
  for (int i = 0; i < 128; ++i) bytes += test::bulk(std::string(1'000, 'x'));
  EXPECT_EQ(error_of(bytes), "the reply is longer than 65536 bytes");
}

TEST(RespReader, WhatIsNoRespIsAnErrorForGood) {
  RespReader reader;
  reader.feed("<html><body>It works!</body></html>\r\n");
  EXPECT_FALSE(reader.next());
  const std::string error = reader.error();
  EXPECT_NE(error, "");
  reader.feed("+OK\r\n");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.error(), error);
}

TEST(RespReader, NonsenseNumbersAreErrors) {
  for (const char* bytes : {":12x\r\n", "$-7\r\n", "$99999999999999999999\r\n", "*-9\r\n", "$\r\n",
                            ":\r\n", "*4294967297\r\n"}) {
    std::string error;
    const auto values = read_in_slices(bytes, 100, &error);
    EXPECT_TRUE(!error.empty() || values.empty()) << bytes;
  }
}

TEST(Rule10AssertOnlyOurOwnMistakes, RandomBytesNeverReachAnAssertion) {
  constexpr std::string_view kAlphabet = "+-:$*0123456789\r\nOKabc<";
  test::SeededEntropy random(3);
  for (int run = 0; run < 3'000; ++run) {
    std::string bytes;
    for (std::uint64_t i = random.between(1, 60); i > 0; --i) {
      bytes += random.between(0, 2) == 0
                   ? std::string("\r\n")
                   : std::string(1, kAlphabet[random.between(0, kAlphabet.size() - 1)]);
    }
    std::string whole_error;
    std::string sliced_error;
    const auto whole = read_in_slices(bytes, bytes.size(), &whole_error);
    const auto sliced = read_in_slices(bytes, 1, &sliced_error);
    ASSERT_EQ(whole.size(), sliced.size()) << "run " << run;
    ASSERT_EQ(whole_error.empty(), sliced_error.empty()) << "run " << run;
  }
}

TEST(RespReader, CanBeMovedInTheMiddleOfAReply) {
  RespReader first;
  first.feed("$5\r\nhe");
  EXPECT_FALSE(first.next());
  RespReader second = std::move(first);
  second.feed("llo\r\n");
  const auto value = second.next();
  ASSERT_TRUE(value);
  EXPECT_EQ(value->text, "hello");
}

// It tells of its own shortage of memory by what it returns.
TEST(RespReader, WhereHiredisFindsNoMemoryThereIsNone) {
  test::SystemCalls calls;
  calls.fail(0, ENOMEM, "redisReaderCreateWithFunctions");
  EXPECT_THROW(RespReader(), std::bad_alloc);
  RespReader reader;
  reader.feed("+OK\r\n");
  calls.fail(0, ENOMEM, "redisReaderFeed");
  EXPECT_THROW(static_cast<void>(reader.next()), std::bad_alloc);
  EXPECT_EQ(reader.error(), "");
  const auto value = reader.next();
  ASSERT_TRUE(value) << "nothing of it is lost";
  EXPECT_EQ(value->text, "OK");
}

TEST(Codec, NamesTheHiredisItWasBuiltWithAndTheOneThatRuns) {
  EXPECT_NE(hiredis_version_built().find('.'), std::string::npos);
  EXPECT_NE(hiredis_origin(), "");
}

}  // namespace
}  // namespace redlock::codec_test
