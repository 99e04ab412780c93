// Several addresses of one server: which is tried when, and what is left of the others.
#include "redlock/os/dial.hpp"

#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>

#include "io/support/descriptors.hpp"
#include "io/support/eventually.hpp"
#include "io/support/silent_address.hpp"
#include "io/support/temp_folder.hpp"
#include "support/allocations.hpp"
#include "support/machine.hpp"

namespace redlock::dial_test {
namespace {

using test::eventually;
using test::SilentAddress;
using test::t;

class Dialling : public testing::Test {
 protected:
  Dialling() : listener_(test::listen_on_loopback(8)), silent_(2, listener_.port) {}
  ~Dialling() override { close(listener_.descriptor); }

  static SocketAddress address(const sockaddr_in& name) {
    Resolution one;
    one.add(reinterpret_cast<const sockaddr*>(&name), sizeof(name), AF_INET);
    return one.addresses[0];
  }
  [[nodiscard]] SocketAddress good() const {
    return address(test::loopback_address(listener_.port));
  }
  [[nodiscard]] SocketAddress silent() const { return address(silent_.name()); }
  // Nobody listens there.
  [[nodiscard]] SocketAddress refusing() const {
    sockaddr_in name = test::loopback_address(listener_.port);
    name.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffU) | 3U);
    return address(name);
  }
  static bool done_at(Dial& dial, Instant now) {
    return eventually([&] {
      dial.advance(now);
      return dial.done();
    });
  }
  static std::size_t under_way(const Dial& dial) {
    std::vector<pollfd> sockets;
    dial.watch(sockets);
    return sockets.size();
  }
  static int option(const Descriptor& socket, int level, int name) {
    int value = 0;
    socklen_t size = sizeof(value);
    EXPECT_EQ(getsockopt(socket.number(), level, name, &value, &size), 0);
    return value;
  }

  test::Listener listener_;
  SilentAddress silent_;
};

TEST_F(Dialling, ASilentAddressHasItsShareOfTheTimeAndNoMore) {
  Dial dial({silent(), good()}, t(0), t(100));
  EXPECT_EQ(dial.wake_at(), t(50));
  dial.advance(t(50) - test::kOneNs);
  EXPECT_EQ(under_way(dial), 1U);
  EXPECT_FALSE(dial.done());
  ASSERT_TRUE(done_at(dial, t(50)));
  EXPECT_TRUE(dial.take_connection().open());
  EXPECT_EQ(dial.next_first(), good());
}

TEST_F(Dialling, APatientCallerGoesOnToTheNextAddressSoonerThanItsShareIsOver) {
  const Dial dial({silent(), good()}, t(0), t(60'000));
  EXPECT_EQ(dial.wake_at(), t(0) + kAddressShareMax);
}

TEST_F(Dialling, AnEarlierAddressMayStillWin) {
  std::vector<SocketAddress> addresses{good(), silent()};
  Dial dial(addresses, t(0), t(100));
  // Whatever the kernel has done by now, the share of the first is over.
  dial.advance(t(50));
  ASSERT_TRUE(done_at(dial, t(50)));
  EXPECT_EQ(dial.next_first(), good());
  EXPECT_FALSE(dial.doubtful(t(50)));
}

TEST_F(Dialling, WhoHasAConnectionIsWokenForNoOtherAddress) {
  Dial dial({good(), silent()}, t(0), t(100));
  ASSERT_TRUE(done_at(dial, t(0)));
  EXPECT_EQ(dial.wake_at(), Instant::never());
}

TEST_F(Dialling, AnAddressThatRefusesLaterHandsItsTimeToTheNextToo) {
  Dial dial({silent(), good()}, t(0), t(100));
  std::vector<pollfd> sockets;
  dial.watch(sockets);
  // What a reset does to it.
  ASSERT_EQ(shutdown(sockets.at(0).fd, SHUT_RDWR), 0);
  ASSERT_TRUE(done_at(dial, t(1)));
  EXPECT_EQ(dial.next_first(), good());
  Dial alone({silent()}, t(0), t(100));
  sockets.clear();
  alone.watch(sockets);
  ASSERT_EQ(shutdown(sockets.at(0).fd, SHUT_RDWR), 0);
  ASSERT_TRUE(done_at(alone, t(1)));
  EXPECT_EQ(alone.reason(), "Connection reset by peer");
  EXPECT_EQ(alone.fault(), Fault::connect);
}

TEST_F(Dialling, WhatAnEarlierCallWasInterruptedByDoesNotMatter) {
  Dial dial({good()}, t(0), t(100));
  EXPECT_TRUE(eventually([&] {
    errno = EINTR;
    dial.advance(t(1));
    return dial.done();
  }));
}

TEST_F(Dialling, ARefusingAddressHandsItsTimeToTheNextAtOnce) {
  Dial dial({refusing(), good()}, t(0), t(100));
  ASSERT_TRUE(done_at(dial, t(0)));
  EXPECT_TRUE(dial.take_connection().open());
}

TEST_F(Dialling, TheNextAddressIsTriedThoughMemoryHasRunOutMeanwhile) {
  Dial dial({silent(), good()}, t(0), t(100));
  {
    const test::FailingAllocations failing(0, test::Shortage::lasting);
    EXPECT_NO_THROW(dial.advance(t(50)));
  }
  EXPECT_EQ(under_way(dial), 2U);
  EXPECT_TRUE(done_at(dial, t(50)));
}

TEST_F(Dialling, WhereAllRefuseTheLastReasonIsTold) {
  Dial dial({refusing(), refusing()}, t(0), t(100));
  ASSERT_TRUE(done_at(dial, t(0)));
  EXPECT_FALSE(dial.take_connection().open());
  EXPECT_EQ(dial.reason(), "Connection refused");
  EXPECT_EQ(dial.fault(), Fault::refused);
  EXPECT_TRUE(dial.doubtful(t(0)));
}

TEST_F(Dialling, NoDescriptorIsLostBetweenAddresses) {
  const std::set<int> before = test::open_descriptors();
  {
    Dial dial({refusing(), silent(), good()}, t(0), t(90));
    for (int ms = 0; ms < 90 && !dial.done(); ms += 10) dial.advance(t(ms));
    ASSERT_TRUE(done_at(dial, t(90)));
    EXPECT_EQ(under_way(dial), 0U);
    EXPECT_EQ(test::open_descriptors().size(), before.size() + 1);
  }
  EXPECT_EQ(test::open_descriptors(), before);
}

TEST_F(Dialling, ATimeOutIsBlamedOnTheAddressAndTheNextDialBeginsWithAnother) {
  Dial dial({silent(), refusing()}, t(0), t(100));
  EXPECT_FALSE(dial.doubtful(t(50) - test::kOneNs));
  dial.advance(t(50));
  EXPECT_TRUE(dial.doubtful(t(50)));
  EXPECT_EQ(dial.next_first(), refusing());
  const Dial only({silent()}, t(0), t(100));
  EXPECT_FALSE(only.doubtful(t(100) - test::kOneNs));
  EXPECT_TRUE(only.doubtful(t(100)));
  EXPECT_EQ(only.next_first(), std::nullopt);
}

TEST_F(Dialling, AConnectionSendsAtOnceAndIsKeptAliveEveryMinute) {
  Dial dial({good()}, t(0), t(100));
  ASSERT_TRUE(done_at(dial, t(0)));
  const Descriptor connection = dial.take_connection();
  EXPECT_EQ(option(connection, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(connection, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(connection, IPPROTO_TCP, TCP_KEEPIDLE), 60);
}

TEST_F(Dialling, NobodyDialsWithoutAnAddress) { EXPECT_DEATH(Dial({}, t(0), t(1)), "addresses_"); }

// A server on a unix socket that has no room for another connection.
class BusyUnixServer : public testing::Test {
 protected:
  BusyUnixServer() : path_(test::temp_path("busy")), listener_(make_socket()) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path_.copy(name.sun_path, sizeof(name.sun_path) - 1);
    Resolution one;
    const auto* bytes = reinterpret_cast<const sockaddr*>(&name);
    one.add(bytes, sizeof(name), AF_UNIX);
    address_ = one.addresses[0];
    EXPECT_EQ(bind(listener_.number(), bytes, sizeof(name)), 0);
    EXPECT_EQ(listen(listener_.number(), 0), 0);
    for (;;) {
      Descriptor filler = make_socket();
      if (connect(filler.number(), bytes, sizeof(name)) != 0) break;
      fillers_.push_back(std::move(filler));
    }
    EXPECT_EQ(errno, EAGAIN);
  }
  static Descriptor make_socket() {
    return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  }

  std::string path_;
  Descriptor listener_;
  SocketAddress address_;
  std::vector<Descriptor> fillers_;
};

TEST_F(BusyUnixServer, IsAskedAgainAfterAPauseUntilItHasRoom) {
  const std::set<int> before = test::open_descriptors();
  Dial dial({address_}, t(0), t(1'000));
  EXPECT_FALSE(dial.done());
  EXPECT_EQ(dial.wake_at(), t(0) + kBusyPause);
  EXPECT_EQ(dial.reason(), "the server has no room for another connection");
  dial.advance(t(500));
  EXPECT_FALSE(dial.done());
  EXPECT_EQ(dial.wake_at(), t(500) + kBusyPause);
  EXPECT_EQ(test::open_descriptors(), before);
  const Descriptor accepted(accept(listener_.number(), nullptr, nullptr));
  dial.advance(dial.wake_at());
  dial.advance(dial.wake_at());
  EXPECT_TRUE(dial.done());
  EXPECT_TRUE(dial.take_connection().open());
}

}  // namespace
}  // namespace redlock::dial_test
