// A wait is over in time though its process stood still in the middle of it.
#include "redlock/os/alarm.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "io/support/descriptors.hpp"
#include "redlock/os/socket.hpp"
#include "support/system_calls.hpp"

namespace redlock::alarm_test {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

bool rings(int timer) {
  pollfd polled{timer, POLLIN, 0};
  return poll(&polled, 1, 5000) == 1 && polled.revents == POLLIN;
}

TEST(Alarm, RingsWhenItsTimeHasCome) {
  SystemClock clock;
  const Instant began = clock.now();
  const Alarm alarm(Duration::ms(20));
  EXPECT_TRUE(rings(alarm.descriptor()));
  EXPECT_GE(clock.now() - began, Duration::ms(20));
}

TEST(Alarm, IsSilentUntilThen) {
  for (const Duration later : {Duration::seconds(3600), Duration::ms(3'600'999)}) {
    const Alarm alarm(later);
    ASSERT_GE(alarm.descriptor(), 0);
    pollfd polled{alarm.descriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&polled, 1, 0), 0);
  }
}

// What it says of its wait of 3 s, which it is stopped in the midst of for longer.
Woken stopped_wait(SocketTransport& transport, steady_clock::duration& late) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    transport.forget_all();
    SystemClock clock;
    const Instant end = clock.now() + Duration::seconds(3);
    (void)!write(ends[1], "", 1);
    _exit(static_cast<int>(transport.wait({}, end)));
  }
  char began = 0;
  EXPECT_EQ(read(ends[0], &began, 1), 1);
  std::this_thread::sleep_for(100ms);
  kill(child, SIGSTOP);
  std::this_thread::sleep_for(3500ms);
  kill(child, SIGCONT);
  const auto went_on = steady_clock::now();
  int status = 0;
  waitpid(child, &status, 0);
  late = steady_clock::now() - went_on;
  close(ends[0]);
  close(ends[1]);
  return static_cast<Woken>(WEXITSTATUS(status));
}

TEST(Alarm, EndsAWaitThatItsProcessStoodStillIn) {
  SystemClock clock;
  SocketTransport transport(clock);
  steady_clock::duration late{};
  EXPECT_EQ(stopped_wait(transport, late), Woken::deadline);
  EXPECT_LT(late, 1500ms) << "2.9 s of the wait were left when it was stopped";
}

TEST(Alarm, OfAWaitIsGoneBehindIt) {
  SystemClock clock;
  SocketTransport transport(clock);
  const std::set<int> before = test::open_descriptors();
  EXPECT_EQ(transport.wait({}, clock.now() + kAlarmedSleep), Woken::deadline);
  EXPECT_EQ(test::open_descriptors(), before);
}

// To make one is a call to the system more, which a lock and its release do not make.
TEST(Alarm, BriefWaitsHaveNone) {
  SystemClock clock;
  SocketTransport transport(clock);
  test::SystemCalls calls;
  calls.fail(0, EMFILE, "timerfd_create");
  EXPECT_EQ(transport.wait({}, clock.now() + kAlarmedSleep - Duration::us(1)), Woken::deadline);
  EXPECT_FALSE(calls.failed());
}

TEST(Alarm, AWaitThatCanHaveNoneIsAsLongAsOthers) {
  SystemClock clock;
  SocketTransport transport(clock);
  test::SystemCalls calls;
  calls.fail(0, EMFILE, "timerfd_create");
  const Instant end = clock.now() + Duration::ms(150);
  EXPECT_EQ(transport.wait({}, end), Woken::deadline);
  EXPECT_TRUE(calls.failed());
  EXPECT_GE(clock.now(), end);
}

}  // namespace
}  // namespace redlock::alarm_test
