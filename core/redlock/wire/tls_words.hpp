// What went wrong with a connection's TLS, in words for people: whose certificate, and what to do.
//
// It reads what OpenSSL left in this thread's queue of errors, and empties it.
#pragma once
#include <string>

namespace redlock {

// What is known of the connection, whatever OpenSSL says.
struct TlsCase {
  std::string name;         // who the server should be
  bool wants_ours = false;  // it asked for a certificate of ours
  bool shows_ours = false;  // and we have one
  long verify_result = 0;   // what came of looking at its certificate, in OpenSSL's numbers
};

// Without the server's address and without any secret.
[[nodiscard]] std::string tls_trouble(const TlsCase& known);
// The first of OpenSSL's errors in its own words, or `otherwise`.
[[nodiscard]] std::string openssl_words(const std::string& otherwise);
// The server wanted a certificate of ours and got none.
[[nodiscard]] std::string certificate_wanted();

}  // namespace redlock
