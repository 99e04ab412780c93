// What becomes of pushes that nobody waits for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/vote_repair.hpp"
#include "redlock/lease/lease_rotation.hpp"
#include "redlock/wire/scripts.hpp"
#include "support/child.hpp"
#include "support/fake_world.hpp"
#include "support/listening.hpp"
#include "support/machine.hpp"

namespace redlock::push_router_test {
namespace {

using test::Arguments;
using test::Listening;
using test::Told;

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
  pool_.collect(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
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
  const QuorumKind kind(Resource("r"), Duration::seconds(10), 0);
  pool_.collect(
      pool_.begin(std::make_unique<VoteRepair>(test::answer_times(2, kTimeoutDefault), kind,
                                               taken.token, std::vector<NodeIndex>{NodeIndex(0)}),
                  nodes_));
  step_for(Duration::ms(30));
  push(0, token);
  step_for(Duration::ms(30));
  EXPECT_EQ(passes(0, token), 0U);
}

TEST_F(APushForNobody, IsForgottenBehindTheLatestThatWereGivenUp) {
  Told waiting;
  pool_.collect(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
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
  pool_.collect(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
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
  pool_.collect(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
  pool_.abort_all();
  const std::size_t before = passes(0, "tok");
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  pool_.deliver();
  EXPECT_EQ(passes(0, "tok"), before + 1);
}

TEST_F(APushForNobody, IsAnsweredAtTheEndOfARequestThoughTheNetworkHasForgottenTheConnection) {
  pool_.set_idle_limit(Duration::seconds(5));
  Told waiting;
  pool_.collect(pool_.begin(std::make_unique<Listening>(waiting, 2, Token("tok")), nodes_));
  pool_.abort_all();
  step_for(Duration::ms(1));
  const std::size_t before = passes(0, "tok");
  clock_.advance(Duration::seconds(5));
  transport_.publish(server(0), told_.channel(0), "granted 1 tok");
  transport_.forget_flows(server(0));
  pool_.deliver();
  EXPECT_EQ(passes(0, "tok"), before + 1);
}

}  // namespace
}  // namespace redlock::push_router_test
