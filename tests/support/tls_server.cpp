// OpenSSL between two memory BIOs, from the other side.
#include "support/tls_server.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <stdexcept>

namespace redlock::test {

TlsServer::TlsServer(const Certificate& shown, const TlsServerSettings& settings)
    : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
  SSL_CTX* const made = context_.get();
  SSL_CTX_set_max_proto_version(made, settings.tls13 ? TLS1_3_VERSION : TLS1_2_VERSION);
  const bool usable = SSL_CTX_use_certificate(made, shown.certificate()) == 1 &&
                      SSL_CTX_use_PrivateKey(made, shown.key()) == 1;
  if (!usable) throw std::runtime_error("no server of this certificate");
  constexpr std::string_view kContext = "test";
  SSL_CTX_set_session_id_context(made, reinterpret_cast<const unsigned char*>(kContext.data()),
                                 kContext.size());
  if (settings.clients == nullptr) return;
  SSL_CTX_set_verify(made, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(made), settings.clients->certificate());
}

TlsServerEnd::TlsServerEnd(const TlsServer& server) : ssl_(SSL_new(server.context()), SSL_free) {
  SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  BIO_set_mem_eof_return(SSL_get_rbio(ssl_.get()), -1);
  SSL_set_accept_state(ssl_.get());
}

void TlsServerEnd::feed(std::string_view bytes) {
  BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
  ERR_clear_error();
  std::array<char, 4096> plain;
  std::size_t got = 0;
  while (SSL_read_ex(ssl_.get(), plain.data(), plain.size(), &got) == 1) {
    heard_.append(plain.data(), got);
  }
  ERR_clear_error();
}

bool TlsServerEnd::try_to_say(std::string_view plain) {
  std::size_t said = 0;
  ERR_clear_error();
  return SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &said) == 1 && said == plain.size();
}

void TlsServerEnd::say(std::string_view plain) {
  if (!try_to_say(plain)) throw std::runtime_error("the server cannot say it");
}

void TlsServerEnd::ask_for_new_keys() {
  SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(ssl_.get());
}

void TlsServerEnd::change_keys() {
  SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
  SSL_do_handshake(ssl_.get());
}

void TlsServerEnd::ask_for_a_new_handshake() {
  SSL_renegotiate(ssl_.get());
  SSL_do_handshake(ssl_.get());
}

void TlsServerEnd::say_goodbye() { SSL_shutdown(ssl_.get()); }

std::string TlsServerEnd::take_output() {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(SSL_get_wbio(ssl_.get()), &bytes);
  std::string output(bytes, static_cast<std::size_t>(size));
  static_cast<void>(BIO_reset(SSL_get_wbio(ssl_.get())));
  return output;
}

bool TlsServerEnd::told_goodbye() const {
  return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

bool TlsServerEnd::open() const { return SSL_is_init_finished(ssl_.get()) == 1; }

}  // namespace redlock::test
