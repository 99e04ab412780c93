// In which order a turn does what is due in it, and what of it concerns whom.
#include <gtest/gtest.h>

#include <memory>

#include "support/fake_world.hpp"
#include "support/scripted.hpp"

namespace redlock::reactor_turn_test {
namespace {

using test::Arguments;
using test::FakeServer;
using test::Scene;
using test::Scripted;

class ATurn : public test::FakeWorld {
 protected:
  NodeList nodes(std::size_t count, Duration timeout = kTimeoutDefault) {
    NodeList nodes;
    for (const ServerSpec& spec : specs(count)) nodes.push_back(pool_.node(spec.endpoint, timeout));
    return nodes;
  }
  OperationId begin(const NodeList& nodes) {
    return pool_.begin(std::make_unique<Scripted>(scene_, nodes.size()), nodes);
  }
  static Command check() { return CheckEqual{Resource("r"), Token("t")}; }

  Scene scene_;
};

TEST_F(ATurn, TellsThatAServerCannotBeHeardBeforeItTellsThatTimeIsOver) {
  server(0).stopped = true;
  scene_.listens = true;
  scene_.due_at = clock_.now() + kConnectTimeoutDefault;
  std::optional<std::size_t> heard_before;
  scene_.due = [&](Scripted&, Instant) { heard_before = scene_.subscription_states.size(); };
  begin(nodes(1));
  step_for(kConnectTimeoutDefault);
  ASSERT_TRUE(heard_before);
  EXPECT_EQ(*heard_before, 1U);
  EXPECT_EQ(scene_.subscription_states.front().fault, Fault::timeout);
}

// Who asks again in the very turn in which an answer is overdue.
TEST_F(ATurn, ClosesWhatIsGivenUpBeforeAnybodyAsksAgain) {
  server(0).stopped = true;
  scene_.begun = [](Scripted& operation, Instant now) {
    operation.ask(0, 1, check(), now + kTimeoutDefault);
  };
  scene_.due_at = clock_.now() + kTimeoutDefault;
  scene_.due = [this](Scripted& operation, Instant now) {
    server(0).stopped = false;
    operation.ask(0, 2, check(), now + kTimeoutDefault);
  };
  begin(nodes(1));
  step_for(kTimeoutDefault + Duration::ms(1));
  ASSERT_EQ(scene_.replies.size(), 2U);
  EXPECT_EQ(scene_.replies[0].fault, Fault::timeout);
  EXPECT_EQ(scene_.replies[1].answer, Answer::denied);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

// An answer came in time and has not been read, for time went on behind the look.
TEST_F(ATurn, GivesNoConnectionUpForTheTimeThatWentOnSinceItLooked) {
  server(0).answer_time = Duration::ms(245);
  scene_.begun = [](Scripted& operation, Instant now) {
    operation.ask(0, 1, check(), now + kTimeoutDefault);
  };
  const NodeList node = nodes(1);
  begin(node);
  pool_.step(clock_.now());
  clock_.advance(Duration::ms(244));
  begin(node);
  clock_.advance(kTimeoutDefault - Duration::ms(244) - Duration::us(1));
  clock_.per_reading = Duration::us(2);
  begin(node);
  clock_.per_reading = Duration();
  pool_.step(clock_.now());
  EXPECT_EQ(scene_.replies.size(), 1U);
  EXPECT_EQ(server(0).connections_opened, 1U);
}

// It is an attempt of its own, and its servers are no help to those that were hedged in another.
TEST_F(ATurn, InWhichAJoinIsAskedForKeepsBackWhatWasKeptBackBefore) {
  LockManager locks = manager(3);
  server(2).reach = FakeServer::Reach::refuses;
  ASSERT_EQ(lock(locks, "other").decision, Decision::granted);
  server(2).reach = FakeServer::Reach::accepts;
  server(0).say = [](const Arguments& request) -> std::optional<std::string> {
    if (request.size() == 10) return std::string(test::kGranted);
    return std::nullopt;
  };
  for (std::size_t i = 0; i < 2; ++i) server(i).answer_time = Duration::ms(240);
  scene_.begun = [](Scripted& operation, Instant now) {
    for (std::size_t i = 0; i < 3; ++i) operation.ask(i, 1, check(), now + kTimeoutDefault);
    operation.ask(0, 2,
                  Enqueue{Resource("r"), Token("t"), Duration::seconds(10), LineEntry{1, "c", 1}},
                  now + kTimeoutDefault);
  };
  begin(nodes(3));
  step_for(kTimeoutDefault * 2);
  EXPECT_EQ(scene_.replies.size(), 4U);
  EXPECT_EQ(server(2).count("EVAL"), 1U);
}

// What is sent behind the verdict was not meant when it was made.
TEST_F(ATurn, BehindTheVerdictARemovalThatIsAskedForIsRepeatedAsItWasWhereItsScriptIsUnknown) {
  const StampRelease release{Resource("r"), Token("1.5"), Duration(), StampUnit::milliseconds,
                             StampProof::exact_or_plain};
  scene_.begun = [&](Scripted& operation, Instant now) {
    operation.ask(0, 1, release, now + kTimeoutDefault);
  };
  begin(nodes(1));
  step_for(Duration::ms(1));
  ASSERT_EQ(scene_.replies.size(), 1U);
  const Arguments as_it_was = server(0).log.back();
  server(0).known_scripts.clear();
  server(0).answer_time = Duration::ms(20);
  for (std::size_t i = 1; i < 4; ++i) {
    server(i).answer_time = Duration::ms(static_cast<std::int64_t>(10 * i));
  }
  scene_.begun = [](Scripted& operation, Instant now) {
    for (std::size_t i = 1; i < 4; ++i) operation.ask(i, 1, check(), now + kTimeoutDefault);
  };
  scene_.answered = [&](Scripted& operation, std::size_t node, Instant now) {
    if (node == 1) operation.decide();
    if (node == 2) operation.ask(0, 2, release, now + kTimeoutDefault);
  };
  begin(nodes(4));
  step_for(Duration::ms(100));
  ASSERT_EQ(scene_.replies.size(), 5U);
  ASSERT_EQ(server(0).log.size(), 3U) << "by its name, and by its text";
  EXPECT_EQ(server(0).log.back(), as_it_was);
}

}  // namespace
}  // namespace redlock::reactor_turn_test
