// The real clock and the real entropy.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "redlock/os/clock.hpp"
#include "redlock/os/entropy.hpp"
#include "support/child.hpp"
#include "support/system_calls.hpp"

namespace redlock::system_test {
namespace {

std::int64_t boot_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

// On a machine that never slept the clocks agree: what counts is which one is asked.
TEST(Rule01ClockStartsBeforeTheFirstByte, TheClockThatIsReadCountsSuspend) {
  SystemClock clock;
  test::SystemCalls calls;
  static_cast<void>(clock.now());
  EXPECT_EQ(calls.clocks, std::vector<clockid_t>{CLOCK_BOOTTIME});
}

TEST(SystemClock, TellsTheTimeOfThatClock) {
  SystemClock clock;
  const std::int64_t before = boot_time_ns();
  const std::int64_t now = clock.now().since_epoch_ns();
  EXPECT_LE(before, now);
  EXPECT_LE(now, boot_time_ns());
}

TEST(SystemClock, NeverRunsBackwards) {
  SystemClock clock;
  Instant before = clock.now();
  for (int i = 0; i < 10'000; ++i) {
    const Instant now = clock.now();
    ASSERT_GE(now, before);
    before = now;
  }
}

TEST(SystemEntropy, NeverRepeatsAcrossBlocks) {
  SystemEntropy entropy;
  std::set<Token> tokens;
  for (int i = 0; i < 10'000; ++i) tokens.insert(random_token(entropy));
  EXPECT_EQ(tokens.size(), 10'000U);
}

TEST(SystemEntropy, EveryByteOfABlockIsRandom) {
  std::array<std::set<std::byte>, 16> seen;
  for (int i = 0; i < 64; ++i) {
    SystemEntropy entropy;
    std::array<std::byte, 16> bytes;
    entropy.fill(bytes);
    for (std::size_t place = 0; place < bytes.size(); ++place) seen[place].insert(bytes[place]);
  }
  for (const std::set<std::byte>& values : seen) EXPECT_GT(values.size(), 1U);
}

TEST(SystemEntropy, KeepsNothingOfWhatItGaveOut) {
  SystemEntropy entropy;
  std::array<char, 32> given;
  entropy.fill(std::as_writable_bytes(std::span(given)));
  const std::string kept(reinterpret_cast<const char*>(&entropy), sizeof(entropy));
  EXPECT_EQ(kept.find(std::string(given.data(), given.size())), std::string::npos);
}

TEST(SystemEntropy, FillsAnySize) {
  SystemEntropy entropy;
  for (const std::size_t size : {0U, 1U, 511U, 512U, 513U, 5'000U}) {
    std::vector<std::byte> bytes(size);
    entropy.fill(bytes);
    const auto zeros = std::count(bytes.begin(), bytes.end(), std::byte{0});
    EXPECT_LE(static_cast<std::size_t>(zeros), size / 50 + 2);
  }
}

TEST(Rule02AFreshTokenPerAttempt, AForkedChildDrawsOtherTokensThanItsParent) {
  SystemEntropy entropy;
  static_cast<void>(random_token(entropy));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Token token = random_token(entropy);
    const bool written = write(ends[1], token.view().data(), 32) == 32;
    _exit(written ? 0 : 1);
  }
  const Token ours = random_token(entropy);
  std::string theirs(32, '\0');
  EXPECT_EQ(read(ends[0], theirs.data(), 32), 32);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_NE(ours.view(), theirs);
}

TEST(Rule02AFreshTokenPerAttempt, AChildWithItsParentsProcessIdDrawsOtherTokens) {
  test::SystemCalls calls;
  calls.process_id = 1;
  SystemEntropy entropy;
  static_cast<void>(random_token(entropy));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  EXPECT_EQ(test::exit_status_of_child(
                [&] { return write(ends[1], random_token(entropy).view().data(), 32) == 32; }),
            0);
  std::string theirs(32, '\0');
  EXPECT_EQ(read(ends[0], theirs.data(), 32), 32);
  close(ends[0]);
  close(ends[1]);
  EXPECT_NE(random_token(entropy).view(), theirs);
}

}  // namespace
}  // namespace redlock::system_test
