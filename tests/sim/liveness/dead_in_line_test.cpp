// Whoever is gone and stands in line for long is seen.
#include "sim/checker_fixture.hpp"

namespace redlock::sim::dead_in_line_test {
namespace {

// Both clients stand in the line of server 0 from 1 ms on; then client 1 is gone.
class DeadInLineTest : public CheckerTest {
 protected:
  DeadInLineTest() : CheckerTest(make_waiting_plan(60'000)) {
    go_to(1);
    for (const std::uint32_t client : {0U, 1U}) checker_.begins(client, true);
    join(0, 0, "a", kNil);
    join(1, 0, "b", kNil);
    checker_.all_given_up(1);
  }

  // Client 0 joins again, and both are there.
  void join_at(std::int64_t ms) {
    go_to(ms);
    Entry line{0, line_key_of("lock"), "", ValueType::sorted_set,
               kWallStartNs / kMs + ms + kLineMs};
    for (const char* const token : {"a", "b"}) line.items.push_back({.name = token, .score = 7});
    keyspaces_[0].put(line);
    join(0, 0, "a", kNil);
  }
};

TEST_F(DeadInLineTest, WhoeverIsGoneForLongIsSeen) {
  join_at(30'000);
  EXPECT_TRUE(seen(ViolationKind::dead_in_line));
}

TEST_F(DeadInLineTest, WhoeverWasThereLatelyIsNot) {
  join_at(20'000);
  EXPECT_FALSE(seen(ViolationKind::dead_in_line));
  EXPECT_EQ(judged(ViolationKind::dead_in_line), 1U);
}

}  // namespace
}  // namespace redlock::sim::dead_in_line_test
