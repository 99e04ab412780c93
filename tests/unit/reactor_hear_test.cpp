// What becomes of pushes that nobody waits for, and of joins to servers that are backed off from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redlock/algorithm/vote_repair.hpp"
#include "redlock/lease/lease_rotation.hpp"
#include "redlock/wire/scripts.hpp"
#include "support/child.hpp"
#include "support/fake_world.hpp"
#include "support/listening.hpp"
#include "support/machine.hpp"

namespace redlock {
namespace {

using test::Arguments;
using test::FakeServer;
using test::Listening;
using test::Told;
using testing::IsEmpty;
using testing::SizeIs;

class APushForNobody : public test::FakeWorld {
 protected:
  // Somebody listens to the first two servers, for another token.
  void SetUp() override {
    for (const ServerSpec& spec : specs(2)) {
      nodes_.push_back(pool_.node(spec.endpoint, kTimeoutDefault));
    }
    ASSERT_EQ(lock(locks_, "other").decision, Decision::granted);
    (void)pool_.begin(std::make_unique<Listening>(told_, 2, Token("another")), nodes_);
    step_for(Duration::ms(1));
    ASSERT_NE(told_.channel(0), "");
  }
  void push(std::size_t node, const std::string& token) {
    transport_.publish(server(node), told_.channel(node), "granted 1 " + token);
    step_for(Duration::ms(1));
  }
  // The passes of this token that came to the server.
  std::size_t passes(std::size_t node, const std::string& token) {
    std::size_t count = 0;
    for (const Arguments& request : server(node).log) {
      const bool is_pass = request.size() >= 5 &&
                           (request[1] == scripts::pass.sha1 || request[1] == scripts::pass.text);
      if (is_pass && request[3] == "r" && request[4] == token) ++count;
    }
    return count;
  }

  Told told_;
  NodeList nodes_;
  LockManager locks_ = manager(2);
};

TEST_F(APushForNobody, IsAnsweredWhereTheTokenWasWaitedForInVain) {
  Told waiting;
  pool_.take(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
  step_for(Duration::ms(1));
  const std::size_t before = passes(0, "tok");
  push(0, "tok");
  EXPECT_EQ(passes(0, "tok"), before + 1);
  EXPECT_EQ(passes(1, "tok"), before) << "there nothing was pushed";
}

TEST_F(APushForNobody, IsAnsweredWhereTheLockWasReleased) {
  const Outcome taken = lock(locks_);
  ASSERT_EQ(taken.decision, Decision::granted);
  const std::string token(taken.token.view());
  push(0, token);
  EXPECT_EQ(passes(0, token), 0U) << "it is held";
  unlock(locks_, taken.token);
  EXPECT_EQ(passes(0, token), 1U);
  push(0, token);
  EXPECT_EQ(passes(0, token), 2U);
}

// Nothing had to be removed for that, and the fresh token is another lock.
TEST_F(APushForNobody, IsAnsweredWhereTheLockWasShortened) {
  const Outcome taken = lock(locks_);
  ASSERT_EQ(taken.decision, Decision::granted);
  const std::string token(taken.token.view());
  const auto lease_deadline = std::make_shared<LeaseDeadline>(clock_.now() + taken.validity);
  LeaseRotation shorter(locks_, Resource("r"), taken.token, Duration::ms(1'000), lease_deadline);
  const OperationId id = shorter.begin();
  pool_.run_until_done(id);
  push(0, token);
  EXPECT_EQ(passes(0, token), 0U) << "nobody knows yet what came of it";
  ASSERT_EQ(shorter.collect().decision, Decision::granted);
  push(0, token);
  EXPECT_EQ(passes(0, token), 1U);
  push(0, std::string(shorter.fresh().view()));
  EXPECT_EQ(passes(0, std::string(shorter.fresh().view())), 0U);
}

TEST_F(APushForNobody, IsNotAnsweredForALockThatIsHeldThoughItWasAskedAbout) {
  const Outcome taken = lock(locks_);
  ASSERT_EQ(taken.decision, Decision::granted);
  ASSERT_EQ(pool_.run(locks_.begin_check(Resource("r"), taken.token)).decision, Decision::granted);
  step_for(Duration::ms(1));
  const std::size_t before = server(0).log.size();
  push(0, std::string(taken.token.view()));
  EXPECT_EQ(server(0).log.size(), before);
}

TEST_F(APushForNobody, IsNotAnsweredForATokenThatIsUnknown) {
  push(0, "somebody's");
  EXPECT_EQ(passes(0, "somebody's"), 0U);
}

TEST_F(APushForNobody, IsNotAnsweredForALockWhoseVoteIsRepairedAgain) {
  server(0).answer_time = server(1).answer_time = Duration::ms(10);
  const Outcome taken = lock(locks_);
  ASSERT_EQ(taken.decision, Decision::granted);
  const std::string token(taken.token.view());
  const Command again = SetIfAbsent{Resource("r"), taken.token, Duration::seconds(10)};
  pool_.take(pool_.begin(std::make_unique<VoteRepair>(test::answer_times(2, kTimeoutDefault), again,
                                                      std::vector<NodeIndex>{NodeIndex(0)}),
                         nodes_));
  step_for(Duration::ms(30));
  push(0, token);
  step_for(Duration::ms(30));
  EXPECT_EQ(passes(0, token), 0U);
}

TEST_F(APushForNobody, IsForgottenBehindTheLatestThatWereGivenUp) {
  Told waiting;
  pool_.take(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
  for (std::size_t i = 1; i < 256; ++i) unlock(locks_, Token(std::to_string(i)));
  const std::size_t before = passes(0, "tok");
  push(0, "tok");
  EXPECT_EQ(passes(0, "tok"), before + 1);
  unlock(locks_, Token("the last"));
  push(0, "tok");
  EXPECT_EQ(passes(0, "tok"), before + 1);
}

TEST_F(APushForNobody, IsNotAnsweredByAChildWhereItsParentGaveTheLockUp) {
  Told waiting;
  pool_.take(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
  step_for(Duration::ms(1));
  EXPECT_EQ(test::exit_status_of_child([&] {
              const NodeList own_nodes{pool_.node(specs(1)[0].endpoint, kTimeoutDefault)};
              told_ = Told();
              (void)pool_.begin(std::make_unique<Listening>(told_, 1, Token("own")), own_nodes);
              LockManager own_locks = manager(1);
              lock(own_locks, "own");
              step_for(Duration::ms(1));
              const std::size_t before = passes(0, "tok");
              push(0, "tok");
              return !told_.channel(0).empty() && passes(0, "tok") == before;
            }),
            0);
}

// At the end of a request nobody listens any more, and what was pushed meanwhile is given back.
TEST_F(APushForNobody, IsReadAndAnsweredAtTheEndOfARequest) {
  Told waiting;
  pool_.take(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
  pool_.abort_all();
  const std::size_t before = passes(0, "tok");
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  pool_.deliver();
  EXPECT_EQ(passes(0, "tok"), before + 1);
}

TEST_F(APushForNobody, IsAnsweredAtTheEndOfARequestThoughTheNetworkHasForgottenTheConnection) {
  pool_.set_idle_limit(Duration::seconds(5));
  Told waiting;
  pool_.take(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
  pool_.abort_all();
  step_for(Duration::ms(1));
  const std::size_t before = passes(0, "tok");
  clock_.advance(Duration::seconds(5));
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  transport_.forget_flows(server(0));
  pool_.deliver();
  EXPECT_EQ(passes(0, "tok"), before + 1);
}

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
  (void)pool_.take(id);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(passes(i), 1U) << i;
}

TEST_F(AnUnansweredJoin, OfALockThatIsGrantedIsNotUndone) {
  const OperationId id = wait();
  step_for(kTimeoutDefault + Duration::ms(5));
  told_.is_granted = true;
  pool_.step(clock_.now());
  EXPECT_EQ(pool_.take(id).decision, Decision::granted);
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
  (void)pool_.take(id);
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
  pool_.take(id);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).count("EVAL"), 2U) << i;
}

}  // namespace
}  // namespace redlock
