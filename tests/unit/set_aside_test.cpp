// Joins: where they are asked, and what undoes those that are unanswered.
#include "redlock/net/set_aside.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_world.hpp"
#include "support/listening.hpp"
#include "support/machine.hpp"

namespace redlock::set_aside_test {
namespace {

using test::Arguments;
using test::FakeServer;
using test::Listening;
using test::Told;
using testing::SizeIs;

class AJoin : public test::FakeWorld {
 protected:
  AJoin() {
    told_.join = [](std::size_t node, const std::string& channel) -> Command {
      return Enqueue{Resource("r"), Token("tok"), Duration::seconds(10),
                     LineEntry{1, channel, node + 1}};
    };
    for (std::size_t i = 0; i < 3; ++i) {
      nodes_.push_back(pool_.node(specs(3)[i].endpoint, kTimeoutDefault));
      server(i).say = [](const Arguments& request) -> std::optional<std::string> {
        if (request.size() == 10) return std::string(test::kGranted);
        return std::nullopt;
      };
    }
  }
  OperationId wait() {
    return pool_.begin(std::make_unique<Listening>(told_, 3, Token("tok")), nodes_);
  }

  Told told_;
  NodeList nodes_;
};

TEST_F(AJoin, ToAServerThatIsBackedOffFromIsAnsweredAtOnce) {
  LockManager locks = manager(3);
  server(2).reach = FakeServer::Reach::refuses;
  ASSERT_EQ(lock(locks, "other").decision, Decision::granted);
  server(2).reach = FakeServer::Reach::accepts;
  wait();
  step_for(Duration::ms(1));
  ASSERT_THAT(told_.replies, SizeIs(3));
  const auto unsent = std::ranges::count_if(told_.replies, [](const Reply& reply) {
    return reply.answer == Answer::unknown && !reply.sent && reply.fault == Fault::connect;
  });
  EXPECT_EQ(unsent, 1);
}

// Or whoever waits for less than the backoff would leave without having asked.
TEST_F(AJoin, ToAServerThatIsBackedOffFromIsSentWhereTheOthersAreNoMajority) {
  LockManager locks = manager(3);
  for (const std::size_t i : {1U, 2U}) server(i).reach = FakeServer::Reach::refuses;
  ASSERT_EQ(lock(locks, "other").decision, Decision::unreachable);
  for (const std::size_t i : {1U, 2U}) server(i).reach = FakeServer::Reach::accepts;
  wait();
  step_for(Duration::ms(1));
  ASSERT_THAT(told_.replies, SizeIs(3));
  for (const Reply& reply : told_.replies) EXPECT_EQ(reply.answer, Answer::granted);
}

TEST_F(AJoin, ThatIsUnansweredDoesNotHoldItsConnectionUntilTheWaitIsOver) {
  server(0).say = [](const Arguments& request) -> std::optional<std::string> {
    if (request.size() == 10) return "";
    return std::nullopt;
  };
  const OperationId id = wait();
  step_for(kTimeoutDefault + Duration::ms(250));
  EXPECT_FALSE(pool_.done(id));
  LockManager locks = manager(1);
  EXPECT_EQ(lock(locks, "other").decision, Decision::granted);
}

class AnUnansweredJoin : public AJoin {
 protected:
  AnUnansweredJoin() {
    for (std::size_t i = 0; i < 3; ++i) {
      server(i).say = [](const Arguments& request) -> std::optional<std::string> {
        if (request.size() == 10) return "";
        return std::nullopt;
      };
    }
  }
  std::size_t passes(std::size_t node) { return server(node).count("EVAL") - 1; }
};

// Nothing is asked any more, and so no connection is opened that would carry it.
TEST_F(AnUnansweredJoin, IsUndoneBehindItWhenTheWaitIsOver) {
  const OperationId id = wait();
  step_for(kTimeoutDefault + Duration::ms(5));
  ASSERT_FALSE(pool_.done(id));
  ASSERT_EQ(told_.replies.size(), 3U);
  (void)pool_.collect(id);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(passes(i), 1U) << i;
}

TEST_F(AnUnansweredJoin, OfALockThatIsGrantedIsNotUndone) {
  const OperationId id = wait();
  step_for(kTimeoutDefault + Duration::ms(5));
  told_.is_granted = true;
  pool_.step(clock_.now());
  EXPECT_EQ(pool_.collect(id).decision, Decision::granted);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(passes(i), 0U) << i;
  EXPECT_EQ(transport_.open_count(), 3U);
}

// Of one wait after the other, and each stays.
TEST_F(AnUnansweredJoin, KeepsTwoConnectionsOfAServerOpenAtMost) {
  const std::size_t listeners = 3;
  for (int i = 0; i < 6; ++i) {
    (void)wait();
    step_for(kTimeoutDefault + kBackoffMax);
    EXPECT_LE(transport_.open_count(), listeners + 3 * 2) << i;
  }
  EXPECT_EQ(server(0).connections_opened, 1 + 6U);
}

// The wait may go on for hours.
TEST_F(AJoin, ThatItsServerAnswersLateKeepsNoConnectionOpen) {
  for (std::size_t i = 0; i < 3; ++i) {
    server(i).say = [&late = server(i)](const Arguments& request) -> std::optional<std::string> {
      late.answer_time = request.size() == 10 ? Duration::ms(100) : Duration();
      if (request.size() == 10) return std::string(test::kGranted);
      return std::nullopt;
    };
  }
  LockManager locks = manager(3);
  ASSERT_EQ(lock(locks, "before").decision, Decision::granted);
  const OperationId id = wait();
  step_for(Duration::ms(75));
  ASSERT_EQ(lock(locks, "while it is silent there").decision, Decision::granted);
  const std::size_t listeners = 3;
  EXPECT_EQ(transport_.open_count(), listeners + 3 + 3);
  step_for(Duration::ms(50));
  ASSERT_EQ(lock(locks, "behind its answer").decision, Decision::granted);
  EXPECT_EQ(transport_.open_count(), listeners + 3);
  const std::size_t before = server(0).log.size();
  (void)pool_.collect(id);
  EXPECT_EQ(server(0).log.size(), before + 1) << "undone on the connection that there is";
}

// The release that was unanswered before travels with a join, and its refusal comes when nobody
// waits for it any more.
TEST_F(AJoin, ThatIsAnsweredLateLosesNoRemovalThatWasRefusedWithIt) {
  LockManager locks = manager(3);
  const Token held = lock(locks, "held").token;
  std::size_t releases = 0;
  server(0).say = [&, &late = server(0)](const Arguments& request) -> std::optional<std::string> {
    const bool joins = request.size() == 10;
    const bool releases_it =
        request.size() >= 5 && request[3] == "held" && request[4] == held.view();
    late.answer_time = Duration();
    if (releases_it && ++releases == 1) return "";
    if (joins || (releases_it && releases == 2)) late.answer_time = kTimeoutDefault * 2;
    if (joins) return std::string(test::kGranted);
    if (releases_it && releases == 2) return "-MISCONF it cannot persist to disk\r\n";
    return std::nullopt;
  };
  EXPECT_EQ(unlock(locks, held, "held").decision, Decision::granted);
  step_for(kTimeoutDefault + kBackoffMax);
  (void)wait();
  step_for(kTimeoutDefault * 3);
  ASSERT_EQ(releases, 2U);
  ASSERT_EQ(server(0).keys.count("held"), 1U);
  EXPECT_EQ(lock(locks, "behind the refusal").decision, Decision::granted);
  step_for(kRepeatPause);
  EXPECT_EQ(lock(locks, "behind the pause").decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_EQ(server(0).keys.count("held"), 0U);
}

TEST_F(AJoin, GoesOnANewConnectionWhereTheOldOneWasSilentForItsLimit) {
  pool_.set_idle_limit(Duration::seconds(5));
  wait();
  step_for(Duration::ms(1));
  ASSERT_THAT(told_.replies, SizeIs(3));
  // A network that forgets both: the listener finds out, and its new channel is joined with.
  transport_.forget_flows(server(0));
  step_for(Duration::seconds(30));
  ASSERT_THAT(told_.replies, SizeIs(4));
  EXPECT_EQ(told_.replies.back().answer, Answer::granted);
}

TEST_F(AJoin, ThatWasSentIsGivenUpWhateverIsKeptBackMeanwhile) {
  const OperationId id = wait();
  step_for(Duration::ms(1));
  pool_.collect(id);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).count("EVAL"), 2U) << i;
}

}  // namespace
}  // namespace redlock::set_aside_test
