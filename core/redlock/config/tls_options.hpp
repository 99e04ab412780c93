// How one server's connection is encrypted, and who it may be: the names of these fields are PHP's
// own.
//
// Pure values; any thread. Nothing here has been read from disk: that is the runtime's business.
#pragma once
#include <compare>
#include <string>

#include "redlock/config/secret.hpp"

namespace redlock {

struct TlsOptions {
  std::string cafile;      // PEM, certificates that are trusted; both empty: the system's
  std::string capath;      // a folder of them, named by hash
  std::string local_cert;  // PEM, ours and its chain; empty: we show none
  std::string local_pk;    // PEM, its key; empty: stands in local_cert
  Secret passphrase;       // of local_pk; empty: none
  std::string peer_name;   // who the server must be; empty: the host that was asked for
  bool verify_peer = true;
  bool verify_peer_name = true;
  std::string ciphers;  // for TLS 1.2, in OpenSSL's words; empty: its own choice

  // By every field: what differs in one is another connection.
  std::strong_ordering operator<=>(const TlsOptions&) const = default;
};

}  // namespace redlock
