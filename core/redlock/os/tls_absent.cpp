// In place of the other tls files where redlock is built without OpenSSL. No plan of servers lets a
// server with TLS through then.
#ifndef REDLOCK_OPENSSL
#include "redlock/algorithm/invariant.hpp"
#include "redlock/os/tls_context.hpp"

namespace redlock {

bool tls_available() { return false; }
std::string openssl_version() { return {}; }

void TlsContexts::ContextEnd::operator()(ssl_ctx_st* /*context*/) const noexcept {}
void TlsContexts::prepare(const TlsOptions& /*options*/) {}
TlsContexts::Begun TlsContexts::begin(const Endpoint& /*server*/) {
  return {nullptr, "built without OpenSSL"};
}
void TlsContexts::remember(const Endpoint& /*server*/, TlsStream& /*stream*/) {}

// There is never a stream.
void TlsSessionEnd::operator()(ssl_session_st* /*session*/) const noexcept {}
TlsStream::~TlsStream() = default;
void TlsStream::feed(std::string_view /*bytes*/) { REDLOCK_INVARIANT(false); }
void TlsStream::note_end(const std::string& /*reason*/) { REDLOCK_INVARIANT(false); }
std::size_t TlsStream::read(std::span<char> /*into*/) { return 0; }
bool TlsStream::buffered() const { return false; }
std::size_t TlsStream::write(std::string_view /*plain*/) { return 0; }
std::string_view TlsStream::output() const { return {}; }
void TlsStream::mark_sent(std::size_t /*size*/) {}
void TlsStream::say_goodbye() {}

}  // namespace redlock
#endif
