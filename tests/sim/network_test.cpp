// The simulated network: streams that stay in order, stall, break and close like TCP's.
#include "sim/network.hpp"

#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"
#include "sim/servers.hpp"
#include "sim/sim_clock.hpp"
#include "sim/sim_transport.hpp"

namespace redlock::sim::network_test {
namespace {

// One client, one server, one connection.
class NetworkTest : public testing::Test, public NetworkEnds {
 protected:
  NetworkTest() : trace_(nullptr), network_(*this, queue_, trace_, now_ns_, 7, 1, 1) {
    network_.link(0, 0).delay_low_ns = kMs;
    network_.link(0, 0).delay_high_ns = 5 * kMs;
  }
  void run_until(std::int64_t ms) {
    while (!queue_.empty()) {
      const Event event = queue_.pop();
      if (event.at_ns > ms * kMs) {
        queue_.add(event.at_ns, event.kind, event.subject);
        break;
      }
      now_ns_ = event.at_ns;
      ++events_;
      network_.take(event);
    }
    now_ns_ = ms * kMs;
  }
  Connection& connected() {
    Connection& connection = network_.open(0, 0);
    run_until(10);
    return connection;
  }
  Reachable server_reachable(std::uint32_t) override { return reachable_; }
  void server_accepts(Connection&) override {}
  void server_receives(Connection&, std::string_view bytes) override { received_ += bytes; }
  void server_sees_end(Connection&) override { server_saw_end_ = true; }
  void client_ready(std::uint32_t) override { ++wakes_; }
  std::int64_t client_deadline_ns(std::uint32_t) override { return deadline_ns_; }
  void held_back(std::int64_t until_ns) override { held_back_until_ns_ = until_ns; }
  void breaks(const Connection&) override { broke_at_ns_ = now_ns_; }
  std::int64_t client_sends_from_ns(std::uint32_t) override { return 0; }

  std::int64_t now_ns_ = 0;
  EventQueue queue_;
  Trace trace_;
  Network network_;
  Reachable reachable_ = Reachable::yes;
  std::string received_;
  bool server_saw_end_ = false;
  int wakes_ = 0;
  int events_ = 0;
  std::int64_t deadline_ns_ = 0;
  std::int64_t held_back_until_ns_ = 0;
  std::int64_t broke_at_ns_ = 0;
};

TEST_F(NetworkTest, BytesArriveInOrderHoweverTheyAreSliced) {
  for (const Slicing slicing : {Slicing::none, Slicing::pieces, Slicing::single_bytes}) {
    received_.clear();
    network_.set_slicing(slicing);
    Connection& connection = network_.open(0, 0);
    run_until(now_ns_ / kMs + 20);
    std::string sent;
    for (int i = 0; i < 20; ++i) {
      const std::string bytes = "message " + std::to_string(i) + ";";
      EXPECT_EQ(network_.send_up(connection, bytes), bytes.size());
      sent += bytes;
    }
    run_until(now_ns_ / kMs + 200);
    EXPECT_EQ(received_, sent);
  }
}

TEST_F(NetworkTest, SingleBytesTowardsAServerNeedAnEventARequest) {
  const std::string request = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";
  network_.set_slicing(Slicing::single_bytes);
  Connection& connection = connected();
  events_ = 0;
  network_.send_up(connection, request + request);
  EXPECT_EQ(connection.up.pieces.size(), 2U);
  EXPECT_GT(connection.up.pieces[1].arrives_ns, connection.up.pieces[0].arrives_ns);
  run_until(100);
  EXPECT_EQ(received_, request + request);
  EXPECT_EQ(events_, 2);
  EXPECT_EQ(network_.slice_count(), 2 * request.size() - 1);
}

TEST_F(NetworkTest, ABlockedLinkDeliversLater) {
  Connection& connection = connected();
  network_.link(0, 0).blocked_until_ns[kUp] = 100 * kMs;
  network_.send_up(connection, "late");
  run_until(99);
  EXPECT_EQ(received_, "");
  run_until(200);
  EXPECT_EQ(received_, "late");
}

TEST_F(NetworkTest, BlockingOneDirectionLeavesTheOtherOpen) {
  Connection& connection = connected();
  network_.link(0, 0).blocked_until_ns[kDown] = 100 * kMs;
  network_.send_up(connection, "up");
  network_.send_down(connection, "down");
  run_until(50);
  EXPECT_EQ(received_, "up");
  EXPECT_EQ(connection.inbox, "");
}

TEST_F(NetworkTest, AResetStrikesAtItsByte) {
  Connection& connection = connected();
  connection.up.reset_after = 3;
  network_.send_up(connection, "abcdef");
  run_until(50);
  EXPECT_EQ(received_, "abc");
  EXPECT_EQ(connection.client_side, ClientSide::failed);
  EXPECT_GT(broke_at_ns_, 10 * kMs) << "not when it was drawn";
}

TEST_F(NetworkTest, WhatWasSentBeforeTheCloseStillArrives) {
  Connection& connection = connected();
  network_.send_up(connection, "undo");
  network_.close(connection);
  run_until(50);
  EXPECT_EQ(received_, "undo");
  EXPECT_TRUE(server_saw_end_);
}

TEST_F(NetworkTest, AFlowIsForgottenWhereARequestComesTooLate) {
  network_.set_forgets_after(40 * kMs);
  Connection& connection = connected();
  network_.send_up(connection, "soon");
  run_until(45);
  EXPECT_TRUE(network_.forgotten(0, 0).empty()) << "nothing was sent on it";
  network_.send_up(connection, "late");
  run_until(90);
  EXPECT_EQ(received_, "soonlate");
  EXPECT_TRUE(network_.forgotten(0, 0).empty());
  network_.send_up(connection, "lost");
  run_until(100);
  EXPECT_EQ(received_, "soonlate");
  ASSERT_EQ(network_.forgotten(0, 0).size(), 1U);
  EXPECT_EQ(network_.forgotten(0, 0)[0].written, "soonlatelost");
  EXPECT_TRUE(network_.forgotten(1, 0).empty());
  network_.close(connection);
  EXPECT_TRUE(network_.forgotten(0, 0).empty()) << "it was found out";
}

TEST_F(NetworkTest, ABreakIsTheClientsOnlyWhereItHasNotClosed) {
  Connection& connection = connected();
  connection.up.reset_after = 3;
  network_.send_up(connection, "abcdef");
  network_.close(connection);
  run_until(50);
  EXPECT_EQ(received_, "abc");
  EXPECT_EQ(broke_at_ns_, 0);
}

TEST_F(NetworkTest, AHalfOpenConnectionSwallowsEverything) {
  Connection& connection = connected();
  connection.silent = true;
  network_.send_up(connection, "lost");
  network_.send_down(connection, "lost");
  run_until(50);
  EXPECT_EQ(received_, "");
  EXPECT_EQ(connection.inbox, "");
  EXPECT_EQ(connection.client_side, ClientSide::connected);
}

TEST_F(NetworkTest, AServerThatIsDownRefuses) {
  reachable_ = Reachable::refused;
  EXPECT_EQ(connected().client_side, ClientSide::failed);
}

TEST_F(NetworkTest, AMachineThatIsDownSaysNothing) {
  reachable_ = Reachable::silent;
  EXPECT_EQ(connected().client_side, ClientSide::connecting);
}

TEST_F(NetworkTest, AnswersCanBeMadeToComeWithTheTimeout) {
  Connection& connection = connected();
  deadline_ns_ = 77 * kMs;
  network_.send_down(connection, "answer");
  EXPECT_EQ(held_back_until_ns_, 77 * kMs);
  run_until(76);
  EXPECT_EQ(connection.inbox, "");
  run_until(77);
  EXPECT_EQ(connection.inbox, "answer");
}

TEST_F(NetworkTest, WhatGoesAtOnceIsNotHeldBack) {
  Connection& connection = connected();
  network_.send_down(connection, "answer");
  network_.end_down(connection);
  EXPECT_EQ(held_back_until_ns_, 0);
}

// What a client sends on a connection that its network has long forgotten.
class ForgottenConnectionTest : public NetworkTest {
 protected:
  // Whether it should have been another connection.
  bool misused_by(const std::string& bytes) {
    const ConnectionId id = transport_.open(endpoint_of(0), Instant::never());
    run_until(10);
    run_until(10 + kStaleNs / kMs);
    if (stood_still_) transport_.stand_still(now_ns_ - kMs);
    transport_.send(id, bytes);
    Interest interest{id, {true, false, false}, false, false};
    transport_.wait({&interest, 1}, Instant());
    return transport_.misused();
  }
  static std::string request(const Arguments& arguments) {
    std::string bytes;
    append_array_header(bytes, arguments.size());
    for (const std::string_view one : arguments) append_bulk(bytes, one);
    return bytes;
  }
  static std::string stamp_request(std::string_view verb, std::string_view script) {
    return request({verb, script, "1", "lock", "5000", "777", "1"});
  }
  bool stood_still_ = false;
  const std::string removal_ = request({"EVALSHA", scripts::pass.sha1, "1", "lock", "token"});
  const std::string take_ = request({"SET", "lock", "token", "NX", "PX", "100"});

 private:
  HostTime time_{now_ns_, 3};
  SimTransport transport_{network_, 0, true, time_};
};

TEST_F(ForgottenConnectionTest, IsNoPlaceForATake) { EXPECT_TRUE(misused_by(take_)); }

TEST_F(ForgottenConnectionTest, MayGetATakeFromWhoeverStoodStillBetweenLookingAndSending) {
  stood_still_ = true;
  EXPECT_FALSE(misused_by(take_));
}

TEST_F(ForgottenConnectionTest, IsNoPlaceForATakeByAScriptsName) {
  EXPECT_TRUE(misused_by(stamp_request("EVALSHA", scripts::stamp_take.sha1)));
}

TEST_F(ForgottenConnectionTest, IsNoPlaceForATakeByAScriptsText) {
  EXPECT_TRUE(misused_by(stamp_request("EVAL", scripts::stamp_take.text)));
}

TEST_F(ForgottenConnectionTest, MayGetARemoval) { EXPECT_FALSE(misused_by(removal_)); }

TEST_F(ForgottenConnectionTest, IsNoPlaceForATakeBehindTheRestOfARemoval) {
  EXPECT_TRUE(misused_by(removal_.substr(5) + take_));
}

TEST_F(ForgottenConnectionTest, MayGetTheRestOfATakeThatTheKernelTookInPart) {
  EXPECT_FALSE(misused_by(take_.substr(1)));
}

}  // namespace
}  // namespace redlock::sim::network_test
