// Ending a wait from another thread.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "redlock/locks/runtime.hpp"
#include "support/child.hpp"

namespace redlock::waker_test {
namespace {

using test::exit_status_of_child;

class WakerBetweenTwoThreads : public testing::Test {
 protected:
  Woken wait_for(Duration span) { return transport_.wait({}, clock_.now() + span); }

  SystemClock clock_;
  Waker waker_;
  SocketTransport transport_{clock_, {}, &waker_};
};

TEST_F(WakerBetweenTwoThreads, ACallEndsTheWaitThatIsUnderWay) {
  std::thread caller([this] { waker_.call(); });
  EXPECT_EQ(wait_for(Duration::seconds(30)), Woken::called);
  caller.join();
}

TEST_F(WakerBetweenTwoThreads, ACallThatComesBeforeTheWaitEndsTheNextOne) {
  std::thread([this] { waker_.call(); }).join();
  EXPECT_EQ(wait_for(Duration::seconds(30)), Woken::called);
}

TEST_F(WakerBetweenTwoThreads, ManyCallsEndOneWait) {
  for (int i = 0; i < 100'000; ++i) waker_.call();
  EXPECT_EQ(wait_for(Duration::seconds(30)), Woken::called);
  EXPECT_EQ(wait_for(Duration()), Woken::deadline);
}

// A signal handler may call in the midst of anything.
TEST_F(WakerBetweenTwoThreads, ACallThatFindsNoRoomLeavesErrnoAsItWas) {
  errno = EDOM;
  for (int i = 0; i < 100'000; ++i) waker_.call();
  EXPECT_EQ(errno, EDOM);
}

TEST_F(WakerBetweenTwoThreads, APoolsTurnEndsToo) {
  Runtime runtime({}, &waker_);
  std::thread caller([this] { waker_.call(); });
  EXPECT_EQ(runtime.pool().step(clock_.now() + Duration::seconds(30)), Woken::called);
  caller.join();
}

TEST_F(WakerBetweenTwoThreads, AChildsCallDoesNotEndItsParentsWait) {
  EXPECT_EQ(exit_status_of_child([this] {
              waker_.call();
              return true;
            }),
            0);
  EXPECT_EQ(wait_for(Duration()), Woken::deadline);
}

TEST_F(WakerBetweenTwoThreads, AChildThatLetGoOfItsParentsConnectionsHasAWakerOfItsOwn) {
  EXPECT_EQ(exit_status_of_child([this] {
              transport_.forget_all();
              waker_.call();
              return wait_for(Duration::seconds(30)) == Woken::called;
            }),
            0);
  EXPECT_EQ(wait_for(Duration()), Woken::deadline);
}

TEST_F(WakerBetweenTwoThreads, LettingGoOfConnectionsLosesNoCallOfTheSameProcess) {
  waker_.call();
  transport_.forget_all();
  EXPECT_EQ(wait_for(Duration::seconds(30)), Woken::called);
}

TEST(WakerTest, WithoutDescriptorsToBeHadThereIsATypedError) {
  // A sanitizer asks the system about a type when it meets it first, and needs descriptors for
  // that.
  const std::system_error known(EMFILE, std::generic_category(), "known");
  EXPECT_EQ(exit_status_of_child([] {
              rlimit usual{};
              getrlimit(RLIMIT_NOFILE, &usual);
              rlimit none = usual;
              none.rlim_cur = 0;
              setrlimit(RLIMIT_NOFILE, &none);
              try {
                const Waker waker;
              } catch (const std::system_error& error) {
                // The sanitizer that looks at it needs descriptors itself.
                setrlimit(RLIMIT_NOFILE, &usual);
                return error.code() == std::errc::too_many_files_open;
              }
              return false;
            }),
            0);
}

}  // namespace
}  // namespace redlock::waker_test
