// A stream of ours and a server's end, and the bytes between them, which pass when the test says
// so.
#pragma once
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>

#include "redlock/wire/tls_stream.hpp"
#include "support/certificates.hpp"
#include "support/tls_server.hpp"

namespace redlock::test {

// What streams are made of, with one authority that is trusted.
inline std::shared_ptr<SSL_CTX> client_context(const Certificate& trusted) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), trusted.certificate());
  TlsStream::prepare(*context);
  return context;
}

struct TlsPair {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  TlsPair(SSL_CTX& context, const TlsServer& server, const TlsOptions& options = {},
          const std::string& name = "localhost", SSL_SESSION* earlier = nullptr)
      : ours(context, options, name, earlier), theirs(server) {}

  void pass_to_server() {
    const std::string bytes(ours.output());
    ours.mark_sent(bytes.size());
    theirs.feed(bytes);
  }
  // At most so many bytes of what the server has said in all, in slices; gives how many there were.
  std::size_t pass_to_client(std::size_t limit = kAll, std::size_t slice = kTlsFeedMax) {
    const std::string bytes = theirs.take_output();
    for (std::size_t at = 0; at < bytes.size() && passed < limit;) {
      const std::size_t size = std::min({slice, bytes.size() - at, limit - passed});
      ours.feed(std::string_view(bytes).substr(at, size));
      at += size;
      passed += size;
    }
    return bytes.size();
  }
  // Until neither has anything to say to the other.
  void shake(std::size_t limit = kAll, std::size_t slice = kTlsFeedMax) {
    do {
      pass_to_server();
    } while (pass_to_client(limit, slice) > 0 || !ours.output().empty());
  }
  std::string read_all() {
    std::string text;
    std::array<char, 1000> buffer;
    while (const std::size_t got = ours.read(buffer)) text.append(buffer.data(), got);
    return text;
  }

  TlsStream ours;
  TlsServerEnd theirs;
  std::size_t passed = 0;
};

}  // namespace redlock::test
