// Subscribing and publishing: the simulated server answers like redis-server.
#include <initializer_list>

#include "sim/conformance.hpp"

namespace redlock::sim::channel_conformance_test {
namespace {

TEST_F(ConformanceTest, SubscribingAnswersAlike) {
  for (const Words& words : std::initializer_list<Words>{{"SUBSCRIBE"},
                                                         {"UNSUBSCRIBE"},
                                                         {"UNSUBSCRIBE", "never"},
                                                         {"SUBSCRIBE", "a"},
                                                         {"SUBSCRIBE", "a"},
                                                         {"subscribe", "b"},
                                                         {"UNSUBSCRIBE", "never"},
                                                         {"UNSUBSCRIBE", "b"},
                                                         {"UNSUBSCRIBE"},
                                                         {"UNSUBSCRIBE"},
                                                         {"GET", "x"}}) {
    same(words);
  }
  // An answer for each.
  Answers both = ask({"SUBSCRIBE", "c", "d"});
  both.real += real_.receive(0);
  EXPECT_EQ(both.simulated, both.real);
}

TEST_F(ConformanceTest, ASubscribedConnectionMayDoAsLittleWithBoth) {
  same({"SUBSCRIBE", "channel"});
  for (const Words& words : std::initializer_list<Words>{{"PING"},
                                                         {"PING", "hello"},
                                                         {"PING", "a", "b"},
                                                         {"GET", "x"},
                                                         {"GET"},
                                                         {"BOGUS"},
                                                         {"SET", "a", "b"},
                                                         {"SELECT", "1"},
                                                         {"AUTH", "x"},
                                                         {"CLIENT", "SETNAME", "x"},
                                                         {"SCRIPT", "LOAD", "return 1"},
                                                         {"EVAL", "return 1", "0"},
                                                         {"EVALSHA", "x", "0"},
                                                         {"PUBLISH", "channel", "x"}}) {
    same(words);
  }
  same({"UNSUBSCRIBE", "channel"});
  same({"PING"});
  same({"GET", "x"});
}

TEST_F(ConformanceTest, WhatIsPublishedReachesWhoeverIsSubscribed) {
  same({"PUBLISH", "channel", "nobody"});
  same({"SUBSCRIBE", "channel"}, 1);
  same({"SUBSCRIBE", "channel"}, 2);
  same({"SUBSCRIBE", "other"}, 3);
  same({"PUBLISH", "channel", "both"});
  same_push(1);
  same_push(2);
  same({"PUBLISH", "other", "two words\r\n"});
  same_push(3);
  same({"PUBLISH", "channel"});
  same({"UNSUBSCRIBE", "channel"}, 1);
  same({"PUBLISH", "channel", "one"});
  same_push(2);
  for (const std::size_t connection : {1U, 2U, 3U}) no_push(connection);
}

TEST_F(ConformanceTest, WhoeverHasGoneReceivesNothing) {
  same({"SUBSCRIBE", "channel"}, 1);
  same({"SUBSCRIBE", "channel"}, 2);
  same({"PUBLISH", "channel", "both"});
  hang_up(2, "nothing");
  hang_up(1, "channel");
  same({"PUBLISH", "channel", "none"});
}

TEST_F(ConformanceTest, ScriptsPublishAlike) {
  same({"SUBSCRIBE", "channel"}, 1);
  same({"EVAL", "return redis.call('PUBLISH', 'channel', ARGV[1])", "0", "word"});
  same_push(1);
  for (const std::string_view text : std::initializer_list<std::string_view>{
           "return redis.call('PUBLISH', 'none', 'x')", "return redis.call('PUBLISH', 'channel')",
           "return redis.pcall('SUBSCRIBE', 'channel')",
           "return redis.call('SUBSCRIBE', 'channel')", "return redis.pcall('UNSUBSCRIBE')"}) {
    same({"EVAL", text, "0"});
  }
  no_push(1);
}

TEST_F(ConformanceTest, SubscribingIsRefusedAlikeWithoutAPasswordOrAChannel) {
  EXPECT_EQ(ask({"ACL", "SETUSER", "default", "resetchannels"}).real, "+OK\r\n");
  server_.conditions().no_channels = true;
  same_refusal({"SUBSCRIBE", "channel"}, 1);
  same_refusal({"PUBLISH", "channel", "x"}, 1);
  same_refusal({"EVAL", "return redis.pcall('PUBLISH', 'channel', 'x')", "0"}, 1);
  same_refusal({"EVAL", "return redis.call('PUBLISH', 'channel', 'x')", "0"}, 1);
  EXPECT_EQ(ask({"ACL", "SETUSER", "default", "allchannels", "-subscribe"}).real, "+OK\r\n");
  server_.conditions().no_channels = false;
  server_.conditions().no_permission = true;
  same_refusal({"SUBSCRIBE", "channel"}, 1);
  server_.conditions().no_permission = false;
  EXPECT_EQ(ask({"CONFIG", "SET", "requirepass", "secret"}).real, "+OK\r\n");
  server_.conditions().password = "secret";
  EXPECT_EQ(ask({"RESET"}, 2).real, "+RESET\r\n");
  sessions_[2] = server_.accept(2);
  same({"SUBSCRIBE", "channel"}, 2);
}

TEST_F(ConformanceTest, PublishingNeedsNoMemoryAndIsNoWrite) {
  same({"SUBSCRIBE", "channel"}, 1);
  EXPECT_EQ(ask({"CONFIG", "SET", "maxmemory", "1"}).real, "+OK\r\n");
  server_.conditions().out_of_memory = true;
  same({"PUBLISH", "channel", "no memory"});
  same_push(1);
  same({"SUBSCRIBE", "another"}, 1);
  EXPECT_EQ(ask({"CONFIG", "SET", "maxmemory", "0"}).real, "+OK\r\n");
  server_.conditions().out_of_memory = false;
  EXPECT_EQ(ask({"REPLICAOF", "127.0.0.1", "1"}).real, "+OK\r\n");
  server_.conditions().read_only = true;
  same({"PUBLISH", "channel", "no master"});
  same_push(1);
  same({"EVAL", "return redis.call('PUBLISH', 'channel', 'no master')", "0"});
  same_push(1);
}

}  // namespace
}  // namespace redlock::sim::channel_conformance_test
