// Servers by their names: silent, slow, failing and changing name servers, and several addresses.
#include <gtest/gtest.h>

#include "io/support/descriptors.hpp"
#include "io/support/fleet.hpp"
#include "io/support/name_server.hpp"
#include "io/support/silent_address.hpp"
#include "support/child.hpp"
#include "support/system_calls.hpp"

namespace redlock::names_test {
namespace {

using test::eventually;
using test::Fleet;
using test::SilentAddress;

const std::string kGood = "127.0.0.1";
const std::string kSilent = "127.0.0.2";
const std::string kRefusing = "127.0.0.3";

class ServersByName : public Fleet {
 protected:
  ServersByName() : runtime_(names_.sources()), silent_(2, server(0).port()) {
    names_.know("good.test", {kGood});
  }

  LockManager locks(const std::string& name, Duration timeout = test::kPatience,
                    const std::string& database = "/0") {
    const std::string url = "redis://" + name + ':' + std::to_string(server(0).port()) + database;
    LockOptions options = once(timeout);
    options.connect_timeout = timeout;
    return LockManager(runtime_.pool(), {parse_server(url)}, options);
  }
  Outcome attempt(const std::string& name, Duration timeout = test::kPatience) {
    LockManager manager = locks(name, timeout);
    const Outcome outcome = lock(runtime_, manager);
    troubles_ = manager.troubles(outcome);
    if (outcome.decision == Decision::granted) unlock(runtime_, manager, outcome.token);
    return outcome;
  }
  void expect_trouble(Fault fault, const std::string& words) {
    ASSERT_EQ(troubles_.size(), 1U);
    EXPECT_EQ(troubles_[0].fault, fault);
    EXPECT_NE(troubles_[0].reason.find(words), std::string::npos) << troubles_[0].reason;
  }

  test::NameServer names_;
  Runtime runtime_;
  SilentAddress silent_;
  std::vector<ServerTrouble> troubles_;
};

constexpr Duration kShort = Duration::ms(50);

TEST_F(ServersByName, AreReached) { EXPECT_EQ(attempt("good.test").decision, Decision::granted); }

TEST_F(ServersByName, AreNotLookedUpForEachConnection) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(attempt("good.test").decision, Decision::granted);
    runtime_.pool().close_all();
  }
  EXPECT_EQ(names_.asked(), 2);  // For both versions of IP, once.
}

TEST_F(ServersByName, CostTheirTimeAndNoMoreWhereTheNameServerIsSilent) {
  names_.be_silent(true);
  const double took = test::real_ms(
      [this] { EXPECT_EQ(attempt("good.test", kShort).decision, Decision::unreachable); });
  expect_trouble(Fault::timeout, "resolving the host name");
  EXPECT_LT(took, 10 * kShort.as_ms());
}

TEST_F(ServersByName, AreReachedInTheEndThroughASlowNameServerThatIsAskedOnce) {
  names_.take(std::chrono::milliseconds(300));
  EXPECT_EQ(attempt("good.test", kShort).decision, Decision::unreachable);
  EXPECT_TRUE(
      eventually([this] { return attempt("good.test", kShort).decision == Decision::granted; }));
  EXPECT_EQ(names_.asked(), 2);
}

TEST_F(ServersByName, AreReachedAsSoonAsTheNameServerIsWell) {
  names_.fail(true);
  EXPECT_EQ(attempt("good.test").decision, Decision::unreachable);
  expect_trouble(Fault::resolve, "the host name cannot be resolved");
  names_.fail(false);
  EXPECT_EQ(attempt("good.test").decision, Decision::granted);
}

TEST_F(ServersByName, ThatDoNotExistAreToldApart) {
  EXPECT_EQ(attempt("nobody.test").decision, Decision::unreachable);
  expect_trouble(Fault::resolve, "the host name cannot be resolved");
}

TEST_F(ServersByName, ShareALookUp) {
  names_.take(std::chrono::milliseconds(100));
  LockManager one = locks("good.test");
  LockManager two = locks("good.test", test::kPatience, "/1");
  const OperationId first = one.begin_lock(Resource("one"), Duration::seconds(60));
  const OperationId second = two.begin_lock(Resource("two"), Duration::seconds(60));
  EXPECT_EQ(runtime_.pool().run(first).decision, Decision::granted);
  EXPECT_EQ(runtime_.pool().run(second).decision, Decision::granted);
  EXPECT_EQ(names_.asked(), 2);
}

TEST_F(ServersByName, AreReachedBehindASilentFirstAddress) {
  names_.know("two.test", {kSilent, kGood});
  EXPECT_EQ(attempt("two.test", Duration::seconds(2)).decision, Decision::granted);
}

TEST_F(ServersByName, AreReachedBehindARefusingFirstAddress) {
  names_.know("two.test", {kRefusing, kGood});
  EXPECT_EQ(attempt("two.test").decision, Decision::granted);
}

TEST_F(ServersByName, AreLookedUpAnewAfterTheirAddressWasSilent) {
  names_.know("moved.test", {kSilent});
  EXPECT_EQ(attempt("moved.test", kShort).decision, Decision::unreachable);
  expect_trouble(Fault::timeout, "connecting");
  names_.know("moved.test", {kGood});
  EXPECT_EQ(attempt("moved.test").decision, Decision::granted);
}

TEST_F(ServersByName, AreLookedUpAnewAfterTheirAddressRefused) {
  names_.know("moved.test", {kRefusing});
  EXPECT_EQ(attempt("moved.test").decision, Decision::unreachable);
  expect_trouble(Fault::refused, "refused");
  names_.know("moved.test", {kGood});
  EXPECT_EQ(attempt("moved.test").decision, Decision::granted);
}

TEST_F(ServersByName, LoseNoDescriptorBetweenTheirAddresses) {
  const std::set<int> before = test::open_descriptors();
  names_.know("three.test", {kRefusing, kSilent, kGood});
  EXPECT_EQ(attempt("three.test").decision, Decision::granted);
  EXPECT_EQ(test::open_descriptors().size(), before.size() + 1);
  runtime_.pool().close_all();
  EXPECT_EQ(test::open_descriptors(), before);
}

// A silent first address, a slow name server and an answer: every time that is looked at is of the
// clock that counts suspend.
TEST_F(ServersByName, AreReachedByOneClockAlone) {
  names_.take(std::chrono::milliseconds(50));
  names_.know("slow.test", {kSilent, kGood});
  test::SystemCalls calls;
  EXPECT_EQ(attempt("slow.test").decision, Decision::granted);
  EXPECT_GT(calls.clocks.size(), 3U);
  for (const clockid_t clock : calls.clocks) EXPECT_EQ(clock, CLOCK_BOOTTIME);
}

TEST_F(ServersByName, AreLookedUpByAChildForItselfAndTheParentsLookUpGoesOn) {
  names_.take(std::chrono::milliseconds(300));
  LockManager manager = locks("good.test");
  const std::set<int> before = test::open_descriptors();
  const OperationId id = manager.begin_lock(Resource("parent's"), Duration::seconds(60));
  EXPECT_EQ(test::exit_status_of_child([&] {
              const bool given_up = runtime_.pool().collect(id).decision == Decision::aborted;
              const bool let_go = test::open_descriptors() == before;
              return given_up && let_go && attempt("good.test").decision == Decision::granted;
            }),
            0);
  EXPECT_EQ(runtime_.pool().run(id).decision, Decision::granted);
  EXPECT_EQ(names_.asked(), 4);  // Two by each.
}

}  // namespace
}  // namespace redlock::names_test
