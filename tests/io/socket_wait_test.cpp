// What a wait is ended by, and what it leaves alone.
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

#include "io/support/eventually.hpp"
#include "io/support/loopback.hpp"
#include "io/support/name_server.hpp"
#include "io/support/temp_folder.hpp"
#include "redlock/os/descriptor.hpp"
#include "redlock/os/socket.hpp"
#include "support/system_calls.hpp"

namespace redlock::socket_wait_test {
namespace {

using test::eventually;

class AWait : public testing::Test {
 protected:
  AWait() {
    endpoint_.host = "127.0.0.1";
    endpoint_.port = listener_.port;
  }
  ~AWait() override { close(listener_.descriptor); }

  Woken wait_for(SocketTransport& transport, ConnectionId id, Wants wants, Duration span) {
    Interest interest{id, wants, false, false};
    return transport.wait(std::span(&interest, 1), clock_.now() + span);
  }
  void connect(SocketTransport& transport, ConnectionId id) {
    EXPECT_TRUE(eventually([&] {
      wait_for(transport, id, {true, true, false}, Duration::ms(20));
      return transport.status(id).state == LinkState::connected;
    }));
  }
  // A wait for a connection that is being made fails by itself.
  LinkStatus fail_waiting(SocketTransport& transport, ConnectionId id) {
    EXPECT_EQ(transport.status(id).state, LinkState::connecting);
    test::SystemCalls calls;
    calls.fail(0, ENOMEM, "ppoll");
    EXPECT_EQ(wait_for(transport, id, {true, true, false}, Duration::seconds(10)), Woken::ready);
    EXPECT_EQ(transport.status(id).state, LinkState::failed);
    return transport.status(id);
  }
  Descriptor accepted() {
    Descriptor server;
    EXPECT_TRUE(eventually([&] {
      server = Descriptor(accept4(listener_.descriptor, nullptr, nullptr, SOCK_CLOEXEC));
      return server.open();
    }));
    return server;
  }

  test::Listener listener_ = test::listen_on_loopback(8);
  Endpoint endpoint_;
  SystemClock clock_;
  SocketTransport transport_{clock_};
};

TEST_F(AWait, IsNotEndedByWhatNobodyWantsToRead) {
  const ConnectionId id = transport_.open(endpoint_, Instant::never());
  connect(transport_, id);
  const Descriptor server = accepted();
  ASSERT_EQ(write(server.number(), "+OK\r\n", 5), 5);
  ASSERT_EQ(wait_for(transport_, id, {true, false, false}, Duration::seconds(10)), Woken::ready);
  EXPECT_EQ(wait_for(transport_, id, {false, false, false}, Duration::ms(20)), Woken::deadline);
}

// The server has taken what there was to be sent, and whoever asks for room for more turns round.
TEST_F(AWait, ForAServersPartOfAHandshakeIsSpentAsleep) {
  endpoint_.tls.emplace();
  const ConnectionId id = transport_.open(endpoint_, Instant::never());
  const Descriptor server = accepted();
  ASSERT_TRUE(eventually([&] {
    wait_for(transport_, id, {true, true, false}, Duration::ms(1));
    int unread = 0;
    return ioctl(server.number(), FIONREAD, &unread) == 0 && unread > 0;
  })) << "it greets the server";
  test::SystemCalls calls;
  calls.fail(50, EINTR, "ppoll");
  const Instant until = clock_.now() + Duration::ms(200);
  while (clock_.now() < until) {
    wait_for(transport_, id, {true, true, false}, until - clock_.now());
  }
  EXPECT_FALSE(calls.failed());
}

// Both wait for one look-up, which is over when the second one begins to.
TEST_F(AWait, ForANameThatAnotherConnectionHasLookedUpIsShort) {
  test::NameServer names;
  names.know("good.test", {"127.0.0.1"});
  SocketTransport transport(clock_, names.sources());
  endpoint_.host = "good.test";
  const ConnectionId first = transport.open(endpoint_, Instant::never());
  const ConnectionId second = transport.open(endpoint_, Instant::never());
  connect(transport, first);
  const Instant before = clock_.now();
  EXPECT_EQ(wait_for(transport, second, {true, true, false}, Duration::seconds(10)), Woken::ready);
  EXPECT_LT(clock_.now() - before, Duration::seconds(5));
  EXPECT_EQ(transport.status(second).state, LinkState::connected);
  EXPECT_EQ(names.asked(), 2) << "once for both versions of IP";
}

// A server that has room again by then is not connected to behind its user's back.
TEST_F(AWait, ThatFailedIsTheEndOfAConnectionThatWasBeingMade) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string path = test::temp_path("full");
  path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  const auto* const address = reinterpret_cast<const sockaddr*>(&name);
  const Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(listener.number(), address, sizeof(name)), 0);
  ASSERT_EQ(listen(listener.number(), 0), 0);
  const Descriptor filler(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(filler.number(), address, sizeof(name)), 0);
  Endpoint full;
  full.unix_path = path;
  const ConnectionId id = transport_.open(full, Instant::never());
  const LinkStatus failed = fail_waiting(transport_, id);
  const Descriptor served(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(served.open());
  for (int i = 0; i < 5; ++i) {
    wait_for(transport_, id, {true, true, false}, Duration::seconds(10));
    EXPECT_EQ(transport_.status(id).state, LinkState::failed);
  }
  EXPECT_EQ(transport_.status(id).reason, failed.reason);
}

// Its answer connects whoever else waits for it, and nobody behind his back.
TEST_F(AWait, ThatFailedIsTheEndOfALookUp) {
  test::NameServer names;
  names.know("good.test", {"127.0.0.1"});
  SocketTransport transport(clock_, names.sources());
  endpoint_.host = "good.test";
  const ConnectionId id = transport.open(endpoint_, Instant::never());
  const LinkStatus failed = fail_waiting(transport, id);
  connect(transport, transport.open(endpoint_, Instant::never()));
  EXPECT_EQ(names.asked(), 2) << "they share the look-up";
  for (int i = 0; i < 5; ++i) {
    wait_for(transport, id, {true, true, false}, Duration::seconds(10));
    EXPECT_EQ(transport.status(id).state, LinkState::failed);
  }
  EXPECT_EQ(transport.status(id).reason, failed.reason);
}

}  // namespace
}  // namespace redlock::socket_wait_test
