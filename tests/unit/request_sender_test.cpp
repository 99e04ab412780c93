// What is asked in the middle of an operation, which comes behind no look at what is idle.
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "support/fake_world.hpp"

namespace redlock::request_sender_test {
namespace {

// Asks the second server something and, when that has answered, takes the lock of the first.
class TakesLater final : public Operation {
 public:
  explicit TakesLater(std::vector<Reply>& replies) : replies_(replies) {}

  [[nodiscard]] QuorumRule quorum() const override { return QuorumRule::majority(2); }
  void start(Instant now) override { ask(NodeIndex(1), CheckEqual{Resource("r"), token_}, now); }
  void on_reply(NodeIndex node, AttemptNumber /*attempt*/, Reply reply, Instant now) override {
    replies_.push_back(std::move(reply));
    if (node == NodeIndex(0)) return;
    ask(NodeIndex(0), SetIfAbsent{Resource("r"), token_, Duration::seconds(10)}, now);
  }
  void on_time(Instant /*now*/) override {}
  void abort(Instant /*now*/) override { outcome_.emplace(); }
  [[nodiscard]] std::optional<Request> next_request() override {
    return std::exchange(request_, std::nullopt);
  }
  [[nodiscard]] std::optional<Instant> next_deadline() const override { return std::nullopt; }
  [[nodiscard]] const Outcome* outcome() const override { return outcome_ ? &*outcome_ : nullptr; }
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

 private:
  void ask(NodeIndex node, Command command, Instant now) {
    request_ = {node, 1, std::make_shared<const Command>(std::move(command)), now + kAnswerTime};
  }
  static constexpr Duration kAnswerTime = Duration::seconds(5);

  std::vector<Reply>& replies_;
  Token token_{"t"};
  std::optional<Request> request_;
  std::optional<Outcome> outcome_;
};

class ATakeThatComesLate : public test::FakeWorld {
 protected:
  // The first server's connection is unused for so long, and `happens` to it in the middle.
  template <class Happens>
  void after(Duration span, Happens happens) {
    LockOptions patient = once();
    patient.timeout = Duration::seconds(5);
    LockManager locks = manager(2, patient);
    ASSERT_EQ(lock(locks, "connects").decision, Decision::granted);
    NodeList nodes;
    for (const ServerSpec& spec : specs(2)) {
      nodes.push_back(pool_.node(spec.endpoint, patient.timeout));
    }
    server(1).answer_time = span;
    (void)pool_.begin(std::make_unique<TakesLater>(replies_), nodes);
    step_for(Duration::ms(1));
    happens();
    step_for(span + Duration::ms(1));
    ASSERT_EQ(replies_.size(), 2U);
  }
  std::vector<Reply> replies_;
};

TEST_F(ATakeThatComesLate, FindsThatTheServerHasClosedMeanwhile) {
  after(kIdleLook + Duration::ms(2), [this] { transport_.drop_connections(server(0)); });
  EXPECT_EQ(replies_.back().answer, Answer::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(ATakeThatComesLate, GoesOnANewConnectionWhereTheOldOneWasSilentForItsLimit) {
  pool_.set_idle_limit(kIdleLimitMin);
  after(kIdleLimitMin + Duration::ms(2), [this] { transport_.forget_flows(server(0)); });
  EXPECT_EQ(replies_.back().answer, Answer::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(ATakeThatComesLate, LooksFromTheMomentOnAtWhichAConnectionHasBeenSilentForLong) {
  after(kIdleLook, [this] { transport_.drop_connections(server(0)); });
  EXPECT_EQ(replies_.back().answer, Answer::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(ATakeThatComesLate, GoesOnANewConnectionFromTheLimitOfTheOldOneOn) {
  pool_.set_idle_limit(kIdleLimitMin);
  after(kIdleLimitMin, [this] { transport_.forget_flows(server(0)); });
  EXPECT_EQ(replies_.back().answer, Answer::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(ATakeThatComesLate, GoesOnTheOldConnectionBeforeItsLimit) {
  pool_.set_idle_limit(kIdleLimitMin);
  after(kIdleLimitMin - Duration::ns(1), [] {});
  EXPECT_EQ(replies_.back().answer, Answer::granted);
  EXPECT_EQ(server(0).connections_opened, 1U);
}

TEST_F(ATakeThatComesLate, KeepsAConnectionThatIsWell) {
  after(kIdleLook + Duration::ms(2), [] {});
  EXPECT_EQ(replies_.back().answer, Answer::granted);
  EXPECT_EQ(server(0).connections_opened, 1U);
}

}  // namespace
}  // namespace redlock::request_sender_test
