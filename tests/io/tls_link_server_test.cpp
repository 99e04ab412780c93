// A stream to a real server, which knows it again.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>

#include "io/support/eventually.hpp"
#include "io/support/tls_redis.hpp"
#include "redlock/os/descriptor.hpp"
#include "redlock/os/tls_link.hpp"

namespace redlock::tls_link_server_test {
namespace {

using test::eventually;

// Shakes hands with the shared server as if it was that one; was it known already?
bool is_known(TlsContexts& contexts, const Endpoint& endpoint) {
  const Descriptor socket(test::connect_to_port(test::shared_tls_redis().port()));
  fcntl(socket.number(), F_SETFL, fcntl(socket.number(), F_GETFL) | O_NONBLOCK);
  TlsLink link(contexts, endpoint);
  EXPECT_TRUE(eventually([&] {
    link.shake(socket.number());
    return link.status().state != LinkState::connecting;
  }));
  EXPECT_EQ(link.status().state, LinkState::connected) << link.status().reason;
  EXPECT_EQ(link.send(socket.number(), "PING\r\n").state, IoState::progress);
  std::array<char, 100> buffer{};
  EXPECT_TRUE(
      eventually([&] { return link.receive(socket.number(), buffer).state == IoState::progress; }));
  EXPECT_EQ(std::string_view(buffer.data(), 7), "+PONG\r\n");
  return link.resumed();
}

TEST(ATlsLinkToARealServer, IsKnownAgainWhenItIsMadeAnew) {
  TlsContexts contexts;
  const Endpoint endpoint = test::shared_tls_redis().spec().endpoint;
  for (const bool again : {false, true, true}) EXPECT_EQ(is_known(contexts, endpoint), again);
}

TEST(ATlsLinkToARealServer, IsNotTakenForAnotherServerOfThatHost) {
  TlsContexts contexts;
  Endpoint endpoint = test::shared_tls_redis().spec().endpoint;
  EXPECT_FALSE(is_known(contexts, endpoint));
  ++endpoint.port;
  EXPECT_FALSE(is_known(contexts, endpoint));
}

}  // namespace
}  // namespace redlock::tls_link_server_test
