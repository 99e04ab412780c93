// A real server with a TLS port, and what its clients must trust.
#pragma once
#include <memory>
#include <string>

#include "io/support/redis_server.hpp"
#include "redlock/config/endpoint.hpp"
#include "support/certificates.hpp"

namespace redlock::test {

// The authority of all tests of this program.
const Certificate& trusted_authority();

struct TlsRedisSettings {
  // What it shows; empty: a good certificate for this machine.
  std::shared_ptr<const Certificate> shown;
  // Must clients show a certificate of the authority?
  bool wants_certificates = false;
  std::vector<std::string> lines;
};

class TlsRedis {
 public:
  explicit TlsRedis(const TlsRedisSettings& settings = {});

  // Its plain side, to look at it.
  [[nodiscard]] RedisServer& plain() { return *server_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // As a client names it that trusts the authority.
  [[nodiscard]] ServerSpec spec() const { return spec_at(port_); }
  [[nodiscard]] static ServerSpec spec_at(std::uint16_t port);
  // The authority's certificate.
  static const std::string& cafile();

 private:
  std::uint16_t port_;
  std::unique_ptr<RedisServer> server_;
};

// A server that all tests share where it need not be a special one; reset each time.
TlsRedis& shared_tls_redis();

}  // namespace redlock::test
