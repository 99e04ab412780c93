// The scripts of lines, pass and join: the simulated server does and tells the same as
// redis-server.
#include <array>
#include <charconv>
#include <initializer_list>

#include "sim/conformance.hpp"
#include "sim/record/deed.hpp"

namespace redlock::sim::line_conformance_test {
namespace {

constexpr std::string_view kLine = "lock:redlock:line";
constexpr std::string_view kWaiters = "lock:redlock:waiters";
constexpr std::string_view kTtl = "50000";

// A number at the front of the text, which is taken off with the blank behind it.
double take_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  EXPECT_EQ(error, std::errc()) << text;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  return number;
}

// Connection 0 asks; 1, 2 and 3 listen to the channels "c1", "c2" and "c3".
class LineConformance : public ConformanceTest {
 protected:
  LineConformance() {
    for (const Script* one : {&scripts::pass, &scripts::join, &scripts::extend_if_equal}) {
      load(*one);
    }
    for (std::size_t i = 1; i < kConnections; ++i) {
      same({"SUBSCRIBE", kChannels[i]}, i);
    }
  }

  // Answers that hang on the clock: what is left of the key, whether it is the first, the clock.
  static void alike(const Answers& answers) {
    if (answers.real.find("ACL failure") != std::string::npos) return refused_alike(answers);
    if (!answers.real.starts_with('$')) {
      EXPECT_EQ(answers.simulated, answers.real);
      return;
    }
    ASSERT_TRUE(answers.simulated.starts_with('$')) << answers.simulated;
    std::string_view real = text_of(answers.real);
    std::string_view simulated = text_of(answers.simulated);
    EXPECT_NEAR(take_number(simulated), take_number(real), kToleranceMs);
    EXPECT_EQ(take_number(simulated), take_number(real));
    EXPECT_NEAR(take_number(simulated), take_number(real), kToleranceMs);
    EXPECT_EQ(simulated, real);
  }
  static std::string_view text_of(std::string_view bulk) {
    bulk.remove_prefix(std::min(bulk.find('\n') + 1, bulk.size()));
    return bulk.substr(0, bulk.find('\r'));
  }
  Answers join(std::string_view token, std::string_view ticket, std::string_view channel,
               std::string_view echo = "7", std::string_view policy = "1") {
    const Answers answers =
        ask(by_sha(scripts::join, {"lock", token, kTtl, ticket, channel, echo, policy}));
    alike(answers);
    return answers;
  }
  void pass(std::string_view token) { script(scripts::pass, {"lock", token}); }
  // `next`, whose number hangs on the clock.
  void same_next(std::size_t connection) {
    const Answers answers = pushed(connection);
    const auto word = [](std::string_view push) {
      const std::size_t at = push.find("next ");
      EXPECT_NE(at, push.npos) << push;
      return push.substr(std::min(at, push.size() - 5) + 5);
    };
    std::string_view real = word(answers.real);
    std::string_view simulated = word(answers.simulated);
    EXPECT_NEAR(take_number(simulated), take_number(real), kToleranceMs);
    EXPECT_EQ(simulated, real);
  }
  // Both keep the same line, and nobody was told anything else.
  void same_line() {
    same({"ZRANGE", kLine, "0", "-1"});
    same({"GET", "lock"});
    for (const std::string_view token : {"t1", "t2", "t3", "dead"}) {
      const Answers answers = ask({"HGET", kWaiters, token});
      const auto whole = [](std::string_view told) {
        return told.starts_with("$-") ? told : text_of(told).substr(0, text_of(told).rfind(' '));
      };
      EXPECT_EQ(whole(answers.simulated), whole(answers.real));
    }
    same({"HGET", kWaiters, ""});
    for (const std::string_view key : {std::string_view("lock"), kLine, kWaiters}) {
      same_within_tolerance({"PTTL", key});
    }
    for (std::size_t i = 1; i < kConnections; ++i) {
      if (!gone_[i]) no_push(i);
    }
  }

  static constexpr std::array<std::string_view, kConnections> kChannels{"", "c1", "c2", "c3"};
};

TEST_F(LineConformance, AnAbsentLockIsGranted) {
  EXPECT_EQ(join("t1", "5", "c1").real, kGranted);
  same_line();
  EXPECT_EQ(join("t1", "5", "c1", "8").real, kGranted);
  same_line();
}

TEST_F(LineConformance, AHeldLockIsWaitedForInTheOrderOfTicketsAndHandedOn) {
  same({"SET", "lock", "held", "NX", "PX", kTtl});
  join("t2", "20", "c2");
  join("t3", "30", "c3");
  join("t1", "10", "c1", "18446744073709551615");
  same_line();
  join("t3", "30", "c3");
  pass("held");
  same_push(1);
  same_next(2);
  same_line();
  pass("t1");
  same_push(2);
  same_next(3);
  same_line();
  pass("t2");
  same_push(3);
  same_line();
  pass("t3");
  same_line();
}

TEST_F(LineConformance, EqualTicketsStandInTheOrderOfTheirTokens) {
  same({"SET", "lock", "held", "PX", kTtl});
  for (const std::string_view token : {"t3", "t1", "t2"}) join(token, "10", "c1");
  same_line();
  pass("held");
  same_next(1);
  same_push(1);
  same_line();
}

TEST_F(LineConformance, AnEarlierTicketIsYieldedTo) {
  join("t2", "20", "c2");
  join("t1", "10", "c1");
  EXPECT_EQ(join("t2", "20", "c2", "8").real.front(), '$');
  same_push(1);
  same_line();
}

// Of somebody who takes nothing that is free.
TEST_F(LineConformance, WhatWasHandedToHimIsKeptGivenBackOrYieldedAsHeWishes) {
  for (const std::string_view policy : {"0", "2", "3"}) {
    same({"DEL", "lock", kLine, kWaiters});
    EXPECT_EQ(join("t1", "10", "c1", "7", policy).real.front(), '$') << policy;
    same({"SET", "lock", "held", "PX", kTtl});
    join("t1", "10", "c1", "8", policy);
    join("t2", "20", "c2");
    pass("held");
    same_next(2);
    same_push(1);
    EXPECT_EQ(join("t1", "10", "c1", "9", policy).real.front(), policy == "3" ? '+' : '$')
        << policy;
    if (policy == "3") same_next(2);
    if (policy == "2") same_push(2);
    same_line();
  }
}

TEST_F(LineConformance, AJoinThatWasOvertakenChangesNothing) {
  same({"SET", "lock", "held", "PX", kTtl});
  join("t1", "10", "c1", "7");
  join("t1", "10", "c1", "6");
  same_line();
  pass("held");
  same_push(1);
  join("t1", "10", "c1", "6");
  same_line();
  join("t1", "10", "c1", "7");
  join("t1", "10", "c1", "18446744073709551615");
  same_line();
  same({"SET", "lock", "t2", "PX", kTtl});
  join("t2", "10", "c2");
  same_line();
}

TEST_F(LineConformance, WhoeverCannotBeReachedIsStruckOut) {
  same({"SET", "lock", "held", "PX", kTtl});
  join("dead", "1", "nobody");
  join("t1", "10", "c1");
  join("t2", "20", "c2");
  hang_up(1, "c1");
  pass("held");
  // Who comes next, until it shows that the first is gone.
  same_next(2);
  same_push(2);
  same_line();
}

TEST_F(LineConformance, WithNobodyLeftTheLockIsFree) {
  same({"SET", "lock", "held", "PX", kTtl});
  join("dead", "1", "nobody");
  pass("held");
  same_line();
}

TEST_F(LineConformance, WhoeverLeavesIsGoneAndTheNextIsTold) {
  same({"SET", "lock", "held", "PX", kTtl});
  join("t1", "10", "c1");
  join("t2", "20", "c2");
  join("t3", "30", "c3");
  pass("t2");
  same_line();
  pass("t1");
  same_next(3);
  same_line();
  pass("unknown");
  same_line();
}

TEST_F(LineConformance, ALockWithoutAnExpiryIsToldSo) {
  same({"SET", "lock", "held"});
  const Answers answers = join("t1", "10", "c1");
  EXPECT_EQ(text_of(answers.real).substr(0, 5), "-1 0 ");
  join("t2", "20", "c2");
  pass("t1");
  same_push(2);
  same_line();
}

TEST_F(LineConformance, WhoWasNotHeardOfIsStruckOut) {
  same({"SET", "lock", "held", "PX", kTtl});
  for (const std::string_view token : {"t1", "t2", "t3"}) {
    const std::string ticket(token.substr(1));
    join(token, ticket, "c" + ticket);
  }
  for (const std::string_view told :
       {"c1 7 50000 1000", "no sense", "c1 7 50000", "c1 7 x 99999999999", ""}) {
    same({"HSET", kWaiters, "t1", told});
    same({"HSET", kWaiters, "t2", told});
    join("t3", "3", "c3");
    same_line();
    join("t1", "1", "c1");
    join("t2", "2", "c2");
  }
  same({"HDEL", kWaiters, "t1"});
  pass("held");
  same_push(2);
  same_next(3);
  same_line();
}

TEST_F(LineConformance, WhatIsNoLockIsRefusedAlike) {
  for (const std::string_view key : {std::string_view("lock"), kLine, kWaiters}) {
    for (const Words& makes : std::initializer_list<Words>{
             {"SET", key, "a string"}, {"ZADD", key, "1", "dead"}, {"HSET", key, "dead", "x"}}) {
      for (const std::string_view held : {"", "t1", "t2", "held"}) {
        same({"DEL", "lock", kLine, kWaiters});
        if (!held.empty()) same({"SET", "lock", held, "PX", kTtl});
        same({"DEL", key});
        same(makes);
        pass("t1");
        alike(ask(by_sha(scripts::join, {"lock", "t1", kTtl, "10", "nobody", "7", "1"})));
        alike(ask(by_sha(scripts::join, {"lock", "t2", kTtl, "20", "nobody", "7", "1"})));
        pass("t2");
        for (const std::string_view one : {std::string_view("lock"), kLine, kWaiters}) {
          same({"GET", one});
          same({"ZRANGE", one, "0", "-1"});
          same_within_tolerance({"PTTL", one});
        }
      }
    }
  }
}

TEST_F(LineConformance, ALockIsHandedOnThoughMemoryIsShort) {
  same({"SET", "lock", "held", "PX", kTtl});
  join("t1", "10", "c1");
  join("t2", "20", "c2");
  EXPECT_EQ(ask({"CONFIG", "SET", "maxmemory", "1"}).real, "+OK\r\n");
  server_.conditions().out_of_memory = true;
  join("t3", "30", "c3");
  pass("held");
  same_push(1);
  same_next(2);
  same_line();
  same_line();
  same({"DEL", "lock"});
  pass("unknown");
  same_push(2);
  same_line();
}

TEST_F(LineConformance, AReplicaRefusesAlike) {
  same({"SET", "lock", "held", "PX", kTtl});
  join("t1", "10", "c1");
  EXPECT_EQ(ask({"REPLICAOF", "127.0.0.1", "1"}).real, "+OK\r\n");
  server_.conditions().read_only = true;
  join("t2", "20", "c2");
  pass("held");
  pass("other");
  pass("t1");
  same_line();
}

// The line is refused by the ACL, and what removes still removes.
TEST_F(LineConformance, WithoutItsKeysARemovalStillRemoves) {
  same({"SET", "lock", "held", "PX", kTtl});
  join("t1", "10", "c1");
  EXPECT_EQ(ask({"ACL", "SETUSER", "default", "resetkeys", "~lock"}).real, "+OK\r\n");
  server_.conditions().no_line_keys = true;
  join("t2", "20", "c2");
  pass("other");
  pass("held");
  same({"GET", "lock"});
  for (std::size_t i = 1; i < kConnections; ++i) no_push(i);
}

TEST_F(LineConformance, WithoutChannelsNobodyIsHandedALockOfWhichHeCannotHear) {
  same({"SET", "lock", "held", "PX", kTtl});
  join("t1", "10", "c1");
  join("t2", "20", "c2");
  // Whoever listens already is thrown out by such a change.
  EXPECT_EQ(ask({"ACL", "SETUSER", "other", "on", "nopass", "+@all", "~*", "resetchannels"}).real,
            "+OK\r\n");
  EXPECT_EQ(ask({"AUTH", "other", "x"}).real, "+OK\r\n");
  server_.conditions().no_channels = true;
  pass("held");
  join("t3", "30", "c3");
  join("t1", "10", "c1");
  server_.conditions().no_channels = false;
  EXPECT_EQ(ask({"AUTH", "default", "x"}).real, "+OK\r\n");
  same_line();
}

}  // namespace
}  // namespace redlock::sim::line_conformance_test
