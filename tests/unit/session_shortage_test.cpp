// Memory that runs out while a connection drops or answers what waits: nothing is sent that must
// not be, and nothing is left half moved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/allocations.hpp"
#include "support/session_fixture.hpp"

namespace redlock::session_shortage_test {
namespace {

using test::delete_of;
using test::FailingAllocations;
using test::set_of;
using test::Shortage;
using test::t;

// More than any of the calls makes.
constexpr std::size_t kAllocationsMax = 100;

class ShortOfMemoryASession : public test::SessionTest {
 protected:
  // Three takes that wait behind a removal which has been sent.
  void queue() {
    ASSERT_TRUE(submit(0, delete_of("other")));
    transmit();
    for (const char* token : {"a", "b", "c"}) ASSERT_TRUE(submit(1, set_of(token)));
    ASSERT_TRUE(submit(0, delete_of("b")));
  }
};

// Fails each allocation of `act` in turn, on a session of its own each.
template <class Act, class Check>
void run_short(Act act, Check check) {
  for (std::size_t n = 0; n < kAllocationsMax; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    bool happened = false;
    class Fresh : public ShortOfMemoryASession {
     public:
      using SessionTest::session_;
      using SessionTest::verbs;
      using ShortOfMemoryASession::queue;
      void TestBody() override {}
    } fresh;
    fresh.queue();
    std::vector<Arrival> arrivals;
    {
      const FailingAllocations failing(n, Shortage::lasting);
      try {
        act(fresh.session_, arrivals);
      } catch (const std::bad_alloc&) {
      }
      happened = failing.happened();
    }
    // What a connection that memory ran out on comes to.
    fresh.session_.fail(Fault::closed, "out of memory", arrivals);
    fresh.session_.repeat_removals();
    check(fresh.verbs());
    if (testing::Test::HasFailure() || !happened) return;
  }
  FAIL() << "it never passed";
}

void expect_no_take(const std::vector<std::string>& verbs) {
  EXPECT_THAT(verbs, testing::Not(testing::Contains("SET")));
}

TEST(ShortOfMemory, ASessionThatFailsSendsNoTakeThatWasStillWaiting) {
  run_short(
      [](Session& session, std::vector<Arrival>& arrivals) {
        session.fail(Fault::timeout, "no answer came within the time that it had", arrivals);
      },
      expect_no_take);
}

TEST(ShortOfMemory, ASessionThatDropsWhatExpiredKeepsItsQueueWhole) {
  run_short([](Session& session,
               std::vector<Arrival>& arrivals) { session.drop_expired(t(50), arrivals); },
            expect_no_take);
}

TEST(ShortOfMemory, ASessionThatDropsWhatWasDecidedNeedsNone) {
  run_short(
      [](Session& session, std::vector<Arrival>&) {
        session.withdraw(1);
        // Only the removals are left, and the one that was to undo a take is not.
        EXPECT_FALSE(session.has_output());
      },
      expect_no_take);
}

}  // namespace
}  // namespace redlock::session_shortage_test
