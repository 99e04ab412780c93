// A server's addresses as the transport tries them: by a clock that stands still, so that only what
// is due is tried.
#include <gtest/gtest.h>
#include <poll.h>

#include "io/support/eventually.hpp"
#include "io/support/name_server.hpp"
#include "io/support/silent_address.hpp"
#include "redlock/os/socket.hpp"
#include "support/allocations.hpp"
#include "support/fake_clock.hpp"
#include "support/machine.hpp"

namespace redlock::socket_dial_test {
namespace {

using test::eventually;

const std::string kGood = "127.0.0.1";
const std::string kSilent = "127.0.0.2";
const std::string kSilentToo = "127.0.0.3";
constexpr Duration kPatienceOfEach = Duration::ms(30);
constexpr Duration kPatience = kPatienceOfEach * 3;

class DiallingByName : public testing::Test {
 protected:
  DiallingByName()
      : listener_(test::listen_on_loopback(8)),
        silent_(2, listener_.port),
        silent_too_(3, listener_.port),
        transport_(clock_, names_.sources()) {
    endpoint_.host = "a.test";
    endpoint_.port = listener_.port;
  }
  ~DiallingByName() override { close(listener_.descriptor); }

  // Looks, without waiting, until the name is known and its first address is being tried.
  ConnectionId dialled() {
    const ConnectionId id = transport_.open(endpoint_, clock_.now() + kPatience);
    EXPECT_TRUE(eventually([&] { return look(id).reason != "resolving the host name"; }));
    return id;
  }
  LinkStatus look(ConnectionId id) {
    Interest interest{id, {true, false, false}, false, false};
    transport_.wait(std::span(&interest, 1), Instant());
    return transport_.status(id);
  }
  bool connects(ConnectionId id) {
    return eventually([&] { return look(id).state == LinkState::connected; });
  }
  // Has anybody tried the address that answers?
  bool was_tried() const {
    pollfd probe{listener_.descriptor, POLLIN, 0};
    return poll(&probe, 1, 0) > 0;
  }

  test::Listener listener_;
  test::SilentAddress silent_;
  test::SilentAddress silent_too_;
  test::NameServer names_;
  test::FakeClock clock_;
  Endpoint endpoint_;
  SocketTransport transport_;
};

TEST_F(DiallingByName, EachSilentAddressHasItsShareOfTheCallersTime) {
  names_.know("a.test", {kSilent, kSilentToo, kGood});
  const ConnectionId id = dialled();
  // A third of it, and half of what is left then.
  for (int silent = 0; silent < 2; ++silent) {
    clock_.advance(kPatienceOfEach - test::kOneNs);
    EXPECT_EQ(look(id).state, LinkState::connecting);
    EXPECT_FALSE(was_tried());
    clock_.advance(test::kOneNs);
    look(id);
  }
  EXPECT_TRUE(connects(id));
  transport_.close(id);
}

TEST_F(DiallingByName, TheAddressThatAnsweredIsTheFirstTheNextTime) {
  names_.know("a.test", {kSilent, kSilentToo, kGood});
  const ConnectionId id = dialled();
  for (int silent = 0; silent < 2; ++silent) {
    clock_.advance(kPatienceOfEach);
    look(id);
  }
  ASSERT_TRUE(connects(id));
  transport_.close(id);
  const ConnectionId next = dialled();
  EXPECT_TRUE(connects(next)) << "though no time goes by";
  EXPECT_EQ(names_.asked(), 2) << "for both versions of IP, once";
  transport_.close(next);
}

// Whoever has another connection in its place already could not try again.
TEST_F(DiallingByName, ClosingNeedsNoMemory) {
  names_.know("a.test", {kSilent, kSilentToo, kGood});
  const ConnectionId silent = dialled();
  clock_.advance(kPatienceOfEach);
  EXPECT_EQ(look(silent).state, LinkState::connecting);
  const test::Tried closing =
      test::try_without(0, test::Shortage::lasting, [&] { transport_.close(silent); });
  EXPECT_TRUE(closing.happened);
  EXPECT_FALSE(closing.threw);
}

// Whichever way the connection is given up that never came about.
TEST_F(DiallingByName, WhatLedNowhereIsLookedUpAnewAndTriedFromTheNextAddressOn) {
  for (const auto give_up : {&SocketTransport::close, &SocketTransport::close_behind}) {
    endpoint_.host = give_up == &SocketTransport::close ? "a.test" : "b.test";
    names_.know(endpoint_.host, {kSilent, kSilentToo, kGood});
    const ConnectionId silent = dialled();
    clock_.advance(kPatienceOfEach);
    EXPECT_EQ(look(silent).state, LinkState::connecting);
    (transport_.*give_up)(silent);
    EXPECT_EQ(names_.asked(endpoint_.host), 2) << "for both versions of IP";
    const ConnectionId next = dialled();
    EXPECT_EQ(names_.asked(endpoint_.host), 4);
    clock_.advance(kPatienceOfEach);
    EXPECT_TRUE(connects(next));
    transport_.close(next);
  }
}

}  // namespace
}  // namespace redlock::socket_dial_test
