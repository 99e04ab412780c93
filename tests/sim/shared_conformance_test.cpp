// Shared locks and the commands that their scripts need: the simulated server does the same as
// redis-server.
#include <initializer_list>

#include "sim/conformance.hpp"

namespace redlock::sim::shared_conformance_test {
namespace {

// Times of the two differ a little, so only what does not hang on them is compared.
class SharedConformance : public ConformanceTest {
 protected:
  SharedConformance() {
    for (const Script* one :
         {&scripts::pass, &scripts::join, &scripts::extend_if_equal, &scripts::swap_if_equal,
          &scripts::check_equal, &scripts::share_if_free, &scripts::promote, &scripts::demote,
          &scripts::raise_fence}) {
      load(*one);
    }
    same({"SUBSCRIBE", "c1"}, 1);
    same({"SUBSCRIBE", "c2"}, 2);
  }
  void same_state() {
    same({"GET", "k"});
    same_within_tolerance({"PTTL", "k"});
    same_within_tolerance({"PTTL", "k:redlock:readers"});
    same({"ZCARD", "k:redlock:readers"});
    same({"ZCARD", "k:redlock:line"});
    same({"HGET", "k:redlock:waiters", "!"});
  }
  void step(const Script& one, Words arguments) {
    arguments.insert(arguments.begin(), "k");
    script(one, arguments);
    same_state();
  }
  void join_as_reader(std::string_view token, std::string_view ticket, std::string_view channel) {
    (void)ask(by_sha(scripts::join, {"k", token, "50000", ticket, channel, "1", "1", "r"}));
    same_state();
  }
};

TEST_F(SharedConformance, CommandsOnScoresAnswerAlike) {
  same({"ZADD", "z", "1", "a", "2.5", "b", "1700000000123", "c", "0", "d"});
  for (const std::string_view who : {"a", "b", "c", "d", "none"}) same({"ZSCORE", "z", who});
  same({"ZSCORE", "none", "a"});
  same({"ZCOUNT", "z", "1", "+inf"});
  same({"ZCOUNT", "z", "(1", "+inf"});
  same({"ZCOUNT", "z", "-inf", "(2.5"});
  same({"ZCOUNT", "none", "0", "1"});
  same({"ZCOUNT", "z", "x", "1"});
  same({"ZREMRANGEBYSCORE", "z", "1", "1700000000122"});
  same({"ZRANGE", "z", "0", "-1"});
  same({"ZRANGE", "z", "-1", "-1", "WITHSCORES"});
  same({"ZRANGE", "none", "0", "1", "WITHSCORES"});
  same({"ZREMRANGEBYSCORE", "z", "-inf", "+inf"});
  same({"EXISTS", "z"});
  same({"ZREMRANGEBYSCORE", "none", "0", "1"});
  same({"SET", "s", "v"});
  same_refusal({"ZSCORE", "s", "a"});
  same_refusal({"ZCOUNT", "s", "0", "1"});
  same_refusal({"ZREMRANGEBYSCORE", "s", "0", "1"});
}

TEST_F(SharedConformance, WhoCouldNotLeaveAgainGetsNoSharedLock) {
  ASSERT_EQ(ask({"ACL", "SETUSER", "default", "-zscore"}).real, "+OK\r\n");
  const Answers answers = ask(by_sha(scripts::share_if_free, {"k", "a", "50000"}));
  EXPECT_EQ(answers.real.front(), '-') << answers.real;
  EXPECT_EQ(ask({"GET", "k"}).real, "$-1\r\n");
}

TEST_F(SharedConformance, ReadersComeAndGoAlike) {
  step(scripts::share_if_free, {"a", "50000"});
  step(scripts::share_if_free, {"b", "90000"});
  step(scripts::share_if_free, {"c", "50000", "7", "90000"});
  step(scripts::raise_fence, {"c", "8", "90000"});
  step(scripts::check_equal, {"a"});
  step(scripts::check_equal, {"x"});
  step(scripts::extend_if_equal, {"a", "120000"});
  step(scripts::extend_if_equal, {"x", "120000"});
  step(scripts::swap_if_equal, {"a", "d", "30000"});
  step(scripts::pass, {"b"});
  step(scripts::pass, {"b"});
  step(scripts::pass, {"c", "0"});
  step(scripts::pass, {"d"});
}

TEST_F(SharedConformance, PromotionsAndDemotionsAreAlike) {
  step(scripts::share_if_free, {"a", "90000"});
  step(scripts::share_if_free, {"b", "50000"});
  step(scripts::promote, {"a", "A", "50000"});
  step(scripts::pass, {"b"});
  step(scripts::promote, {"a", "A", "50000"});
  step(scripts::promote, {"x", "X", "50000"});
  step(scripts::share_if_free, {"b", "50000"});
  step(scripts::pass, {"A", "0"});
  step(scripts::promote, {"a", "B", "50000"});
  step(scripts::pass, {"a"});
  step(scripts::demote, {"B"});
  step(scripts::demote, {"B"});
  step(scripts::demote, {"x"});
  step(scripts::pass, {"B"});
}

TEST_F(SharedConformance, LinesWithReadersAreServedAlike) {
  same({"SET", "k", "h", "PX", "50000"});
  join_as_reader("r1", "1", "c1");
  join_as_reader("r2", "2", "c2");
  step(scripts::pass, {"h"});
  same_push(1);
  same_push(2);
  (void)ask(by_sha(scripts::join, {"k", "w", "50000", "3", "c1", "1", "1"}));
  same_state();
  step(scripts::share_if_free, {"late", "50000"});
  step(scripts::pass, {"r1"});
  step(scripts::pass, {"r2"});
  same_push(1);
  step(scripts::demote, {"w"});
  step(scripts::pass, {"w"});
}

}  // namespace
}  // namespace redlock::sim::shared_conformance_test
