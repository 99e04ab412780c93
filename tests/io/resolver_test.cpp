// Host names to addresses: numbers at once, names by a shared look-up, answers remembered for a
// while.
#include "redlock/os/resolver.hpp"

#include <gtest/gtest.h>

#include "io/support/descriptors.hpp"
#include "io/support/eventually.hpp"
#include "io/support/name_server.hpp"
#include "support/machine.hpp"

namespace redlock::resolver_test {
namespace {

using test::eventually;
using test::t;

constexpr std::uint16_t kPort = 6379;
const std::string kName = "a.test";

class Resolving : public testing::Test {
 protected:
  Resolving() {
    names_.know(kName, {"127.0.0.2", "127.0.0.3"});
    // No answer is there before the test has seen that there is none.
    names_.take(std::chrono::milliseconds(20));
  }

  std::shared_ptr<Resolver::Job> begin(const std::string& name, Instant now) {
    Resolver::Answer answer = resolver_.resolve(name, kPort, now);
    EXPECT_NE(answer.job, nullptr);
    return answer.job;
  }
  Resolution finish(const std::shared_ptr<Resolver::Job>& job, Instant now) {
    std::optional<Resolution> found;
    EXPECT_TRUE(eventually([&] { return (found = resolver_.drive(*job, now)).has_value(); }));
    return found.value_or(Resolution());
  }
  [[nodiscard]] bool known(Instant now) {
    return !resolver_.resolve(kName, kPort, now).known.addresses.empty();
  }
  // Of the machine's own name, which is known without asking: a name more to be remembered.
  void resolve_numbered(std::size_t i) {
    const auto port = static_cast<std::uint16_t>(i + 1);
    EXPECT_FALSE(resolver_.resolve("localhost", port, t(0)).known.addresses.empty());
  }

  test::NameServer names_;
  Resolver resolver_{names_.sources()};
};

TEST_F(Resolving, NumbersAreKnownAtOnce) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    const Resolver::Answer answer = resolver_.resolve(host, kPort, t(0));
    EXPECT_EQ(answer.job, nullptr) << host;
    EXPECT_EQ(answer.known.addresses.size(), 1U) << host;
  }
  EXPECT_EQ(names_.asked(), 0);
}

TEST_F(Resolving, ANameIsRememberedForAWhileFromTheQuestionOn) {
  const Resolution found = finish(begin(kName, t(0)), t(5));
  EXPECT_EQ(found.addresses.size(), 2U);
  EXPECT_EQ(found.failure, "");
  EXPECT_TRUE(known(t(0) + kResolvedFor - test::kOneNs));
  names_.be_silent(true);
  EXPECT_FALSE(known(t(0) + kResolvedFor));
}

TEST_F(Resolving, CallersOfOneNameShareItsLookUp) {
  names_.be_silent(true);
  const auto job = begin(kName, t(0));
  EXPECT_EQ(begin(kName, t(1)), job);
  EXPECT_EQ(begin(kName, t(0) + kResolvedFor - test::kOneNs), job);
}

TEST_F(Resolving, AnAnswerThatCameAfterItsCallerWentServesTheNextOne) {
  begin(kName, t(0)).reset();
  EXPECT_TRUE(eventually([this] { return known(t(60)); }));
  EXPECT_EQ(names_.asked(), 2);  // For both versions of IP, once.
}

TEST_F(Resolving, WhatWasAskedLongAgoIsAskedAnew) {
  names_.be_silent(true);
  const auto job = begin(kName, t(0));
  EXPECT_NE(begin(kName, t(0) + kResolvedFor), job);
}

TEST_F(Resolving, AnAnswerToWhatWasAskedLongAgoIsNotRemembered) {
  const auto job = begin(kName, t(0));
  EXPECT_EQ(finish(job, t(0) + kResolvedFor).addresses.size(), 2U);
  names_.be_silent(true);
  EXPECT_FALSE(known(t(0) + kResolvedFor));
}

TEST_F(Resolving, WhatNobodyFetchedForLongGivesItsDescriptorsBackWhateverIsAskedNext) {
  const std::set<int> before = test::open_descriptors();
  names_.be_silent(true);
  begin(kName, t(0)).reset();
  EXPECT_NE(test::open_descriptors(), before);
  EXPECT_EQ(resolver_.resolve("127.0.0.1", kPort, t(0) + kResolvedFor).job, nullptr);
  EXPECT_EQ(test::open_descriptors(), before);
}

TEST_F(Resolving, TheEndOfAnOldLookUpLeavesANewOneOfTheSameNameAlone) {
  const Instant later = t(0) + kResolvedFor;
  const auto old = begin(kName, t(0));
  const auto latest = begin(kName, later);
  finish(old, later);
  const Resolver::Answer answer = resolver_.resolve(kName, kPort, later);
  EXPECT_TRUE(answer.job == latest || !answer.known.addresses.empty());
}

TEST_F(Resolving, AFailureSaysWhy) {
  EXPECT_EQ(finish(begin("nobody.test", t(0)), t(0)).failure,
            "the host name cannot be resolved: Domain name not found");
}

TEST_F(Resolving, AFailureIsNotRemembered) {
  names_.fail(true);
  EXPECT_FALSE(finish(begin(kName, t(0)), t(0)).failure.empty());
  names_.fail(false);
  EXPECT_EQ(finish(begin(kName, t(0)), t(0)).addresses.size(), 2U);
}

TEST_F(Resolving, AFailureThatCameAfterItsCallerWentIsNotGivenToTheNextOne) {
  const auto job = begin("nobody.test", t(0));
  ASSERT_TRUE(eventually([&] { return resolver_.drive(*job, t(0)).has_value(); }));
  EXPECT_NE(begin("nobody.test", t(1)), job);
}

TEST_F(Resolving, AFailureThatLiesUnreadIsNotGivenToTheNextOneEither) {
  const auto job = begin("nobody.test", t(0));
  EXPECT_TRUE(eventually([&] {
    const bool same = begin("nobody.test", t(1)) == job;
    EXPECT_FALSE(same && job->look_up.done());
    return !same;
  }));
}

TEST_F(Resolving, AddressesThatLedNowhereAreForgotten) {
  finish(begin(kName, t(0)), t(0));
  ASSERT_TRUE(known(t(1)));
  names_.be_silent(true);
  resolver_.forget(kName, kPort);
  EXPECT_FALSE(known(t(1)));
}

TEST_F(Resolving, NamesAreRememberedUpToTheBound) {
  finish(begin(kName, t(0)), t(0));
  names_.be_silent(true);
  for (std::size_t i = 1; i < kResolvedNamesMax; ++i) resolve_numbered(i);
  EXPECT_TRUE(known(t(0)));
  resolve_numbered(kResolvedNamesMax);
  EXPECT_FALSE(known(t(0)));
}

TEST_F(Resolving, AddressesToBeginWithAreRememberedUpToTheBound) {
  const Resolution found = finish(begin(kName, t(0)), t(0));
  const SocketAddress& second = found.addresses.at(1);
  const auto begins_with_second = [&] {
    return resolver_.resolve(kName, kPort, t(1)).known.addresses.at(0) == second;
  };
  resolver_.prefer(kName, kPort, second);
  for (std::size_t i = 1; i < kResolvedNamesMax; ++i) {
    resolver_.prefer(std::to_string(i) + ".test", kPort, second);
  }
  EXPECT_TRUE(begins_with_second());
  resolver_.prefer("one-more.test", kPort, second);
  EXPECT_FALSE(begins_with_second());
}

TEST_F(Resolving, TheAddressToBeginWithOutlivesTheLookUp) {
  const Resolution found = finish(begin(kName, t(0)), t(0));
  ASSERT_EQ(found.addresses.size(), 2U);
  resolver_.prefer(kName, kPort, found.addresses[1]);
  EXPECT_EQ(resolver_.resolve(kName, kPort, t(1)).known.addresses[0], found.addresses[1]);
  resolver_.forget(kName, kPort);
  const Resolution again = finish(begin(kName, t(2)), t(2));
  ASSERT_EQ(again.addresses.size(), 2U);
  EXPECT_EQ(again.addresses[0], found.addresses[1]);
  EXPECT_EQ(again.addresses[1], found.addresses[0]);
}

TEST_F(Resolving, PortsOfOneHostAreLookedUpEachForItself) {
  const auto one = resolver_.resolve(kName, 1, t(0)).job;
  const auto two = resolver_.resolve(kName, 2, t(0)).job;
  EXPECT_NE(one, two);
}

TEST_F(Resolving, LookUpsThatNobodyWaitsForMakeRoomAndOthersDoNot) {
  names_.be_silent(true);
  const std::set<int> before = test::open_descriptors();
  std::vector<std::shared_ptr<Resolver::Job>> waiting;
  for (std::size_t i = 0; i < kLookUpsMax + 10; ++i) {
    begin(std::to_string(i) + ".test", t(static_cast<int>(i)));
  }
  EXPECT_LE(test::open_descriptors().size(), before.size() + kLookUpsMax);
  resolver_.forget_all();
  for (std::size_t i = 0; i < kLookUpsMax; ++i) {
    waiting.push_back(begin(std::to_string(i) + ".test", t(0)));
  }
  const Resolver::Answer refused = resolver_.resolve("one-more.test", kPort, t(0));
  EXPECT_EQ(refused.job, nullptr);
  EXPECT_EQ(refused.known.failure, "too many host names are being resolved");
}

TEST_F(Resolving, OfLookUpsThatNobodyWaitsForTheOldestMakesRoom) {
  names_.be_silent(true);
  const auto begin_numbered = [this](std::size_t i) {
    return begin(std::to_string(i) + ".test", t(static_cast<int>(i)));
  };
  std::vector<std::weak_ptr<Resolver::Job>> jobs;
  for (std::size_t i = 0; i <= kLookUpsMax; ++i) jobs.emplace_back(begin_numbered(i));
  EXPECT_TRUE(jobs.front().expired());
  EXPECT_FALSE(jobs[kLookUpsMax - 1].expired());
}

TEST_F(Resolving, AChildLooksUpNamesForItself) {
  const Resolution found = finish(begin(kName, t(0)), t(0));
  resolver_.prefer(kName, kPort, found.addresses.at(1));
  resolver_.forget_all();
  ASSERT_FALSE(known(t(1)));
  const Resolution again = finish(begin(kName, t(2)), t(2));
  EXPECT_EQ(again.addresses.at(0), found.addresses.at(0)) << "nor does it prefer an address";
}

TEST_F(Resolving, AfterAForkNothingIsLeft) {
  const std::set<int> before = test::open_descriptors();
  names_.be_silent(true);
  begin(kName, t(0)).reset();
  resolver_.forget_all();
  EXPECT_EQ(test::open_descriptors(), before);
}

}  // namespace
}  // namespace redlock::resolver_test
