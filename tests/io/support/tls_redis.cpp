// redis.conf's lines, and files with certificates.
#include "io/support/tls_redis.hpp"

#include "io/support/temp_folder.hpp"

namespace redlock::test {

const Certificate& trusted_authority() {
  static const Certificate kAuthority = Certificate::authority();
  return kAuthority;
}

const std::string& TlsRedis::cafile() {
  static const std::string kPath =
      write_file(temp_path("authority"), trusted_authority().certificate_pem());
  return kPath;
}

TlsRedis::TlsRedis(const TlsRedisSettings& settings) : port_(free_port()) {
  const Certificate shown = settings.shown ? *settings.shown : trusted_authority().issue();
  const std::string certificate = write_file(temp_path("certificate"), shown.certificate_pem());
  const std::string key = write_file(temp_path("key"), shown.key_pem());
  ServerSettings plain;
  plain.lines = {"tls-port " + std::to_string(port_), "tls-cert-file " + certificate,
                 "tls-key-file " + key, "tls-ca-cert-file " + cafile(),
                 settings.wants_certificates ? "tls-auth-clients yes" : "tls-auth-clients no"};
  plain.lines.insert(plain.lines.end(), settings.lines.begin(), settings.lines.end());
  server_ = std::make_unique<RedisServer>(std::move(plain));
}

ServerSpec TlsRedis::spec_at(std::uint16_t port) {
  ServerSpec spec = parse_server("127.0.0.1:" + std::to_string(port));
  spec.endpoint.tls.emplace();
  spec.endpoint.tls->cafile = cafile();
  return spec;
}

TlsRedis& shared_tls_redis() {
  static TlsRedis redis;
  redis.plain().reset();
  return redis;
}

}  // namespace redlock::test
