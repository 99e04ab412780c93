// Of many releases that nobody waits for, one is waited for.
#include "redlock/lease/async_releases.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/fake_world.hpp"
#include "support/machine.hpp"

namespace redlock::async_releases_test {
namespace {

using test::FakeServer;
using test::FakeWorld;
using test::kOneNs;

class AsyncTest : public FakeWorld {
 protected:
  Token token_of(LockManager& locks, int i) { return lock(locks, std::to_string(i)).token; }
  // Was it waited for?
  bool waits_for(LockManager& locks, int i, const Token& token) {
    return time_of([&] { releases_.send(locks, Resource(std::to_string(i)), token); }) > Duration();
  }
  // Locks of so many resources, all released one after the other; how often somebody waited.
  int waits_among(int count, Duration apart = {}) {
    LockManager locks = manager(3);
    std::vector<Token> tokens;
    for (int i = 0; i < count; ++i) tokens.push_back(token_of(locks, i));
    int waits = 0;
    for (int i = 0; i < count; ++i) {
      waits += waits_for(locks, i, tokens[static_cast<std::size_t>(i)]) ? 1 : 0;
      clock_.advance(apart);
    }
    return waits;
  }

  AsyncReleases releases_;
};

TEST_F(AsyncTest, AFewReleasesWaitForNobody) {
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(1);
  EXPECT_EQ(waits_among(2), 0);
  step_for(Duration::ms(5));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
}

TEST_F(AsyncTest, BehindSoManyBytesEveryServerIsWaitedFor) {
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(1);
  const int waits = waits_among(300);
  EXPECT_GE(waits, 300 / 80);
  EXPECT_LE(waits, 300 / 20);
  step_for(Duration::ms(5));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(server(i).keys.empty()) << i;
}

TEST_F(AsyncTest, BehindEightKibibytesTheServerIsWaitedForAndNotSooner) {
  server(0).answer_time = Duration::ms(1);
  LockManager locks = manager(1);
  // On a connection on which all is answered.
  const auto release = [&](std::size_t token_bytes, auto send) {
    pool_.close_all();
    lock(locks, "connects");
    return send(Token(std::string(token_bytes, 't')));
  };
  const std::size_t bytes = release(7'000, [&](const Token& token) {
    pool_.collect(locks.begin_unlock(Resource("0"), token));
    return locks.unanswered_bytes();
  });
  const std::size_t enough = 7'000 + 8 * 1'024 - bytes;
  const auto waits = [&](const Token& token) { return waits_for(locks, 0, token); };
  EXPECT_FALSE(release(enough - 1, waits));
  EXPECT_TRUE(release(enough, waits));
}

// The first release on a connection carries its script, and bytes count, not releases.
TEST_F(AsyncTest, BehindTheFirstFewOnAConnectionNobodyIsWaitedFor) {
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(1);
  EXPECT_EQ(waits_among(10), 0);
  pool_.close_all();
  EXPECT_EQ(waits_among(10), 0);
}

TEST_F(AsyncTest, WhereAnswersAreReadInBetweenNobodyIsWaitedFor) {
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(1);
  LockManager locks = manager(3);
  for (int i = 0; i < 300; ++i) {
    const Token token = token_of(locks, i);
    EXPECT_FALSE(waits_for(locks, i, token)) << i;
    step_for(Duration::ms(2));
  }
}

// And no further call is made.
TEST_F(AsyncTest, ServersThatStandStillAreSentEverythingAndCarryItOutAsTheyGoOn) {
  for (const int count : {4, 30, 300}) {
    LockManager locks = manager(3);
    std::vector<Token> tokens;
    for (int i = 0; i < count; ++i) tokens.push_back(token_of(locks, i));
    for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
    for (int i = 0; i < count; ++i) {
      releases_.send(locks, Resource(std::to_string(i)), tokens[static_cast<std::size_t>(i)]);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      transport_.resume(server(i));
      server(i).stopped = false;
      EXPECT_TRUE(server(i).keys.empty()) << count << " on " << i;
    }
    pool_.close_all();
    clock_.advance(kPauseAfterSilence);
  }
}

TEST_F(AsyncTest, SoAreServersThatAreBackedOffFrom) {
  LockManager locks = manager(3);
  std::vector<Token> tokens;
  for (int i = 0; i < 30; ++i) tokens.push_back(token_of(locks, i));
  for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
  ASSERT_EQ(lock(locks, "other").decision, Decision::unreachable);
  for (int i = 0; i < 30; ++i) {
    releases_.send(locks, Resource(std::to_string(i)), tokens[static_cast<std::size_t>(i)]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    transport_.resume(server(i));
    EXPECT_TRUE(server(i).keys.empty()) << i;
  }
}

// The connection is given up in each gap, and again in the next one.
TEST_F(AsyncTest, SoAreThoseThatAreReleasedWithGaps) {
  for (const int many : {1, 301}) {
    LockManager locks = manager(3);
    std::vector<Token> tokens;
    for (int i = 0; i < many + 6; ++i) tokens.push_back(token_of(locks, i));
    for (std::size_t i = 0; i < 3; ++i) server(i).stopped = true;
    for (int i = 0; i < many + 6; ++i) {
      releases_.send(locks, Resource(std::to_string(i)), tokens[static_cast<std::size_t>(i)]);
      // The server is backed off from when each second one goes.
      if (i >= many && i % 2 == 0) clock_.advance(kTimeoutDefault + Duration::ms(5));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      transport_.resume(server(i));
      EXPECT_TRUE(server(i).keys.empty()) << "behind " << many << " on " << i;
    }
    pool_.close_all();
    clock_.advance(kPauseAfterSilence);
  }
}

// Nor for others' servers, whatever they are owed.
TEST_F(AsyncTest, AServerThatCannotBeConnectedToIsWaitedForOnceInAWhileForHalfOfATimeout) {
  LockOptions patient = once();
  patient.timeout = kTimeoutDefault * 10;
  std::vector<ServerSpec> others = specs(4);
  LockManager theirs(pool_, {others[3]}, patient);
  LockManager locks = manager(3);
  const Token foreign = token_of(theirs, 0);
  std::vector<Token> tokens;
  for (int i = 0; i < 300; ++i) tokens.push_back(token_of(locks, i));
  for (const std::size_t i : {2U, 3U}) {
    transport_.drop_connections(server(i));
    server(i).reach = FakeServer::Reach::vanishes;
  }
  step_for(Duration::ms(1));
  (void)pool_.collect(theirs.begin_unlock(Resource("0"), foreign));
  Duration longest;
  int waits = 0;
  for (int i = 0; i < 300; ++i) {
    const Duration span = time_of([&] {
      releases_.send(locks, Resource(std::to_string(i)), tokens[static_cast<std::size_t>(i)]);
    });
    waits += span > Duration() ? 1 : 0;
    longest = std::max(longest, span);
    clock_.advance(Duration::ns(kPauseAfterSilence.count_ns() / 400));
  }
  EXPECT_EQ(waits, 1);
  EXPECT_EQ(longest, Duration::ns(kTimeoutDefault.count_ns() / 2));
}

TEST_F(AsyncTest, AServerThatStandsStillIsWaitedForOnceInAWhile) {
  server(2).stopped = true;
  // Backing off from it is over each time.
  const Duration apart = Duration::ns(kPauseAfterSilence.count_ns() / 400);
  EXPECT_LE(waits_among(300, apart), 1);
  clock_.advance(kPauseAfterSilence);
  EXPECT_LE(waits_among(300, apart), 1);
}

TEST_F(AsyncTest, AServerThatLeftItUnansweredIsWaitedForAgainTenSecondsLaterAndNotSooner) {
  LockManager locks = manager(1);
  // One release is enough, on a connection that stands; the server has gone silent behind that.
  const auto waits = [&] {
    server(0).stopped = false;
    pool_.close_all();
    lock(locks, "connects");
    server(0).stopped = true;
    return waits_for(locks, 0, Token(std::string(kBytesAsyncMax, 't')));
  };
  ASSERT_TRUE(waits());
  const Instant again = clock_.now() + kPauseAfterSilence;
  clock_.advance_to(again - kOneNs);
  ASSERT_FALSE(waits());
  ASSERT_EQ(clock_.now(), again - kOneNs) << "the fakes take no time";
  clock_.advance_to(again);
  EXPECT_TRUE(waits());
}

TEST_F(AsyncTest, AServerThatCannotBeConnectedToIsWaitedForAgainTenSecondsLaterAndNotSooner) {
  LockManager locks = manager(1);
  server(0).reach = test::FakeServer::Reach::vanishes;
  ASSERT_TRUE(waits_for(locks, 0, Token("t")));
  const Instant again = clock_.now() + kPauseAfterSilence;
  clock_.advance_to(again - kOneNs);
  EXPECT_FALSE(waits_for(locks, 1, Token("t")));
  clock_.advance_to(again);
  EXPECT_TRUE(waits_for(locks, 2, Token("t")));
}

}  // namespace
}  // namespace redlock::async_releases_test
