// Polling that fails by itself: connections end with the reason, and nothing spins.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>

#include "io/support/fleet.hpp"
#include "io/support/hostile_server.hpp"
#include "support/child.hpp"

namespace redlock::polling_test {
namespace {

using test::exit_status_of_child;
using test::Fleet;

// From now on ppoll(2) fails whatever it is given.
bool forbid_ppoll() {
  std::array<sock_filter, 4> program{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ppoll, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{program.size(), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

class PollingThatFails : public Fleet {
 protected:
  // In a child, for what is forbidden stays so.
  template <class Begin>
  static int child_tells_why(Begin begin) {
    return exit_status_of_child([&] {
      Runtime runtime;
      LockManager locks = begin(runtime);
      const Outcome outcome = lock(runtime, locks, "second");
      const auto troubles = locks.troubles(outcome);
      return outcome.decision == Decision::unreachable && troubles.size() == 1 &&
             troubles[0].reason.ends_with("waiting for the server failed: Operation not permitted");
    });
  }
};

TEST_F(PollingThatFails, EndsAConnectionWithTheReason) {
  EXPECT_EQ(child_tells_why([](Runtime& runtime) {
              LockManager locks(runtime.pool(), specs(1), once());
              EXPECT_EQ(lock(runtime, locks).decision, Decision::granted);
              // What has been answered before anybody polls counts.
              server(0).ask({"CLIENT", "PAUSE", "60000", "WRITE"});
              EXPECT_TRUE(forbid_ppoll());
              return locks;
            }),
            0);
  server(0).ask({"CLIENT", "UNPAUSE"});
}

TEST_F(PollingThatFails, EndsAConnectionThatIsBeingMade) {
  const test::HostileServer vanishes(test::Habit::vanishes);
  EXPECT_EQ(child_tells_why([&](Runtime& runtime) {
              EXPECT_TRUE(forbid_ppoll());
              return LockManager(runtime.pool(), {parse_server(vanishes.address())}, once());
            }),
            0);
}

// It is not the server that ended it, which might expect TLS.
TEST_F(PollingThatFails, EndsAConnectionThatWasNeverAnsweredWithTheSameReason) {
  const test::HostileServer silent(test::Habit::silent);
  EXPECT_EQ(child_tells_why([&](Runtime& runtime) {
              const ServerSpec spec = parse_server(silent.address());
              LockManager locks(runtime.pool(), {spec}, once(test::kPatience));
              (void)locks.begin_lock(Resource("first"), Duration::seconds(60));
              const auto node = runtime.pool().node(spec.endpoint, test::kPatience);
              while (node->unanswered_bytes() == 0) {
                runtime.pool().step(runtime.pool().clock().now() + Duration::ms(1));
              }
              EXPECT_TRUE(forbid_ppoll());
              return locks;
            }),
            0);
}

TEST_F(PollingThatFails, LeavesPausesWhatTheyAre) {
  EXPECT_EQ(exit_status_of_child([] {
              SystemClock clock;
              SocketTransport transport(clock);
              if (!forbid_ppoll()) return false;
              const Instant before = clock.now();
              timespec used{};
              if (transport.wait({}, before + Duration::ms(300)) != Woken::deadline) return false;
              clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
              // It began with what the test's start took.
              return clock.now() - before >= Duration::ms(300) && used.tv_sec == 0;
            }),
            0);
}

}  // namespace
}  // namespace redlock::polling_test
