// Descriptors that are waited for by one descriptor, and a pool that an event loop drives by that.
#include "redlock/os/poll_set.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "io/support/fleet.hpp"

namespace redlock::poll_set_test {
namespace {

using test::Fleet;

// Is it readable by then?
bool readable(int descriptor, int within_ms = 0) {
  pollfd polled{descriptor, POLLIN, 0};
  return poll(&polled, 1, within_ms) == 1;
}

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
  }
  void fill() const { EXPECT_EQ(write(writing.number(), "x", 1), 1); }
  [[nodiscard]] pollfd wanted() const { return {reading.number(), POLLIN, 0}; }

  Descriptor reading;
  Descriptor writing;
};

class PollSetTest : public testing::Test {
 protected:
  [[nodiscard]] int match(std::vector<pollfd> wanted) { return set_.match(wanted); }

  PollSet set_;
  Pipe one_;
  Pipe other_;
};

TEST_F(PollSetTest, IsReadableWhileOneOfItsDescriptorsIsReady) {
  const int set = match({one_.wanted(), other_.wanted()});
  ASSERT_GE(set, 0);
  EXPECT_FALSE(readable(set));
  other_.fill();
  EXPECT_TRUE(readable(set));
  EXPECT_TRUE(readable(set));
}

TEST_F(PollSetTest, ThereIsNoneWithADescriptorThatCannotBeWaitedFor) {
  const Descriptor nowhere(open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(nowhere.open());
  EXPECT_EQ(match({one_.wanted(), {nowhere.number(), POLLIN, 0}}), -1);
}

TEST_F(PollSetTest, HoldsWhatItWasMatchedWithLast) {
  ASSERT_GE(match({one_.wanted(), other_.wanted()}), 0);
  const int set = match({other_.wanted()});
  one_.fill();
  EXPECT_FALSE(readable(set));
  EXPECT_EQ(match({one_.wanted()}), set);
  EXPECT_TRUE(readable(set));
}

TEST_F(PollSetTest, WaitsForWhatIsWantedOfADescriptorLast) {
  const int set = match({{one_.writing.number(), POLLOUT, 0}});
  EXPECT_TRUE(readable(set));
  EXPECT_EQ(match({{one_.writing.number(), 0, 0}}), set);
  EXPECT_FALSE(readable(set));
}

TEST_F(PollSetTest, HoldsADescriptorThatHasTheNumberOfOneThatWasClosed) {
  ASSERT_GE(match({one_.wanted()}), 0);
  const int number = one_.reading.number();
  one_.reading = Descriptor();
  const Pipe anew;
  ASSERT_EQ(anew.reading.number(), number);
  const int set = match({anew.wanted()});
  ASSERT_GE(set, 0);
  EXPECT_FALSE(readable(set));
  anew.fill();
  EXPECT_TRUE(readable(set));
}

TEST_F(PollSetTest, LeavesOutWhatIsNoDescriptorAndTakesOneTwice) {
  const int set = match({{-1, POLLIN, 0}, one_.wanted(), one_.wanted()});
  ASSERT_GE(set, 0);
  one_.fill();
  EXPECT_TRUE(readable(set));
}

// An event loop that has nothing but the descriptor and the time.
class APoolInAnEventLoop : public Fleet {
 protected:
  // Steps when it is told to, until `id` is done; false: that takes too long.
  bool drive(OperationId id) {
    Pool& pool = runtime_.pool();
    const Instant end = pool.clock().now() + Duration::seconds(10);
    while (!pool.done(id)) {
      const std::optional<Watch> watch = pool.watch();
      const Instant now = pool.clock().now();
      if (!watch || now >= end) return false;
      const Duration left = std::min(watch->until, end) - now;
      // Rounded up, as loops do that know milliseconds only.
      if (left > Duration()) readable(watch->descriptor, static_cast<int>(left.count_ms()) + 1);
      pool.step(Instant());
      ++steps_;
    }
    return true;
  }

  Runtime runtime_;
  LockManager locks_{runtime_.pool(), specs(3), once()};
  int steps_ = 0;
};

TEST_F(APoolInAnEventLoop, TakesAndReleasesALock) {
  const OperationId taking = locks_.begin_lock(Resource("r"), Duration::seconds(60));
  ASSERT_TRUE(drive(taking));
  const Outcome taken = runtime_.pool().collect(taking);
  ASSERT_EQ(taken.decision, Decision::granted);
  const OperationId releasing = locks_.begin_unlock(Resource("r"), taken.token);
  ASSERT_TRUE(drive(releasing));
  EXPECT_EQ(runtime_.pool().collect(releasing).decision, Decision::granted);
}

TEST_F(APoolInAnEventLoop, IsWokenByNothingWhileAServerIsSilent) {
  ASSERT_EQ(lock(runtime_, locks_, "connects").decision, Decision::granted);
  LockManager locks(runtime_.pool(), specs(1), once(Duration::seconds(1)));
  ASSERT_EQ(lock(runtime_, locks, "connects too").decision, Decision::granted);
  server(0).stop();
  const OperationId id = locks.begin_lock(Resource("r"), Duration::seconds(60));
  EXPECT_TRUE(drive(id));
  server(0).go_on();
  EXPECT_NE(runtime_.pool().collect(id).decision, Decision::granted);
  // Sent, and given up; a few more, for time is rounded.
  EXPECT_LE(steps_, 10);
}

TEST_F(APoolInAnEventLoop, TakesALockInMemory) {
  LockManager locks(runtime_.pool(), {parse_server("memory://loop")}, once());
  const OperationId id = locks.begin_lock(Resource("r"), Duration::seconds(60));
  ASSERT_TRUE(drive(id));
  EXPECT_EQ(runtime_.pool().collect(id).decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::poll_set_test
