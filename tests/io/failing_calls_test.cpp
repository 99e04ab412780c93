// System calls and allocations that fail, each in turn: that costs a call at most, and never a key,
// a descriptor or the pool.
//
// Those that the library makes itself. c-ares is a library of its own, whose calls no linker option
// reaches: names_test has those.
#include <gtest/gtest.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "io/support/descriptors.hpp"
#include "io/support/fleet.hpp"
#include "support/allocations.hpp"
#include "support/system_calls.hpp"

namespace redlock::failing_calls_test {
namespace {

using test::eventually;
using test::Fleet;

constexpr std::size_t kServers = 3;
// More than the scene makes.
constexpr std::size_t kCallsMax = 2'000;
constexpr Duration kTimeout = Duration::ms(500);

enum class Failing { once, lasting };

// In the place of a system call's error: an allocation of the library's fails.
constexpr int kNoMemory = 0;

struct Trouble {
  const char* name;
  int error;
  Failing failing;
};

class SystemCallsThatFail : public Fleet, public testing::WithParamInterface<Trouble> {
 protected:
  // One server by its number, one by a name, one by a path.
  static std::vector<ServerSpec> servers() {
    return {parse_server(server(0).address()),
            parse_server("localhost:" + std::to_string(server(1).port())),
            parse_server("unix://" + server(2).unix_path())};
  }

  // One call, while system calls may fail: it ends in time, and what it does not do it has a reason
  // for.
  template <class Begin>
  static Outcome run(Runtime& runtime, const LockManager& locks, Begin begin) {
    Outcome outcome;
    bool thrown = false;
    const double took = test::real_ms([&] {
      try {
        outcome = runtime.pool().run(begin());
      } catch (const std::system_error& error) {
        thrown = true;
        EXPECT_EQ(error.code().value(), GetParam().error);
      } catch (const std::bad_alloc&) {
        thrown = true;
        EXPECT_EQ(GetParam().error, kNoMemory);
      }
    });
    const test::WithMemory memory;
    EXPECT_LT(took, 10 * kTimeout.as_ms());
    if (thrown || outcome.decision == Decision::granted) return outcome;
    const std::vector<ServerTrouble> troubles = locks.troubles(outcome);
    EXPECT_FALSE(troubles.empty());
    for (const ServerTrouble& trouble : troubles) {
      EXPECT_NE(trouble.fault, Fault::none);
      EXPECT_FALSE(trouble.reason.empty()) << trouble.server;
    }
    return outcome;
  }

  // All the verbs, and the end of the connections; gives the token of a lock that could be taken.
  static Token use(Runtime& runtime, LockManager& locks) {
    const Duration ttl = Duration::seconds(60);
    const Resource resource("r");
    const Outcome taken = run(runtime, locks, [&] { return locks.begin_lock(resource, ttl); });
    if (taken.decision == Decision::granted) {
      EXPECT_GT(taken.validity, Duration());
      run(runtime, locks, [&] { return locks.begin_check(resource, taken.token); });
      run(runtime, locks, [&] { return locks.begin_extend(resource, taken.token, ttl); });
      run(runtime, locks, [&] { return locks.begin_unlock(resource, taken.token); });
    }
    try {
      runtime.pool().close_all();
    } catch (const std::bad_alloc&) {
      EXPECT_EQ(GetParam().error, kNoMemory);
    }
    const test::WithMemory memory;
    return taken.token;
  }

  static std::string described(const std::vector<ServerTrouble>& troubles) {
    std::string text;
    for (const ServerTrouble& trouble : troubles)
      text += trouble.server + ": " + trouble.reason + "\n";
    return text;
  }

  // Nothing fails any more: the same pool works, and nothing is left of what was begun before.
  static void expect_sane_afterwards(Runtime& runtime, LockManager& locks, const Token& token) {
    const Outcome next = lock(runtime, locks, "next");
    ASSERT_EQ(next.decision, Decision::granted) << described(locks.troubles(next));
    // Whoever was not told that it is released releases it once more.
    if (!token.empty()) unlock(runtime, locks, token);
    EXPECT_EQ(unlock(runtime, locks, next.token, "next").decision, Decision::granted);
    EXPECT_TRUE(eventually([&] {
      runtime.pool().step(runtime.pool().clock().now() + Duration::ms(1));
      return !runtime.pool().next_deadline();
    })) << "something is still under way";
    const std::vector<std::string> none(kServers, "nil");
    // A server that is left alone after trouble is told with one of the next calls.
    EXPECT_TRUE(eventually([&] {
      if (values(kServers) == none && values(kServers, "next") == none) return true;
      const Outcome again = lock(runtime, locks, "again");
      if (again.decision == Decision::granted) unlock(runtime, locks, again.token, "again");
      return false;
    })) << testing::PrintToString(values(kServers));
  }

  static bool use_without_memory(std::size_t n, Runtime& runtime, LockManager& locks,
                                 Token& token) {
    const bool once = GetParam().failing == Failing::once;
    const test::FailingAllocations failing(n,
                                           once ? test::Shortage::once : test::Shortage::lasting);
    token = use(runtime, locks);
    return failing.happened();
  }

  // True: as many as `n` calls were made, and the last of them failed.
  static bool run_with_failing(std::size_t n) {
    const std::set<int> before = test::open_descriptors();
    bool failed = false;
    {
      Runtime runtime;
      LockManager locks(runtime.pool(), servers(), once(kTimeout));
      Token token;
      if (GetParam().error == kNoMemory) {
        failed = use_without_memory(n, runtime, locks, token);
      } else {
        test::SystemCalls calls;
        if (GetParam().failing == Failing::once) {
          calls.fail(n, GetParam().error);
        } else {
          calls.fail_from(n, GetParam().error);
        }
        token = use(runtime, locks);
        failed = calls.failed();
      }
      expect_sane_afterwards(runtime, locks, token);
    }
    EXPECT_EQ(test::open_descriptors(), before);
    return failed;
  }
};

TEST_P(SystemCallsThatFail, CostACallAtMost) {
  // The test's own connections stand before descriptors are counted.
  static_cast<void>(values(kServers));
  for (std::size_t n = 0; n < kCallsMax; ++n) {
    SCOPED_TRACE("system call " + std::to_string(n));
    if (!run_with_failing(n) || HasFailure()) return;
  }
  FAIL() << "it never passed";
}

std::string name_of(const testing::TestParamInfo<Trouble>& info) {
  return std::string(info.param.name) +
         (info.param.failing == Failing::once ? "Once" : "FromThenOn");
}

INSTANTIATE_TEST_SUITE_P(Each, SystemCallsThatFail,
                         testing::Values(Trouble{"EMFILE", EMFILE, Failing::once},
                                         Trouble{"EMFILE", EMFILE, Failing::lasting},
                                         Trouble{"ENOMEM", ENOMEM, Failing::once},
                                         Trouble{"ENOMEM", ENOMEM, Failing::lasting},
                                         Trouble{"EINVAL", EINVAL, Failing::once},
                                         Trouble{"EINVAL", EINVAL, Failing::lasting},
                                         Trouble{"EPERM", EPERM, Failing::once},
                                         Trouble{"EPERM", EPERM, Failing::lasting},
                                         Trouble{"EINTR", EINTR, Failing::once},
                                         Trouble{"EAGAIN", EAGAIN, Failing::once},
                                         Trouble{"Memory", kNoMemory, Failing::once},
                                         Trouble{"Memory", kNoMemory, Failing::lasting}),
                         name_of);

}  // namespace
}  // namespace redlock::failing_calls_test
