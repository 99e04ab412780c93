// Removals on connections that are too old, or were closed for that: the network may have forgotten
// them, and nobody waits for the answer that would tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "redlock/algorithm/quorum_commands.hpp"
#include "support/fake_world.hpp"
#include "support/listening.hpp"
#include "support/resp.hpp"
#include "support/scripted.hpp"

namespace redlock::outdated_test {
namespace {

using test::Arguments;
using test::FakeWorld;

// The pool stands in line at three servers, may be in two lines.
class AWaitThatIsGivenUp : public FakeWorld {
 protected:
  void SetUp() override {
    pool_.set_idle_limit(kLimit);
    stand_at("1");
    id_ = wait("r");
    step_for(Duration::ms(1));
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_GT(joins(i, "r"), 0) << i;
      ASSERT_EQ(passes(i), 0) << i;
    }
  }
  // The place in line that is answered.
  void stand_at(const std::string& place) {
    for (std::size_t i = 0; i < 3; ++i) {
      server(i).keys["r"] = server(i).keys["q"] = "somebody else's";
      server(i).say = [place](const Arguments& request) -> std::optional<std::string> {
        if (request.size() == 10) return test::bulk("9000000 " + place + " 17000000000");
        return std::nullopt;
      };
    }
  }
  OperationId wait(const std::string& resource) {
    const Duration ttl = Duration::seconds(30);
    return locks_.begin_wait(Resource(resource), ttl, Duration::seconds(60), 100);
  }
  [[nodiscard]] std::int64_t joins(std::size_t i, const std::string& resource) {
    return std::ranges::count_if(server(i).log, [&](const Arguments& request) {
      return request.size() == 10 && request[3] == resource;
    });
  }
  // Those that leave the line: whoever takes without waiting passes in a form of his own.
  [[nodiscard]] std::int64_t passes(std::size_t i, const std::string& resource = "r") {
    return std::ranges::count_if(server(i).log, [&](const Arguments& request) {
      return request.size() == 5 && request[3] == resource;
    });
  }
  [[nodiscard]] std::size_t opened(std::size_t i) { return server(i).connections_opened; }
  void forget_server_0() {
    clock_.advance(kLimit);
    transport_.forget_flows(server(0));
  }

  static constexpr Duration kLimit = Duration::seconds(5);
  LockManager locks_ = manager(3);
  OperationId id_ = 0;
};

TEST_F(AWaitThatIsGivenUp, IsGivenUpAtOnceThoughTheNetworkMayHaveForgottenIt) {
  clock_.advance(kLimit);
  pool_.collect(id_);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(passes(i), 1) << i;
}

TEST_F(AWaitThatIsGivenUp, IsGivenUpAtOnceBehindAnotherThatWas) {
  const OperationId other = wait("q");
  step_for(Duration::ms(1));
  ASSERT_GT(joins(0, "q"), 0);
  clock_.advance(kLimit);
  pool_.collect(id_);
  pool_.collect(other);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(passes(i, "q"), 1) << i;
}

TEST_F(AWaitThatIsGivenUp, IsGivenUpAtTheEndOfTheRequestWhereTheNetworkHasForgottenIt) {
  forget_server_0();
  pool_.collect(id_);
  EXPECT_EQ(passes(0), 0);
  pool_.deliver();
  EXPECT_EQ(passes(0), 1);
}

TEST_F(AWaitThatIsGivenUp, IsGivenUpAtTheEndOfTheProcessWhereTheNetworkHasForgottenIt) {
  forget_server_0();
  pool_.collect(id_);
  pool_.close_all();
  EXPECT_EQ(passes(0), 1);
}

TEST_F(AWaitThatIsGivenUp, IsGivenUpBeforeWhatIsAskedNextWhereTheNetworkHasForgottenIt) {
  forget_server_0();
  pool_.collect(id_);
  LockManager alone = manager(1);
  const OperationId asked = alone.begin_check(Resource("other"), Token("t"));
  EXPECT_EQ(pool_.run(asked).decision, Decision::denied) << "and not unreachable";
  EXPECT_EQ(passes(0), 1);
}

TEST_F(AWaitThatIsGivenUp, TakesOneNewConnectionToBeGivenUpOn) {
  const std::size_t before = opened(0);
  forget_server_0();
  pool_.collect(id_);
  server(0).answer_time = Duration::ms(10);
  pool_.deliver();
  LockManager alone = manager(1);
  pool_.run(alone.begin_check(Resource("other"), Token("t")));
  EXPECT_EQ(opened(0), before + 1);
}

TEST_F(AWaitThatIsGivenUp, IsGivenUpOnceWhereAnAnswerTells) {
  clock_.advance(kLimit);
  pool_.collect(id_);
  step_for(Duration::ms(1));
  const std::size_t before = opened(0);
  pool_.deliver();
  EXPECT_EQ(lock(locks_, "other").decision, Decision::granted);
  EXPECT_EQ(passes(0), 1);
  EXPECT_EQ(opened(0), before);
}

TEST_F(AWaitThatIsGivenUp, KeepsItsConnectionWhereTheAnswerLiesThereBeforeItIsUsedAgain) {
  clock_.advance(kLimit);
  pool_.collect(id_);
  clock_.advance(Duration::ms(1));
  const std::size_t before = opened(0);
  pool_.run(locks_.begin_check(Resource("other"), Token("t")));
  EXPECT_EQ(passes(0), 1);
  EXPECT_EQ(opened(0), before);
}

// It lay there, unread, before the removal was sent.
TEST_F(AWaitThatIsGivenUp, IsGivenUpAtTheEndOfTheRequestWhateverWasAnsweredBefore) {
  server(0).answer_time = Duration::seconds(1);
  pool_.collect(locks_.begin_check(Resource("other"), Token("t")));
  forget_server_0();
  pool_.collect(id_);
  pool_.deliver();
  EXPECT_EQ(passes(0), 1);
}

TEST_F(AWaitThatIsGivenUp, IsGivenUpAtTheEndOfTheRequestWhereItEndedByItsTime) {
  // Who stands so far behind asks every ten seconds.
  stand_at("100");
  const OperationId brief =
      locks_.begin_wait(Resource("q"), Duration::seconds(30), kLimit + Duration::seconds(2), 100);
  step_for(kLimit + Duration::seconds(3));
  ASSERT_TRUE(pool_.done(brief));
  pool_.collect(brief);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(passes(i, "q"), 0) << "its connections were closed";
  pool_.deliver();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(passes(i, "q"), 1) << i;
}

TEST_F(AWaitThatIsGivenUp, IsGivenUpOnceWhereItsConnectionsAreNotTooOld) {
  clock_.advance(kLimit - Duration::ms(2));
  server(0).answer_time = Duration::ms(10);
  pool_.collect(id_);
  const std::size_t before = opened(0);
  pool_.deliver();
  EXPECT_EQ(passes(0), 1);
  EXPECT_EQ(opened(0), before);
}

using AnOutdatedConnection = FakeWorld;

// Somebody asks the second server for long, and then takes at the first, where a wait was given up
// meanwhile.
TEST_F(AnOutdatedConnection, IsNotTakenOnInTheMiddleOfAnOperation) {
  pool_.set_idle_limit(Duration::seconds(5));
  const Duration patient = Duration::seconds(100);
  const NodeList nodes{pool_.node(specs(2)[0].endpoint, patient),
                       pool_.node(specs(2)[1].endpoint, patient)};
  server(1).answer_time = Duration::seconds(5) + Duration::ms(5);
  test::Scene scene;
  scene.begun = [](test::Scripted& asking, Instant) {
    asking.ask(0, 1, CheckEqual{Resource("r"), Token("t")}, Instant::never());
    asking.ask(1, 1, CheckEqual{Resource("r"), Token("t")}, Instant::never());
  };
  scene.answered = [](test::Scripted& asking, std::size_t node, Instant now) {
    if (node == 0) return;
    const Duration ttl = Duration::seconds(10);
    asking.ask(0, 2, SetIfAbsent{Resource("r"), Token("tok"), ttl}, now + Duration::ms(50));
  };
  const OperationId id = pool_.begin(std::make_unique<test::Scripted>(scene, nodes.size()), nodes);
  test::Told told;
  const OperationId wait =
      pool_.begin(std::make_unique<test::Listening>(told, 1, Token("w")), nodes);
  step_for(Duration::ms(1));
  clock_.advance(Duration::seconds(5) + Duration::ms(1));
  transport_.forget_flows(server(0));
  pool_.collect(wait);
  step_for(Duration::ms(10));
  EXPECT_TRUE(server(0).keys.contains("r"));
  pool_.collect(id);
}

}  // namespace
}  // namespace redlock::outdated_test
