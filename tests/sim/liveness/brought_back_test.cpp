// A place in line that was left and is there again because its server lost that is nobody's fault,
// and one that is there again for any other reason is.
#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"
#include "sim/checker_fixture.hpp"
#include "sim/record/line_view.hpp"

namespace redlock::sim::brought_back_test {
namespace {

constexpr std::int64_t kLostFromMs = 5;

// Client 0 stood in line at server 0 from 1 ms on, was granted the lock elsewhere, and gave it back
// at 10 ms.
class BroughtBackTest : public CheckerTest {
 protected:
  BroughtBackTest() : CheckerTest(make_waiting_plan()) {
    go_to(1);
    join(0, 0, "a", kNil);
    tell(Verb::take, Decision::granted);
    go_to(10);
    tell(Verb::release, Decision::unreachable);
  }
  void tell(Verb verb, Decision decision) {
    Outcome outcome;
    outcome.decision = decision;
    checker_.reported(0, verb, "a", outcome);
  }
  void leaves() { executed(0, 0, {"EVALSHA", scripts::pass.sha1, "1", "lock", "a"}, ":0\r\n", 0); }
  void goes_back(std::uint32_t server, std::int64_t to_ms) {
    go_to(20);
    checker_.went_back(server, to_ms * kMs);
  }
  // It is there, whatever brought it about, and its client comes back to the server.
  [[nodiscard]] bool is_reported() {
    const std::int64_t until_ms = kWallStartNs / kMs + kLineMs;
    Entry line{0, line_key_of("lock"), "", ValueType::sorted_set, until_ms};
    line.items.push_back({.name = "a", .score = 7});
    keyspaces_[0].put(line);
    go_to(30);
    ask(0, 0, "b");
    return seen(ViolationKind::left_behind);
  }
};

TEST_F(BroughtBackTest, APlaceWhoseRemovalTheServerHasLostIsExcused) {
  leaves();
  goes_back(0, kLostFromMs);
  EXPECT_FALSE(is_reported());
}

TEST_F(BroughtBackTest, APlaceOnAServerThatHasLostNothingIsNot) {
  leaves();
  EXPECT_TRUE(is_reported());
}

TEST_F(BroughtBackTest, WhatAnotherServerHasLostIsNoExcuse) {
  leaves();
  goes_back(1, kLostFromMs);
  EXPECT_TRUE(is_reported());
}

TEST_F(BroughtBackTest, ARemovalFromBeforeWhatWasLostIsNone) {
  leaves();
  goes_back(0, 10);
  EXPECT_TRUE(is_reported());
}

TEST_F(BroughtBackTest, APlaceThatWasNeverLeftIsNotExcusedByWhatWasLost) {
  goes_back(0, kLostFromMs);
  EXPECT_TRUE(is_reported());
}

TEST_F(BroughtBackTest, ARemovalBehindWhatWasLostIsOwedAgain) {
  leaves();
  goes_back(0, kLostFromMs);
  leaves();
  EXPECT_TRUE(is_reported());
}

TEST_F(BroughtBackTest, APlaceThatIsTakenBehindWhatWasLostIsNotExcused) {
  leaves();
  goes_back(0, kLostFromMs);
  join(0, 0, "a", kNil);
  EXPECT_TRUE(is_reported());
}

}  // namespace
}  // namespace redlock::sim::brought_back_test
