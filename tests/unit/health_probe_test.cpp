// Servers that are asked about themselves, on a network in memory.
#include "redlock/locks/health_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "redlock/wire/facts.hpp"
#include "support/fake_world.hpp"

namespace redlock::health_probe_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class HealthProbeTest : public test::FakeWorld {
 protected:
  static std::optional<std::string> healthy(const test::Arguments& request) {
    if (request.front() == "TIME") {
      return "*2\r\n" + test::bulk("1700000000") + test::bulk("0");
    }
    if (request.front() == "ROLE") return "*1\r\n" + test::bulk("master");
    if (request.front() == "INFO") return test::bulk("redis_version:7.0.15\r\n");
    return test::error("ERR unknown command");
  }
  std::vector<Examined> examine_servers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!server(i).say) server(i).say = healthy;
    }
    return examine(ServerPlan(specs(count), {Duration::ms(50)}, {}), transport_, clock_, entropy_);
  }
};

TEST_F(HealthProbeTest, EveryServerIsAskedEverythingOnOneConnectionThatEnds) {
  const auto seen = examine_servers(2);
  ASSERT_THAT(seen, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(seen[i].trouble.fault, Fault::none);
    EXPECT_EQ(seen[i].trouble.server, name(i));
    EXPECT_EQ(seen[i].facts.role, "master");
    EXPECT_EQ(seen[i].facts.version, "7.0.15");
    EXPECT_THAT(server(i).log, SizeIs(questions().size()));
    EXPECT_EQ(server(i).connections_opened, 1U);
  }
  EXPECT_EQ(transport_.open_count(), 0U);
}

TEST_F(HealthProbeTest, WhatAServerDoesNotKnowIsUntoldAndEndsNothing) {
  const auto seen = examine_servers(1);
  EXPECT_THAT(seen[0].facts.untold,
              ElementsAre(HasSubstr("maxmemory-policy"), HasSubstr("appendfsync"),
                          HasSubstr("save"), HasSubstr("ACL WHOAMI")));
}

TEST_F(HealthProbeTest, TheRoundTripIsTheShortestAndTheOthersAreNotWaitedForByIt) {
  server(0).answer_time = Duration::ms(20);
  const Duration took = time_of([&] {
    const auto seen = examine_servers(2);
    EXPECT_EQ(seen[0].facts.round_trip_us, 20'000);
    EXPECT_LT(seen[1].facts.round_trip_us, 20'000);
    EXPECT_TRUE(seen[0].facts.clock_ahead_us);
  });
  EXPECT_LT(took, Duration::ms(30) * static_cast<std::int64_t>(questions().size()));
}

TEST_F(HealthProbeTest, TheShortestRoundTripTellsHowFarTheServersClockIsAhead) {
  // Each answer about the time takes as long as the next of these, and says another hour.
  const std::vector<std::int64_t> takes_ms = {9, 5, 3, 7, 4};
  std::size_t asked = 0;
  const std::int64_t now_s = wall_us() / 1'000'000;
  server(0).say = [&](const test::Arguments& request) -> std::optional<std::string> {
    if (request.front() != "TIME") return healthy(request);
    server(0).answer_time = Duration::ms(takes_ms.at(asked));
    const std::int64_t ahead_s = 3'600 * static_cast<std::int64_t>(++asked);
    return "*2\r\n" + test::bulk(std::to_string(now_s + ahead_s)) + test::bulk("0");
  };
  const ServerFacts facts = examine_servers(1)[0].facts;
  EXPECT_EQ(asked, takes_ms.size());
  EXPECT_EQ(facts.round_trip_us, 3'000);
  EXPECT_NEAR(static_cast<double>(facts.clock_ahead_us.value_or(0)), 3 * 3'600e6, 600e6);
}

TEST_F(HealthProbeTest, EveryServerIsGivenTheTimeOfItsOwn) {
  std::vector<ServerSpec> servers = specs(3);
  for (std::size_t i = 0; i < 3; ++i) {
    servers[i].timeout = Duration::ms(10 + static_cast<std::int64_t>(i));
    server(i).stopped = true;
  }
  const auto seen =
      examine(ServerPlan(servers, {Duration::ms(50)}, {}), transport_, clock_, entropy_);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(seen.at(i).trouble.reason,
                HasSubstr("timed out after " + std::to_string(10 + i) + " ms"));
  }
}

TEST_F(HealthProbeTest, AServerThatIsDownIsNamedAndTheOthersAreAsked) {
  server(0).reach = test::FakeServer::Reach::refuses;
  server(0).refusal = Fault::refused;
  server(1).reach = test::FakeServer::Reach::vanishes;
  server(2).stopped = true;
  const auto seen = examine_servers(4);
  EXPECT_EQ(seen[0].trouble.fault, Fault::refused);
  EXPECT_FALSE(seen[0].trouble.reason.empty());
  EXPECT_EQ(seen[1].trouble.fault, Fault::timeout);
  EXPECT_EQ(seen[2].trouble.fault, Fault::timeout);
  EXPECT_THAT(seen[2].trouble.reason, HasSubstr("timed out after 50 ms"));
  EXPECT_EQ(seen[3].trouble.fault, Fault::none);
}

TEST_F(HealthProbeTest, AServerThatFallsSilentIsLeftWithWhatItHasSaid) {
  server(0).say = [](const test::Arguments& request) -> std::optional<std::string> {
    return request.front() == "TIME" ? "" : healthy(request);
  };
  const auto seen = examine_servers(1);
  EXPECT_EQ(seen[0].trouble.fault, Fault::timeout);
  EXPECT_EQ(seen[0].facts.role, "master");
  EXPECT_EQ(seen[0].facts.round_trip_us, std::nullopt);
}

TEST_F(HealthProbeTest, NonsenseBehindTheLastAnswerIsToldToo) {
  std::size_t answered = 0;
  server(0).say = [&](const test::Arguments& request) {
    const std::optional<std::string> answer = healthy(request);
    return ++answered == questions().size() ? *answer + "?\r\n" : answer;
  };
  EXPECT_EQ(examine_servers(1)[0].trouble.fault, Fault::protocol);
}

TEST_F(HealthProbeTest, AServerThatTalksNonsenseIsGivenUp) {
  server(0).say = [](const test::Arguments&) { return std::optional<std::string>("?\r\n"); };
  EXPECT_EQ(examine_servers(1)[0].trouble.fault, Fault::protocol);
}

// As of a stream that has taken a whole record off its socket and hands out a part of it.
class HalvesAnswers final : public test::FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  Wants wants(ConnectionId connection, bool has_output) override {
    return {true, has_output, !rest_[connection].empty()};
  }
  IoResult receive(ConnectionId connection, std::span<char> into) override {
    if (std::exchange(waits_, false)) return {};
    std::string& rest = rest_[connection];
    if (rest.empty()) {
      const IoResult came = FakeTransport::receive(connection, into);
      if (came.state != IoState::progress || came.bytes < 2) return came;
      rest.assign(into.data() + came.bytes / 2, into.data() + came.bytes);
      waits_ = true;
      return {IoState::progress, came.bytes / 2, {}};
    }
    const std::size_t size = rest.copy(into.data(), into.size());
    rest.erase(0, size);
    return {IoState::progress, size, {}};
  }

 private:
  std::map<ConnectionId, std::string> rest_;
  bool waits_ = false;  // The next reading brings nothing.
};

TEST_F(HealthProbeTest, WhatNoSocketShowsAnyMoreIsReadAtOnce) {
  HalvesAnswers halves(clock_);
  halves.server(name(0)).say = healthy;
  // Has nothing of the kind, and is asked beside it.
  halves.server(name(1)).stopped = true;
  const auto seen = examine(ServerPlan(specs(2), {Duration::ms(50)}, {}), halves, clock_, entropy_);
  EXPECT_EQ(seen[0].trouble.fault, Fault::none);
  EXPECT_EQ(seen[0].facts.role, "master");
  EXPECT_EQ(seen[0].facts.round_trip_us, 0);
  EXPECT_EQ(seen[1].trouble.fault, Fault::timeout);
}

}  // namespace
}  // namespace redlock::health_probe_test
