// What leases need beyond RedLock's verbs: owners' names, attempts of their own, a look at who
// holds.
#include <gtest/gtest.h>

#include "redlock/algorithm/holding.hpp"
#include "support/fake_world.hpp"
#include "support/refusal.hpp"

namespace redlock::locked_by_name_test {
namespace {

using test::refusal;

constexpr Duration kTtl = Duration::ms(10'000);

class LockedByNameTest : public test::FakeWorld {
 protected:
};

TEST_F(LockedByNameTest, AnOwnersNameStandsInTheTokenOfEachAttemptAndIsReadFromIt) {
  LockManager locks = manager(3);
  const auto take = [&](const std::string& resource, const std::string& owner) {
    return pool_.run(locks.begin_lock(Resource(resource), kTtl, once().retry, LockExtras{owner}))
        .token;
  };
  const Token mine = take("r1", "import:7");
  EXPECT_EQ(owner_of(mine), "import:7");
  EXPECT_TRUE(mine.view().starts_with("import:7:"));
  EXPECT_NE(take("r2", "import:7"), mine);
  EXPECT_EQ(owner_of(take("r3", "")), "");
  EXPECT_EQ(server(0).keys["r1"], mine.view());
  EXPECT_EQ(refusal([&] { take("r4", std::string(kOwnerBytesMax + 1, 'o')); }),
            "owner must be at most 256 bytes long");
}

TEST_F(LockedByNameTest, OnlyATokenOfOursHasAnOwner) {
  const std::string digits(32, 'a');
  EXPECT_EQ(owner_of(Token("me:" + digits)), "me");
  for (const std::string& token :
       {digits, "me:" + digits + "a", "me:" + digits.substr(1), "me:" + std::string(32, 'g'),
        std::string("me"), std::string()}) {
    EXPECT_EQ(owner_of(Token(token)), "") << token;
  }
}

TEST_F(LockedByNameTest, AttemptsOfItsOwnTakeThePlaceOfThePlans) {
  LockManager locks = manager(3);
  for (std::size_t i = 0; i < 3; ++i) server(i).keys["r"] = "somebody else's";
  const auto tried = [&](const RetryPolicy& retry) {
    const Instant began = clock_.now();
    EXPECT_EQ(pool_.run(locks.begin_lock(Resource("r"), kTtl, retry)).decision, Decision::denied);
    return clock_.now() - began;
  };
  EXPECT_EQ(tried(RetryPolicy::waiting(Duration(), 200)), Duration());
  EXPECT_EQ(tried(RetryPolicy::waiting(Duration::ms(500), 200)), Duration::ms(500));
  EXPECT_EQ(refusal([&] {
              (void)locks.begin_lock(Resource("r"), kTtl,
                                     RetryPolicy::waiting(Duration::ms(-1), 200));
            }),
            "wait must be at least 0");
}

TEST_F(LockedByNameTest, WhatStandsThereIsToldByEveryServer) {
  LockManager locks = manager(3);
  const Outcome taken = lock(locks);
  server(2).keys["r"] = "somebody else's";
  const Outcome seen = pool_.run(locks.begin_inspect(Resource("r")));
  ASSERT_EQ(seen.nodes.size(), 3U);
  EXPECT_EQ(seen_by(seen.nodes[0]).holding->token, taken.token);
  EXPECT_EQ(seen_by(seen.nodes[2]).holding->token, Token("somebody else's"));
  EXPECT_EQ(seen_by_majority(seen).holding->token, taken.token);
}

}  // namespace
}  // namespace redlock::locked_by_name_test
