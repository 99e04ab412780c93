// The watch over removals complains where one is missing, and only there.
#include "sim/removal_watch.hpp"

#include <gtest/gtest.h>

#include "redlock/wire/scripts.hpp"

namespace redlock::sim {
namespace {

class RemovalWatchTest : public testing::Test, public NetworkEnds {
 protected:
  using Told = RemovalWatch::Told;

  RemovalWatchTest()
      : plan_(plan()),
        trace_(nullptr),
        network_(*this, queue_, trace_, now_ns_, 7, 1, 1),
        watch_(plan_, network_) {}

  static Plan plan() {
    Plan plan;
    plan.servers = 1;
    plan.clients.resize(1);
    return plan;
  }
  std::string take(const Connection& connection, const std::string& token) {
    return watch_.executed(connection, deed_of({"SET", "lock", token, "NX", "PX", "9"}),
                           Told::served);
  }
  std::string remove(const Connection& connection, const std::string& token,
                     Told told = Told::served) {
    const Script& script = scripts::pass;
    return watch_.executed(connection, deed_of({"EVAL", script.text, "1", "lock", token}), told);
  }

  Reachable server_reachable(std::uint32_t) override { return Reachable::yes; }
  void server_accepts(Connection&) override {}
  void server_receives(Connection&, std::string_view) override {}
  void server_sees_end(Connection&) override {}
  void client_ready(std::uint32_t) override {}
  std::int64_t client_deadline_ns(std::uint32_t) override { return 0; }
  void held_back(std::int64_t) override {}
  void breaks(const Connection&) override {}
  std::int64_t client_sends_from_ns(std::uint32_t) override { return 0; }

  Plan plan_;
  std::int64_t now_ns_ = 0;
  EventQueue queue_;
  Trace trace_;
  Network network_;
  RemovalWatch watch_;
};

TEST_F(RemovalWatchTest, ARemovalThatMetANoscriptMustBeFollowedByItsTextBeforeTheEnd) {
  const Connection& connection = network_.open(0, 0);
  EXPECT_EQ(remove(connection, "first", Told::no_script), "");
  EXPECT_NE(watch_.ended(connection), "");
  EXPECT_EQ(remove(connection, "first"), "");
  EXPECT_EQ(watch_.ended(connection), "");
}

TEST_F(RemovalWatchTest, AnotherLocksRemovalIsNotEnough) {
  const Connection& connection = network_.open(0, 0);
  EXPECT_EQ(remove(connection, "first", Told::no_script), "");
  EXPECT_EQ(remove(connection, "second"), "");
  EXPECT_NE(watch_.ended(connection), "");
}

TEST_F(RemovalWatchTest, ANoscriptThatIsLeftOutIsKnownToNobody) {
  const Connection& connection = network_.open(0, 0);
  EXPECT_EQ(remove(connection, "first", Told::nothing), "");
  EXPECT_EQ(watch_.ended(connection), "");
}

TEST_F(RemovalWatchTest, ANoscriptThatWasHeardIsNotForgottenForALaterOneThatIsLeftOut) {
  const Connection& connection = network_.open(0, 0);
  EXPECT_EQ(remove(connection, "first", Told::no_script), "");
  EXPECT_EQ(remove(connection, "first", Told::nothing), "");
  EXPECT_NE(watch_.ended(connection), "");
}

TEST_F(RemovalWatchTest, AChildMustLeaveItsParentsLocksAlone) {
  const Connection& parents = network_.open(0, 0);
  EXPECT_EQ(take(parents, "first"), "");
  watch_.inherit(0);
  const Connection& childs = network_.open(0, 0);
  EXPECT_EQ(remove(parents, "first"), "");
  EXPECT_NE(remove(childs, "first"), "");
  EXPECT_EQ(take(childs, "second"), "");
  EXPECT_EQ(remove(childs, "second"), "");
}

}  // namespace
}  // namespace redlock::sim
