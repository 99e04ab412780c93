// How a connection is let go of, by what its server has not answered, and when.
#include <gtest/gtest.h>

#include "redlock/net/node.hpp"
#include "redlock/wire/translate.hpp"
#include "support/fake_transport.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::closing_test {
namespace {

// Servers read so many bytes at a time, and carry all of them out before they reply.
constexpr std::size_t kReadAtOnceBytes = 16 * 1024;

class WatchedTransport final : public test::FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  void close_behind(ConnectionId connection) override {
    ++closed_behind;
    close(connection);
  }
  int closed_behind = 0;
};

constexpr Duration kAnswerTime = Duration::ms(50);

// Of so many bytes as text.
SharedCommand check_of(std::size_t bytes) {
  const auto check = [](std::size_t length) {
    return CheckEqual{Resource(std::string(length, 'r')), Token("t")};
  };
  // Its length is written before it, in as many digits as that of any other near by.
  constexpr std::size_t kAlike = 15'000;
  std::string text;
  append_request(text, check(kAlike), ScriptForm::text);
  return std::make_shared<const Command>(check(kAlike + bytes - text.size()));
}

class ClosingTest : public testing::Test {
 protected:
  // A server that stands still is sent so many bytes and given up.
  void give_up_after(std::size_t bytes) {
    std::vector<Arrival> arrivals;
    transport_.server(endpoint_.display()).stopped = true;
    node_.submit({1, NodeIndex(0), 1}, check_of(bytes), clock_.now() + kAnswerTime, clock_.now(),
                 arrivals);
    Interest interest{node_.connection(), {true, true, false}, false, false};
    transport_.wait({&interest, 1}, clock_.now());
    node_.on_ready(interest.readable, interest.writable, clock_.now(), arrivals);
    ASSERT_FALSE(node_.has_output());
    clock_.advance(kAnswerTime);
    node_.on_time(clock_.now(), arrivals);
    ASSERT_TRUE(node_.closing());
    node_.complete_closing(clock_.now());
    ASSERT_EQ(node_.connection(), 0U);
    clock_.advance(kBackoffMax);
  }

  test::FakeClock clock_;
  test::SeededEntropy entropy_;
  WatchedTransport transport_{clock_};
  RequestEncoder encoder_;
  Endpoint endpoint_ = parse_server("s0").endpoint;
  Node node_{std::make_unique<FixedLocator>(endpoint_), kAnswerTime, transport_, entropy_,
             encoder_};
};

TEST_F(ClosingTest, WaitsForTheServerOnlyWhereItHasMoreToReadThanItReadsAtOnce) {
  give_up_after(kReadAtOnceBytes);
  EXPECT_EQ(transport_.closed_behind, 0);
  give_up_after(kReadAtOnceBytes + 1);
  EXPECT_EQ(transport_.closed_behind, 1);
}

// It stands on a connection that no conversation uses any more.
TEST_F(ClosingTest, WaitsForTheServerToReadWhatUndoesAJoinToo) {
  const Command join = Enqueue{Resource("r"), Token("t"), Duration::seconds(10), {1, "c", 1}};
  const auto undo = std::make_shared<const Command>(*undo_of(join));
  for (const bool undone : {false, true}) {
    SetAsideJoins aside(transport_, encoder_);
    aside.add({{1, undo}}, {}, [&] {
      return SetAside{transport_.open(endpoint_, Instant::never()), kReadAtOnceBytes};
    });
    if (undone) aside.undo(undo);
    aside.withdraw(1);
    EXPECT_EQ(transport_.closed_behind, undone ? 1 : 0);
  }
}

TEST_F(ClosingTest, AConnectionHasItsUsersTimeToComeAboutWhateverACommandMayTake) {
  std::vector<Arrival> arrivals;
  test::FakeServer& server = transport_.server(endpoint_.display());
  const Instant patient = clock_.now() + kAnswerTime + kAnswerTime;
  server.reach = test::FakeServer::Reach::vanishes;
  node_.submit({1, NodeIndex(0), 1}, check_of(kReadAtOnceBytes), patient, clock_.now(), arrivals);
  EXPECT_EQ(node_.next_deadline(), clock_.now() + kAnswerTime);
}

TEST_F(ClosingTest, SoHasItsHandshake) {
  std::vector<Arrival> arrivals;
  test::FakeServer& server = transport_.server(endpoint_.display());
  server.stopped = true;
  endpoint_.database = 1;
  Node greeted{std::make_unique<FixedLocator>(endpoint_), kAnswerTime, transport_, entropy_,
               encoder_};
  const Instant patient = clock_.now() + kAnswerTime + kAnswerTime;
  greeted.submit({1, NodeIndex(0), 1}, check_of(kReadAtOnceBytes), patient, clock_.now(), arrivals);
  Interest interest{greeted.connection(), {true, true, false}, false, false};
  transport_.wait({&interest, 1}, clock_.now());
  greeted.on_ready(interest.readable, interest.writable, clock_.now(), arrivals);
  EXPECT_EQ(greeted.next_deadline(), clock_.now() + kAnswerTime);
}

}  // namespace
}  // namespace redlock::closing_test
