// A wait is over in time though its process stood still in the middle of it.
#include "redlock/runtime/alarm.hpp"

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
#include "redlock/runtime/socket.hpp"

namespace redlock {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

bool rings(int timer) {
  pollfd polled{timer, POLLIN, 0};
  return poll(&polled, 1, 5000) == 1 && polled.revents == POLLIN;
}

TEST(Alarm, RingsWhenItsTimeHasCome) {
  Alarm alarm;
  SystemClock clock;
  const Instant began = clock.now();
  const int timer = alarm.set(Duration::ms(20));
  ASSERT_GE(timer, 0);
  EXPECT_TRUE(rings(timer));
  EXPECT_GE(clock.now() - began, Duration::ms(20));
}

TEST(Alarm, IsSilentOnceItIsSetAnew) {
  Alarm alarm;
  ASSERT_TRUE(rings(alarm.set(Duration::ms(1))));
  pollfd polled{alarm.set(Duration::seconds(3600)), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 0), 0);
}

TEST(Alarm, TakesOneDescriptorHoweverOftenItIsSet) {
  const std::size_t before = test::open_descriptors().size();
  Alarm alarm;
  for (int i = 0; i < 10; ++i) EXPECT_GE(alarm.set(Duration::seconds(1)), 0);
  EXPECT_EQ(test::open_descriptors().size(), before + 1);
}

TEST(Alarm, IsNoneWhereTheNumberIsAnothers) {
  Alarm alarm;
  const int timer = alarm.set(Duration::seconds(1));
  const int other = open("/dev/null", O_RDWR | O_CLOEXEC);
  ASSERT_EQ(dup3(other, timer, O_CLOEXEC), timer);
  EXPECT_EQ(alarm.set(Duration::seconds(1)), -1);
  close(other);
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

TEST(Alarm, AWaitThatIsWokenBeforeItsEndIsNotEndedByAnEarlierAlarm) {
  SystemClock clock;
  SocketTransport transport(clock);
  EXPECT_EQ(transport.wait({}, clock.now() + kAlarmedSleep), Woken::deadline);
  const Instant end = clock.now() + Duration::ms(150);
  EXPECT_EQ(transport.wait({}, end), Woken::deadline);
  EXPECT_GE(clock.now(), end);
}

TEST(Alarm, BriefWaitsHaveNone) {
  SystemClock clock;
  SocketTransport transport(clock);
  const std::set<int> before = test::open_descriptors();
  EXPECT_EQ(transport.wait({}, clock.now() + Duration::ms(20)), Woken::deadline);
  EXPECT_EQ(test::open_descriptors(), before);
}

}  // namespace
}  // namespace redlock
