// A connection by TLS that is closed, or left to its server, before all is answered.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string_view>

#include "io/support/eventually.hpp"
#include "io/support/loopback.hpp"
#include "io/support/tls_redis.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/descriptor.hpp"
#include "redlock/os/socket.hpp"
#include "support/tls_server.hpp"

namespace redlock::tls_half_close_test {
namespace {

using test::eventually;
using test::TlsRedis;

// Whatever is done with the connection behind them.
void expect_goodbye_behind_last_words(void (SocketTransport::*leave)(ConnectionId)) {
  const test::Listener listener = test::listen_on_loopback(1);
  Endpoint endpoint;
  endpoint.host = "127.0.0.1";
  endpoint.port = listener.port;
  endpoint.tls.emplace();
  endpoint.tls->cafile = TlsRedis::cafile();
  endpoint.tls->peer_name = "localhost";
  const test::TlsServer server(test::trusted_authority().issue());
  test::TlsServerEnd end(server);
  SystemClock clock;
  SocketTransport transport(clock);
  const ConnectionId ours = transport.open(endpoint, Instant::never());
  Descriptor theirs;
  const auto pass = [&] {
    if (!theirs.open()) {
      theirs = Descriptor(accept4(listener.descriptor, nullptr, nullptr, SOCK_CLOEXEC));
      return;
    }
    std::array<char, 8192> buffer;
    const ssize_t got = recv(theirs.number(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) end.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    const std::string output = end.take_output();
    EXPECT_EQ(send(theirs.number(), output.data(), output.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(output.size()));
  };
  Interest interest{ours, {true, true, false}, false, false};
  ASSERT_TRUE(eventually([&] {
    pass();
    transport.wait(std::span(&interest, 1), Instant());
    return transport.status(ours).state == LinkState::connected;
  }));
  ASSERT_EQ(transport.send(ours, "SET\r\nundo").state, IoState::progress);
  (transport.*leave)(ours);
  EXPECT_TRUE(eventually([&] {
    pass();
    return end.told_goodbye();
  }));
  EXPECT_EQ(end.heard(), "SET\r\nundo");
  close(listener.descriptor);
}

TEST(ATlsConnectionThatIsLeftBehind, SaysGoodbyeBehindItsLastWords) {
  expect_goodbye_behind_last_words(&SocketTransport::close_behind);
}

TEST(ATlsConnectionThatIsClosed, SaysGoodbyeBehindItsLastWords) {
  expect_goodbye_behind_last_words(&SocketTransport::close);
}

}  // namespace
}  // namespace redlock::tls_half_close_test
