// What one connection of a node had no room for, or may not have delivered, goes on the next one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redlock/net/node.hpp"
#include "support/fake_world.hpp"

namespace redlock::carried_removals_test {
namespace {

using test::Arguments;
using test::FakeServer;
using test::FakeWorld;
using testing::IsEmpty;
using testing::SizeIs;

SharedCommand shared(Command command) {
  return std::make_shared<const Command>(std::move(command));
}
SharedCommand delete_of(const std::string& resource) {
  return shared(ReleaseAndHandOver{Resource(resource), Token("t")});
}

class CarriedTest : public FakeWorld {
 protected:
  // The node's turns, as a reactor takes them.
  void turn_for(Duration span) {
    const Instant until = clock_.now() + span;
    while (clock_.now() < until) {
      node_.flush(clock_.now(), arrivals_);
      Interest interest{node_.connection(), {true, node_.has_output(), false}, false, false};
      transport_.wait({&interest, 1}, until);
      node_.on_ready(interest.readable, interest.writable, clock_.now(), arrivals_);
      node_.flush(clock_.now(), arrivals_);
    }
  }
  void submit(const SharedCommand& command) {
    node_.submit({1, NodeIndex(0), 1}, command, clock_.now() + Duration::seconds(1), clock_.now(),
                 arrivals_);
  }
  void clean_up(const SharedCommand& removal) {
    node_.submit_cleanup(removal, clock_.now() + Duration::seconds(1));
  }
  void connect() {
    submit(shared(CheckEqual{Resource("r"), Token("t")}));
    turn_for(Duration::ms(1));
    ASSERT_THAT(arrivals_, SizeIs(1));
    arrivals_.clear();
  }

  RequestEncoder encoder_;
  Node node_{std::make_unique<FixedLocator>(specs(1)[0].endpoint), kTimeoutDefault, transport_,
             entropy_, encoder_};
  std::vector<Arrival> arrivals_;
};

// By the time it goes out an old client may have taken the lock.
TEST_F(CarriedTest, AReleaseThatFoundNoRoomTakesNoPlainStampAnyMore) {
  connect();
  for (std::size_t i = 0; i < kAwaitedMax; ++i) clean_up(delete_of(std::to_string(i)));
  submit(shared(StampRelease{Resource("k"), Token("5.25"), Duration(), StampUnit::seconds,
                             StampProof::exact_or_plain}));
  ASSERT_THAT(arrivals_, SizeIs(1));
  EXPECT_EQ(arrivals_[0].reply.fault, Fault::bound);
  ASSERT_TRUE(node_.has_carried());
  turn_for(Duration::ms(5));
  const Arguments& last = server(0).log.back();
  ASSERT_EQ(last.at(3), "k");
  EXPECT_EQ(last.back(), "0");
}

// The lock was given up: what would keep it is no release.
TEST_F(CarriedTest, AnExtendIsNotAskedInThePlaceOfTheReleaseThatIsCarried) {
  clean_up(delete_of("k"));
  ASSERT_TRUE(node_.has_carried());
  server(0).keys["k"] = "t";
  submit(shared(ExtendIfEqual{Resource("k"), Token("t"), Duration::seconds(1)}));
  turn_for(Duration::ms(5));
  ASSERT_THAT(arrivals_, SizeIs(1));
  EXPECT_EQ(arrivals_[0].reply.answer, Answer::denied);
  EXPECT_THAT(server(0).keys, IsEmpty());
}

TEST_F(CarriedTest, NothingIsLostWhereASilentConnectionIsReplacedThatHadNoRoom) {
  connect();
  constexpr std::size_t kCount = 100;
  static_assert(kCount * kResourceBytesMax > kQueuedBytesMax && kCount < kCarriedMax);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string resource = std::to_string(100 + i) + std::string(kResourceBytesMax - 3, 'x');
    server(0).keys[resource] = "t";
    clean_up(delete_of(resource));
  }
  ASSERT_TRUE(node_.has_carried());
  transport_.forget_flows(server(0));
  node_.replace(arrivals_);
  ASSERT_THAT(server(0).keys, SizeIs(kCount));
  connect();
  turn_for(Duration::ms(5));
  EXPECT_THAT(server(0).keys, IsEmpty());
}

TEST_F(CarriedTest, AsManyAsAreCarriedAtMostAreAllKeptWhereASilentConnectionIsReplaced) {
  connect();
  for (std::size_t i = 0; i < kCarriedMax; ++i) {
    server(0).keys[std::to_string(i)] = "t";
    clean_up(delete_of(std::to_string(i)));
  }
  transport_.forget_flows(server(0));
  node_.replace(arrivals_);
  ASSERT_THAT(server(0).keys, SizeIs(kCarriedMax));
  connect();
  turn_for(Duration::ms(5));
  EXPECT_THAT(server(0).keys, IsEmpty());
}

TEST_F(CarriedTest, WhatTheSocketDidNotTakeBeforeItWasClosedByUsGoesOnTheNextOne) {
  connect();
  server(0).keys["k"] = "t";
  transport_.send_room = 0;
  clean_up(delete_of("k"));
  node_.shut_down(arrivals_);
  transport_.send_room = ~std::size_t{0};
  connect();
  turn_for(Duration::ms(5));
  EXPECT_THAT(server(0).keys, IsEmpty());
}

TEST_F(CarriedTest, WhatFoundNoRoomIsHurriedAtTheEndOfARequest) {
  connect();
  for (std::size_t i = 0; i < kAwaitedMax; ++i) clean_up(delete_of(std::to_string(i)));
  server(0).keys["k"] = "t";
  clean_up(delete_of("k"));
  ASSERT_TRUE(node_.has_carried());
  node_.hurry_removals(false, clock_.now());
  EXPECT_FALSE(node_.has_carried());
  turn_for(Duration::ms(5));
  EXPECT_THAT(server(0).keys, IsEmpty());
}

TEST_F(CarriedTest, WhatFoundNoRoomStillGoesOutWhereTheConnectionIsClosedByUs) {
  connect();
  constexpr std::size_t kCount = 100;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string resource = std::to_string(100 + i) + std::string(kResourceBytesMax - 3, 'x');
    server(0).keys[resource] = "t";
    clean_up(delete_of(resource));
  }
  ASSERT_TRUE(node_.has_carried());
  node_.shut_down(arrivals_);
  EXPECT_THAT(server(0).keys, IsEmpty());
  EXPECT_FALSE(node_.has_carried());
}

}  // namespace
}  // namespace redlock::carried_removals_test
