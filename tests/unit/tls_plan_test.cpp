// Servers that want TLS and cannot have it are refused before anything is sent.
#include <gtest/gtest.h>

#include "redlock/locks/server_plan.hpp"
#include "redlock/os/tls_context.hpp"

namespace redlock::tls_plan_test {
namespace {

std::string refusal_of(const std::vector<ServerSpec>& servers) {
  try {
    static_cast<void>(ServerPlan(servers, {kTimeoutDefault}, {}));
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "accepted";
}

class TlsInAPlan : public testing::Test {
 protected:
  TlsInAPlan() { servers_[1].endpoint.tls.emplace(); }
  std::vector<ServerSpec> servers_ = {parse_server("a"), parse_server("b")};
};

TEST_F(TlsInAPlan, IsRefusedByABuildWithoutOpenSsl) {
  EXPECT_EQ(refusal_of(servers_),
            tls_available() ? "accepted"
                            : "server 2 wants TLS, and redlock was built without OpenSSL: b:6379");
}

TEST_F(TlsInAPlan, NeedsANameWhereThereIsNoHost) {
  if (!tls_available()) GTEST_SKIP() << "built without OpenSSL";
  Endpoint& endpoint = servers_[1].endpoint;
  endpoint.unix_path = "/run/redis.sock";
  endpoint.host.clear();
  EXPECT_EQ(refusal_of(servers_),
            "server 2 has no host name to compare its certificate with: peer_name is needed for "
            "unix:///run/redis.sock");
  endpoint.tls->verify_peer_name = false;
  EXPECT_EQ(refusal_of(servers_), "accepted");
  endpoint.tls->verify_peer_name = true;
  endpoint.tls->peer_name = "redis.example";
  EXPECT_EQ(refusal_of(servers_), "accepted");
}

}  // namespace
}  // namespace redlock::tls_plan_test
