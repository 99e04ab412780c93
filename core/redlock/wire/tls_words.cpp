// OpenSSL's numbers, and the alerts that a server sends before it hangs up.
#ifdef REDLOCK_OPENSSL
#include "redlock/wire/tls_words.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <optional>

namespace redlock {

namespace {

std::string verdict_on_certificate(const TlsCase& known) {
  switch (known.verify_result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the server's certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the server's certificate is not valid yet";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "the server's certificate is self-signed, and not among those that are trusted";
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return "the server's certificate comes from an authority that is not trusted";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "the server's certificate is not for " + known.name;
    default:
      return std::string("the server's certificate was not accepted: ") +
             X509_verify_cert_error_string(known.verify_result);
  }
}

// By its number in RFC 8446, section 6.
std::string words_of_alert(int alert, const TlsCase& known) {
  const bool none_shown = known.wants_ours && !known.shows_ours;
  switch (alert) {
    case SSL_AD_CERTIFICATE_REQUIRED:
      return certificate_wanted();
    case SSL_AD_HANDSHAKE_FAILURE:
      return none_shown
                 ? certificate_wanted()
                 : "the server refused the handshake: no version, cipher or certificate that "
                   "it accepts";
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_DECRYPT_ERROR:
    case SSL_AD_ACCESS_DENIED:
      return none_shown ? certificate_wanted() : "the server does not accept our certificate";
    case SSL_AD_CERTIFICATE_REVOKED:
      return "the server says that our certificate was revoked";
    case SSL_AD_CERTIFICATE_EXPIRED:
      return "the server says that our certificate has expired";
    case SSL_AD_UNKNOWN_CA:
      return "the server does not trust the authority that our certificate comes from";
    case SSL_AD_PROTOCOL_VERSION:
      return "the server speaks no version of TLS that we do: 1.2 or later";
    case SSL_AD_UNRECOGNIZED_NAME:
      return "the server does not know the name " + known.name;
    default:
      return std::string("the server ended TLS: ") + SSL_alert_desc_string_long(alert);
  }
}

// Nothing: it is one of those that OpenSSL tells best itself.
std::optional<std::string> words_of_error(unsigned long error, const TlsCase& known) {
  if (ERR_GET_LIB(error) != ERR_LIB_SSL) return std::nullopt;
  const int reason = ERR_GET_REASON(error);
  if (reason >= SSL_AD_REASON_OFFSET) return words_of_alert(reason - SSL_AD_REASON_OFFSET, known);
  switch (reason) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return verdict_on_certificate(known);
    case SSL_R_UNSUPPORTED_PROTOCOL:
      return "the server speaks no version of TLS that we do: 1.2 or later";
    default:
      return std::nullopt;
  }
}

std::string shown(unsigned long error) {
  const char* const words = ERR_reason_error_string(error);
  return words == nullptr ? "error " + std::to_string(error) : words;
}

}  // namespace

std::string certificate_wanted() {
  return "the server wants a certificate of ours, and there is none: option local_cert";
}

std::string openssl_words(const std::string& otherwise) {
  const unsigned long first = ERR_peek_error();
  ERR_clear_error();
  return first == 0 ? otherwise : shown(first);
}

std::string tls_trouble(const TlsCase& known) {
  const unsigned long first = ERR_peek_error();
  std::optional<std::string> found;
  for (unsigned long error = 0; !found && (error = ERR_get_error()) != 0;) {
    found = words_of_error(error, known);
  }
  ERR_clear_error();
  if (found) return *found;
  return "TLS failed: " + (first == 0 ? "an error without a reason" : shown(first));
}

}  // namespace redlock
#endif
