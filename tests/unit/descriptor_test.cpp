// Whose numbers descriptors have.
#include "redlock/os/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "redlock/os/waker.hpp"
#include "support/child.hpp"

namespace redlock::descriptor_test {
namespace {

using test::exit_status_of_child;

// As a daemon does; in a child, for the tests have to be heard.
void close_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(stream);
}
bool are_free() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) return false;
  }
  return true;
}
int some_number() { return open("/dev/null", O_RDWR | O_CLOEXEC); }

TEST(Descriptor, KeepsTheNumberThatItIsGiven) {
  const int number = some_number();
  ASSERT_GE(number, kFirstOwnDescriptor);
  EXPECT_EQ(Descriptor(number).number(), number);
}

TEST(Descriptor, OfNoNumberIsNotOpen) {
  errno = EDOM;
  EXPECT_FALSE(Descriptor(-1).open());
  EXPECT_EQ(errno, EDOM);
}

TEST(Descriptor, ThatCannotBeClosedLeavesErrnoAlone) {
  {
    const Descriptor taken_away(some_number());
    ASSERT_EQ(close(taken_away.number()), 0);
    errno = EDOM;
  }
  EXPECT_EQ(errno, EDOM);
}

TEST(Descriptor, LeavesTheNumbersOfClosedStandardStreamsFree) {
  EXPECT_EQ(exit_status_of_child([] {
              close_standard_streams();
              const std::array ours{Descriptor(some_number()), Descriptor(some_number()),
                                    Descriptor(some_number())};
              for (const Descriptor& each : ours) {
                const int flags = fcntl(each.number(), F_GETFD);
                if (each.number() < kFirstOwnDescriptor || (flags & FD_CLOEXEC) == 0) return false;
              }
              return are_free();
            }),
            0);
}

TEST(Descriptor, IsNoneAndTellsWhyWhereOnlyThoseNumbersAreLeft) {
  EXPECT_EQ(exit_status_of_child([] {
              close_standard_streams();
              const rlimit three{kFirstOwnDescriptor, kFirstOwnDescriptor};
              if (setrlimit(RLIMIT_NOFILE, &three) != 0) return false;
              const int number = some_number();
              const Descriptor refused(number);
              const int error = errno;
              return number == 0 && !refused.open() && error == EINVAL && are_free();
            }),
            0);
}

TEST(Descriptor, OfAWakerIsNoStandardStreamEither) {
  EXPECT_EQ(exit_status_of_child([] {
              close_standard_streams();
              Waker waker;
              waker.call();
              return are_free() && waker.take_call() && !waker.take_call();
            }),
            0);
}

}  // namespace
}  // namespace redlock::descriptor_test
