// A connection's life with another kind of conversation than the one that asks for locks: what it
// needs of a conversation is no more than it says.
#include <gtest/gtest.h>

#include "redlock/net/connection_upkeep.hpp"
#include "support/faulty_transport.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::connection_test {
namespace {

constexpr Duration kAnswerTime = Duration::ms(50);

// Says PING once for each that is wanted, and hears PONG.
class Pings final : public Conversation {
 public:
  using Event = std::string;

  explicit Pings(const Endpoint& endpoint) : Conversation(endpoint) {}

  void want(Instant answer_by) {
    say("*1\r\n$4\r\nPING\r\n");
    answer_by_ = answer_by;
  }
  [[nodiscard]] bool has_output() const { return !rest().empty(); }
  [[nodiscard]] std::string_view output() { return rest(); }
  void take_back() noexcept {}
  void drop_expired(Instant /*now*/, std::vector<Event>& /*events*/) {}
  void on_bytes(std::string_view bytes, std::vector<Event>& events) {
    hear(bytes);
    std::optional<Ending> ending;
    while (const auto reply = next_reply(ending)) {
      events.push_back(reply->text);
      answer_by_.reset();
    }
    if (ending) fail(ending->fault, ending->reason, events);
  }
  void fail(Fault fault, const std::string& reason, std::vector<Event>& events) {
    mark_broken(fault, reason);
    events.push_back(reason);
  }
  void begin_answers(Instant answer_by) {
    if (answer_by_) answer_by_ = answer_by;
  }
  [[nodiscard]] std::optional<Instant> next_deadline() const { return answer_by_; }
  [[nodiscard]] bool idle() const { return !answer_by_ && rest().empty() && !greeting(); }

 private:
  std::optional<Instant> answer_by_;
};

// A server that has moved once a connection to it was lost.
class MovingLocator final : public Locator {
 public:
  [[nodiscard]] const Endpoint& identity() const override { return places_[0]; }
  [[nodiscard]] const Endpoint& address() override { return places_[lost_ == 0 ? 0 : 1]; }
  void note_lost(Fault /*fault*/) noexcept override { ++lost_; }

 private:
  std::vector<Endpoint> places_{parse_server("here").endpoint, parse_server("there").endpoint};
  std::size_t lost_ = 0;
};

class PingConnection final : public Connection<Pings> {
 public:
  PingConnection(std::unique_ptr<Locator> locator, Transport& transport, Entropy& entropy)
      : Connection(std::move(locator), kAnswerTime, transport, entropy) {}

  // False where it is being backed off from.
  bool ping(Instant now) {
    if (may_open(now)) open(now);
    if (!has_conversation()) return false;
    conversation().want(now + kAnswerTime);
    return true;
  }
  void let_go(Instant now) { close(now); }
  using Connection::forget;
  int times_heard = 0;

 private:
  void heard(Instant /*now*/) override { ++times_heard; }
};

class ConnectionTest : public testing::Test {
 protected:
  ConnectionTest() {
    for (const char* name : {"here", "there"}) {
      server(name).say = [](const test::Arguments&) { return "+PONG\r\n"; };
    }
  }
  void turn() {
    Interest interest{pings_.connection(), transport_.wants(0, pings_.has_output()), false, false};
    transport_.wait({&interest, 1}, clock_.now() + Duration::ms(1));
    pings_.on_ready(interest.readable, interest.writable, clock_.now(), events_);
    pings_.on_time(clock_.now(), events_);
    pings_.flush(clock_.now(), events_);
  }
  test::FakeServer& server(const std::string& name) { return transport_.server(name + ":6379"); }

  test::FakeClock clock_;
  test::SeededEntropy entropy_;
  test::FaultyTransport transport_{clock_};
  PingConnection pings_{std::make_unique<MovingLocator>(), transport_, entropy_};
  std::vector<std::string> events_;
};

// Other servers wait meanwhile.
TEST_F(ConnectionTest, ThatNeverEndsToSpeakIsReadForABoundedTimeInEachTurn) {
  const std::string pong = "+PONG\r\n";
  std::string much;
  while (much.size() < 2 * kReceivesMax * kReceiveBytes) much += pong;
  server("here").say = [&](const test::Arguments&) { return much; };
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  turn();
  EXPECT_EQ(events_.size(), std::size_t{8} * 16 * 1024 / pong.size());
}

TEST_F(ConnectionTest, ToAServerThatSpeaksNoRespIsOpenedLessOftenEachTime) {
  for (const char* name : {"here", "there"}) {
    server(name).say = [](const test::Arguments&) { return "nonsense\r\n"; };
  }
  Duration pause;
  for (int failures = 0; failures < 5; ++failures) {
    const Instant since = clock_.now();
    while (!pings_.ping(clock_.now())) clock_.advance(Duration::ms(1));
    pause = clock_.now() - since;
    for (int turns = 0; turns < 10 && !pings_.closing(); ++turns) turn();
    ASSERT_TRUE(pings_.closing());
    pings_.let_go(clock_.now());
  }
  EXPECT_GT(pause, kBackoffFirst * 2) << "what it says is no life";
}

// As after a fork: what it carried is its parent's, and nothing of it is left to look at.
TEST_F(ConnectionTest, ThatIsForgottenHasNothingToSayAndNothingToHear) {
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  ASSERT_NE(pings_.connection(), 0U);
  ASSERT_FALSE(pings_.idle());
  ASSERT_TRUE(pings_.ping(clock_.now()));
  pings_.forget();
  EXPECT_EQ(pings_.connection(), 0U);
  EXPECT_TRUE(pings_.idle());
  EXPECT_FALSE(pings_.has_output());
}

TEST_F(ConnectionTest, CarriesAnyKindOfConversation) {
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  turn();
  EXPECT_EQ(events_, std::vector<std::string>{"PONG"});
  EXPECT_EQ(pings_.times_heard, 1);
  EXPECT_TRUE(pings_.idle());
}

TEST_F(ConnectionTest, GivesUpAConversationWhoseAnswerIsOverdue) {
  server("here").stopped = true;
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  clock_.advance(kAnswerTime);
  turn();
  EXPECT_TRUE(pings_.closing());
  EXPECT_TRUE(pings_.suspected());
  EXPECT_EQ(events_, std::vector<std::string>{"no answer"});
}

TEST_F(ConnectionTest, ThatTheTransportHasNoMemoryForIsAsIfNobodyHadAskedForIt) {
  transport_.short_of_memory = true;
  EXPECT_THROW(pings_.ping(clock_.now()), std::bad_alloc);
  EXPECT_EQ(pings_.connection(), 0U);
  EXPECT_FALSE(pings_.has_conversation());
  EXPECT_TRUE(pings_.idle());
  transport_.short_of_memory = false;
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  turn();
  EXPECT_EQ(events_, std::vector<std::string>{"PONG"});
}

TEST_F(ConnectionTest, ThatTheTransportHasNoMemoryForHasNothingToSayNotEvenAGreeting) {
  PingConnection greeting(std::make_unique<FixedLocator>(parse_server("redis://here/1").endpoint),
                          transport_, entropy_);
  transport_.short_of_memory = true;
  EXPECT_THROW(greeting.ping(clock_.now()), std::bad_alloc);
  EXPECT_FALSE(greeting.has_output());
}

TEST_F(ConnectionTest, ThatTakesNothingMoreIsGivenUpThoughThereIsNothingToRead) {
  transport_.cannot_send = true;
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  EXPECT_TRUE(pings_.closing());
  EXPECT_EQ(events_, std::vector<std::string>{"broken pipe"});
  EXPECT_EQ(pings_.trouble().reason, "broken pipe");
}

TEST_F(ConnectionTest, ThatTakesNothingMoreIsReadBeforeItIsGivenUp) {
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  ASSERT_TRUE(pings_.ping(clock_.now()));
  transport_.cannot_send = true;
  pings_.flush(clock_.now(), events_);
  EXPECT_TRUE(pings_.closing());
  EXPECT_EQ(events_, (std::vector<std::string>{"PONG", "broken pipe"}));
}

TEST_F(ConnectionTest, ThatTakesNothingMoreSinceItHasEndedIsToldToHaveEnded) {
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  turn();
  ASSERT_TRUE(pings_.ping(clock_.now()));
  transport_.cannot_send = true;
  transport_.drop_connections(server("here"));
  pings_.flush(clock_.now(), events_);
  EXPECT_TRUE(pings_.closing());
  EXPECT_EQ(events_, (std::vector<std::string>{"PONG", "the server closed the connection"}));
}

TEST_F(ConnectionTest, WithAServerThatHangsUpWithoutAWordMayBeMeantToBeByTls) {
  server("here").hangs_up_at = {"PING"};
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  turn();
  ASSERT_TRUE(pings_.closing());
  EXPECT_EQ(pings_.trouble().reason,
            "the server closed the connection without a word: it may expect TLS");
}

TEST_F(ConnectionTest, WithAServerThatHasAnsweredBeforeIsNotMeantToBeByTls) {
  PingConnection pings(std::make_unique<FixedLocator>(parse_server("here").endpoint), transport_,
                       entropy_);
  ASSERT_TRUE(pings.ping(clock_.now()));
  for (int turns = 0; turns < 3; ++turns) {
    pings.on_ready(true, true, clock_.now(), events_);
    pings.flush(clock_.now(), events_);
  }
  ASSERT_EQ(events_, std::vector<std::string>{"PONG"});
  transport_.drop_connections(server("here"));
  pings.on_ready(true, false, clock_.now(), events_);
  pings.let_go(clock_.now());
  server("here").hangs_up_at = {"PING"};
  ASSERT_TRUE(pings.ping(clock_.now()));
  for (int turns = 0; turns < 3; ++turns) pings.on_ready(true, true, clock_.now(), events_);
  ASSERT_TRUE(pings.closing());
  EXPECT_EQ(pings.trouble().reason, "the server closed the connection");
}

TEST_F(ConnectionTest, ThatIsClosedBeforeAnythingWasSaidIsNotMeantToBeByTls) {
  PingConnection greeting(std::make_unique<FixedLocator>(parse_server("redis://here/1").endpoint),
                          transport_, entropy_);
  ASSERT_TRUE(greeting.ping(clock_.now()));
  transport_.drop_connections(server("here"));
  greeting.on_ready(true, true, clock_.now(), events_);
  ASSERT_TRUE(greeting.closing());
  EXPECT_EQ(greeting.trouble().reason, "the server closed the connection");
}

TEST_F(ConnectionTest, ThatHasTlsOrIsAUnixSocketIsNotMeantToBeByTls) {
  for (const char* url : {"rediss://here", "unix:///here"}) {
    const Endpoint endpoint = parse_server(url).endpoint;
    transport_.server(endpoint.display()).hangs_up_at = {"PING"};
    PingConnection pings(std::make_unique<FixedLocator>(endpoint), transport_, entropy_);
    ASSERT_TRUE(pings.ping(clock_.now()));
    for (int turns = 0; turns < 3; ++turns) pings.on_ready(true, true, clock_.now(), events_);
    ASSERT_TRUE(pings.closing()) << url;
    EXPECT_EQ(pings.trouble().reason, "the server closed the connection") << url;
  }
}

TEST_F(ConnectionTest, LooksForAServerAnewWhereTheLastConnectionWasLost) {
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  turn();
  transport_.drop_connections(server("here"));
  turn();
  ASSERT_TRUE(pings_.closing());
  pings_.let_go(clock_.now());
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  turn();
  EXPECT_EQ(server("here").connections_opened, 1U);
  EXPECT_EQ(server("there").connections_opened, 1U);
  EXPECT_EQ(events_.back(), "PONG");
}

TEST_F(ConnectionTest, KeepsTheNameOfAServerThatMoved) {
  server("here").reach = test::FakeServer::Reach::refuses;
  ASSERT_TRUE(pings_.ping(clock_.now()));
  turn();
  ASSERT_TRUE(pings_.closing());
  EXPECT_EQ(pings_.endpoint().display(), "here:6379");
  pings_.let_go(clock_.now());
  EXPECT_FALSE(pings_.ping(clock_.now()));
  EXPECT_EQ(pings_.endpoint().display(), "here:6379");
}

TEST(LocatorTest, AFixedServerIsWhereItsNameSaysWhateverBecameOfItsConnections) {
  const Endpoint endpoint = parse_server("redis://user:secret@host:7000/3").endpoint;
  FixedLocator locator(endpoint);
  locator.note_lost(Fault::closed);
  EXPECT_EQ(locator.identity(), endpoint);
  EXPECT_EQ(locator.address(), endpoint);
}

}  // namespace
}  // namespace redlock::connection_test
