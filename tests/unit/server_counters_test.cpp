// What is counted of a server, where it happens.
#include "redlock/net/server_counters.hpp"

#include <gtest/gtest.h>

#include "support/child.hpp"
#include "support/fake_world.hpp"

namespace redlock::server_counters_test {
namespace {

using test::exit_status_of_child;
using test::FakeWorld;

RoundTrips round_trips(std::initializer_list<std::int64_t> took_us) {
  ServerCounters counters;
  for (const std::int64_t us : took_us) counters.note_round_trip(Duration::us(us));
  return counters.read().round_trips;
}

TEST(Percentile, IsTheLowestBoundUnderWhichSoManyStay) {
  EXPECT_EQ(percentile(round_trips({1}), 50), Duration::us(50));
  EXPECT_EQ(percentile(round_trips({50, 51}), 50), Duration::us(50));
  EXPECT_EQ(percentile(round_trips({50, 51}), 51), Duration::us(100));
  EXPECT_EQ(percentile(round_trips({60, 70, 1'500, 70}), 99), Duration::ms(2));
  EXPECT_EQ(percentile(round_trips({60, 70, 1'500, 70}), 75), Duration::us(100));
}

TEST(Percentile, OfManyIsExactToOne) {
  RoundTrips many{};
  many[0] = 999;
  many[1] = 1'001;
  EXPECT_EQ(percentile(many, 50), Duration::us(kRoundTripBoundsUs[1]));
  ++many[0];
  EXPECT_EQ(percentile(many, 50), Duration::us(kRoundTripBoundsUs[1]));
  ++many[0];
  EXPECT_EQ(percentile(many, 50), Duration::us(kRoundTripBoundsUs[0]));
}

TEST(Percentile, OfNothingIsNothing) { EXPECT_EQ(percentile(RoundTrips{}, 50), std::nullopt); }

TEST(Percentile, WhatIsBeyondAllBoundsStaysUnderTheLast) {
  const RoundTrips beyond = round_trips({4'000'000'000'000});
  EXPECT_EQ(percentile(beyond, 99), Duration::seconds(3'600));
}

TEST(ServerBook, ForgetsOnlyWhomNobodyAsksAnyMore) {
  ServerBook book;
  const auto kept = book.counters_of("kept");
  kept->note_connect();
  std::size_t most = 0;
  for (std::size_t i = 0; i < 3 * kServersCounted; ++i) {
    (void)book.counters_of(std::to_string(i));
    std::size_t known = 0;
    book.for_each([&known](const std::string&, const ServerNumbers&) { ++known; });
    most = std::max(most, known);
  }
  EXPECT_EQ(most, kServersCounted);
  EXPECT_EQ(book.counters_of("kept"), kept);
}

TEST(ServerBook, ForgetsNobodyWhoIsAskedForThoughItIsFull) {
  ServerBook book;
  book.counters_of("first")->note_connect();
  for (std::size_t i = 1; i < kServersCounted; ++i) (void)book.counters_of(std::to_string(i));
  EXPECT_EQ(book.counters_of("first")->read().connects, 1U);
}

TEST(ServerBook, AChildOfAForkCountsFromNothing) {
  ServerBook book;
  ServerCounters& counters = *book.counters_of("s");
  counters.note_request();
  counters.note_connect();
  counters.note_round_trip(Duration::ms(1));
  counters.note_trouble(Fault::closed, Instant::from_ns(1));
  EXPECT_EQ(exit_status_of_child([&book, &counters] {
              bool nothing = true;
              book.for_each([&](const std::string&, const ServerNumbers& numbers) {
                const ServerNumbers none;
                nothing = nothing && numbers.requests == 0 && numbers.connects == 0 &&
                          numbers.errors == none.errors &&
                          numbers.round_trips == none.round_trips && !numbers.troubled_at;
              });
              counters.note_request();
              book.for_each([&](const std::string&, const ServerNumbers& numbers) {
                nothing = nothing && numbers.requests == 1;
              });
              return nothing;
            }),
            0);
}

class CountedServers : public FakeWorld {
 protected:
  CountedServers() {
    for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::us(300);
  }
  ServerNumbers numbers(std::size_t i) { return book_.counters_of(name(i))->read(); }
  std::uint64_t errors(std::size_t i, Fault fault) {
    return numbers(i).errors[static_cast<std::size_t>(fault)];
  }
  // Waits for every server, as a lock and its release do not.
  Outcome inspect() { return pool_.run(locks_.begin_inspect(Resource("r"))); }

  ServerBook book_;
  LockManager locks_{pool_, std::make_shared<const LockPlan>(specs(3), once(), &book_)};
};

TEST_F(CountedServers, RequestsConnectsAndRoundTripsAreCounted) {
  for (int i = 0; i < 10; ++i) (void)inspect();
  const ServerNumbers first = numbers(0);
  EXPECT_EQ(first.requests, 10U);
  EXPECT_EQ(first.connects, 1U);
  EXPECT_EQ(first.troubled_at, std::nullopt);
  EXPECT_EQ(percentile(first.round_trips, 1), Duration::us(500));
  EXPECT_EQ(percentile(first.round_trips, 99), Duration::us(500));
}

TEST_F(CountedServers, ThoseWhoShareAConnectionCountInTheSame) {
  LockManager others(pool_, specs(3), once());
  EXPECT_EQ(lock(others, "before").decision, Decision::granted);
  (void)inspect();
  EXPECT_EQ(lock(others, "r").decision, Decision::granted);
  EXPECT_EQ(numbers(0).requests, 3U);
}

TEST_F(CountedServers, ASilentServerIsATimeOut) {
  server(2).stopped = true;
  const Instant before = clock_.now();
  (void)inspect();
  EXPECT_EQ(errors(2, Fault::timeout), 1U);
  EXPECT_EQ(numbers(2).troubled_at, before + kTimeoutDefault);
  EXPECT_EQ(percentile(numbers(2).round_trips, 50), std::nullopt);
  EXPECT_EQ(errors(0, Fault::timeout), 0U);
}

TEST_F(CountedServers, AServerThatIsNotThereIsCountedByItsFault) {
  server(1).reach = test::FakeServer::Reach::refuses;
  (void)inspect();
  EXPECT_EQ(errors(1, server(1).refusal), 1U);
  EXPECT_EQ(numbers(1).connects, 0U);
}

TEST_F(CountedServers, AnErrorOfTheServerIsCountedByItsFault) {
  (void)inspect();
  server(1).say = [](const test::Arguments&) { return "-LOADING it is\r\n"; };
  clock_.advance(Duration::ms(5));
  (void)inspect();
  (void)inspect();
  EXPECT_EQ(errors(1, Fault::loading), 2U);
  EXPECT_GT(numbers(1).troubled_at, Instant());
  EXPECT_EQ(numbers(1).connects, 1U);
}

// When it came nobody knows: PHP was busy.
TEST_F(CountedServers, AnAnswerThatNobodyWaitedForIsNoRoundTrip) {
  server(2).answer_time = Duration::us(700);
  for (int i = 0; i < 3; ++i) {
    const Token token = lock(locks_).token;
    clock_.advance(Duration::ms(7));
    unlock(locks_, token);
    clock_.advance(Duration::ms(20));
  }
  const RoundTrips of = numbers(2).round_trips;
  EXPECT_LE(percentile(of, 99).value_or(Duration()), Duration::ms(1));
  EXPECT_EQ(numbers(2).requests, 6U);
}

TEST_F(CountedServers, ManyThatTravelTogetherAreOneRoundTrip) {
  (void)inspect();
  const std::uint64_t before = numbers(0).round_trips[3];
  std::vector<OperationId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(locks_.begin_inspect(Resource("r")));
  for (const OperationId id : ids) (void)pool_.run(id);
  EXPECT_EQ(numbers(0).round_trips[3], before + 1);
  EXPECT_EQ(numbers(0).requests, 11U);
}

}  // namespace
}  // namespace redlock::server_counters_test
