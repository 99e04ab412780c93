// A transport with a filter underneath: what it took and the network was not given yet may be lost.
#include <gtest/gtest.h>

#include <map>

#include "redlock/net/node.hpp"
#include "support/fake_transport.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::filtered_test {
namespace {

// Takes everything and lets nothing through while it is stopped up; what is held when the
// connection ends is lost.
class FilteredTransport final : public test::FakeTransport {
 public:
  using FakeTransport::FakeTransport;
  Wants wants(ConnectionId connection, bool has_output) override {
    return {true, has_output || !held_[connection].empty(), false};
  }
  IoResult send(ConnectionId connection, std::string_view bytes) override {
    if (!stopped_up) return FakeTransport::send(connection, bytes);
    held_[connection] += bytes;
    return {IoState::progress, bytes.size(), {}};
  }
  void let_pass(ConnectionId connection) {
    static_cast<void>(FakeTransport::send(connection, held_[connection]));
    held_[connection].clear();
  }
  bool stopped_up = false;

 private:
  std::map<ConnectionId, std::string> held_;
};

constexpr Duration kAnswerTime = Duration::ms(50);

class Filtered : public testing::Test {
 protected:
  // A removal goes out, as far as the node can tell.
  void submit_removal(bool stopped_up) {
    const auto removal =
        std::make_shared<const Command>(ReleaseAndHandOver{Resource("r"), Token("t")});
    node_.submit({1, NodeIndex(0), 1}, removal, clock_.now() + kAnswerTime, clock_.now(),
                 arrivals_);
    connect();
    transport_.stopped_up = stopped_up;
    node_.flush(clock_.now(), arrivals_);
    ASSERT_FALSE(node_.has_output());
  }
  void connect() {
    transport_.stopped_up = false;
    // The greeting, of which nothing is held.
    Interest interest{node_.connection(), {true, true, false}, false, false};
    transport_.wait({&interest, 1}, clock_.now());
    transport_.stopped_up = true;
    node_.on_ready(false, interest.writable, clock_.now(), arrivals_);
  }

  test::FakeClock clock_;
  test::SeededEntropy entropy_;
  FilteredTransport transport_{clock_};
  RequestEncoder encoder_;
  Endpoint endpoint_ = parse_server("s0").endpoint;
  std::vector<Arrival> arrivals_;
  Node node_{std::make_unique<FixedLocator>(endpoint_), kAnswerTime, transport_, entropy_,
             encoder_};
};

TEST_F(Filtered, ARemovalThatIsHeldIsOwedUntilItHasLeft) {
  submit_removal(true);
  EXPECT_TRUE(node_.owes_removal());
  transport_.let_pass(node_.connection());
  EXPECT_FALSE(node_.owes_removal());
}

TEST_F(Filtered, ARemovalThatIsHeldAtTheEndGoesOnTheNextConnection) {
  submit_removal(true);
  node_.shut_down(arrivals_);
  EXPECT_EQ(node_.connection(), 0U);
  EXPECT_TRUE(node_.has_carried());
}

TEST_F(Filtered, ARemovalThatHasLeftDoesNot) {
  submit_removal(true);
  transport_.let_pass(node_.connection());
  transport_.stopped_up = false;
  node_.shut_down(arrivals_);
  EXPECT_FALSE(node_.has_carried());
}

}  // namespace
}  // namespace redlock::filtered_test
