// OpenSSL between two memory BIOs.
#ifdef REDLOCK_OPENSSL
#include "redlock/wire/tls_stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <new>

#include "redlock/algorithm/invariant.hpp"
#include "redlock/wire/tls_words.hpp"

namespace redlock {

namespace {

// Every record begins with its kind and the version's first byte.
bool begins_a_record(std::string_view bytes, std::size_t position) {
  if (position == 0 &&
      (bytes[0] < SSL3_RT_CHANGE_CIPHER_SPEC || bytes[0] > SSL3_RT_APPLICATION_DATA))
    return false;
  const std::size_t version_at = 1 - std::min<std::size_t>(position, 1);
  return position > 1 || version_at >= bytes.size() || bytes[version_at] == SSL3_VERSION_MAJOR;
}

// A name in the certificate is looked at though the certificate itself is not, as PHP does.
int judge_name_alone(int /*accepted*/, X509_STORE_CTX* verdict) {
  const int error = X509_STORE_CTX_get_error(verdict);
  return error == X509_V_ERR_HOSTNAME_MISMATCH || error == X509_V_ERR_IP_ADDRESS_MISMATCH ? 0 : 1;
}

// There are ways to shake hands without one, and nothing is verified then.
bool shows_certificate(const SSL& ssl) {
  X509* const shown = SSL_get_peer_certificate(&ssl);
  X509_free(shown);
  return shown != nullptr;
}

BIO* new_buffer() {
  BIO* const buffer = BIO_new(BIO_s_mem());
  if (buffer == nullptr) throw std::bad_alloc();
  // Empty is not the end.
  BIO_set_mem_eof_return(buffer, -1);
  return buffer;
}

// What a call says of its trouble it says in a queue, in which others may have left theirs.
template <class Call>
int afresh(Call call) {
  ERR_clear_error();
  return call();
}

}  // namespace

void TlsSessionEnd::operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }

// OpenSSL calls these with the stream's own.
struct TlsStream::Callbacks {
  static TlsStream& stream_of(SSL* ssl) { return *static_cast<TlsStream*>(SSL_get_app_data(ssl)); }

  // Retains the session: 1.
  static int take_new_session(SSL* ssl, SSL_SESSION* session) {
    stream_of(ssl).session_.reset(session);
    return 1;
  }
  static int note_certificate_wanted(SSL* /*ssl*/, void* stream) {
    static_cast<TlsStream*>(stream)->wants_ours_ = true;
    return 1;
  }
};

void TlsStream::prepare(SSL_CTX& context) {
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(&context, Callbacks::take_new_session);
  SSL_CTX_set_max_cert_list(&context, static_cast<long>(kTlsCertificatesMax));
}

TlsStream::TlsStream(SSL_CTX& context, const TlsOptions& options, const std::string& name,
                     SSL_SESSION* earlier)
    : ssl_(SSL_new(&context), SSL_free),
      name_(options.peer_name.empty() ? name : options.peer_name) {
  if (!ssl_) throw std::bad_alloc();
  in_ = new_buffer();
  SSL_set0_rbio(ssl_.get(), in_);
  out_ = new_buffer();
  SSL_set0_wbio(ssl_.get(), out_);
  SSL_set_app_data(ssl_.get(), this);
  SSL_set_cert_cb(ssl_.get(), Callbacks::note_certificate_wanted, this);
  SSL_set_connect_state(ssl_.get());
  expect(options, name_);
  // Where it fits no longer, or is none, there is a whole handshake.
  static_cast<void>(SSL_set_session(ssl_.get(), earlier));
  shake();
}

// Without these words SSL_free would call a session unfit for the next connection. They are not
// sent.
TlsStream::~TlsStream() { SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN); }

void TlsStream::expect(const TlsOptions& options, const std::string& name) {
  const std::string host = name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl_.get());
  if (options.verify_peer_name) {
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const bool named = X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1 ||
                       SSL_set1_host(ssl_.get(), host.c_str()) == 1;
    // A name that begins with a dot would stand for all names that end so.
    if (!named || host.empty() || host.front() == '.')
      return end(Fault::tls, "no name to compare the certificate with");
  }
  const bool judges = options.verify_peer || options.verify_peer_name;
  SSL_set_verify(ssl_.get(), judges ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                 options.verify_peer ? nullptr : judge_name_alone);
  // Addresses are no names to ask for.
  ASN1_OCTET_STRING* const address = a2i_IPADDRESS(host.c_str());
  if (address == nullptr) SSL_set_tlsext_host_name(ssl_.get(), host.c_str());
  ASN1_OCTET_STRING_free(address);
}

bool TlsStream::made_of(const SSL_CTX& context) const {
  return SSL_get_SSL_CTX(ssl_.get()) == &context;
}

bool TlsStream::resumed() const { return SSL_session_reused(ssl_.get()) == 1; }

void TlsStream::shake() {
  if (state_ != State::shaking) return;
  const int result = afresh([this] { return SSL_do_handshake(ssl_.get()); });
  if (result != 1) {
    wants_more(result);
  } else if (SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE && !shows_certificate(*ssl_)) {
    end(Fault::tls, "the server showed no certificate");
  } else {
    state_ = State::open;
  }
}

void TlsStream::feed(std::string_view bytes) {
  REDLOCK_INVARIANT(bytes.size() <= kTlsFeedMax);
  if (state_ == State::ended || bytes.empty()) return;
  speaks_tls_ = speaks_tls_ && begins_a_record(bytes, heard_bytes_);
  heard_bytes_ += bytes.size();
  if (!speaks_tls_) return end(Fault::tls, "the server does not speak TLS");
  const int size = static_cast<int>(bytes.size());
  if (BIO_write(in_, bytes.data(), size) != size) throw std::bad_alloc();
  drained_ = false;
  reads_first_ = false;
  shake();
}

void TlsStream::note_end(const std::string& reason) {
  // TLS 1.3 is open for us before the server has looked at our certificate.
  const bool none_shown = wants_ours_ && SSL_get_certificate(ssl_.get()) == nullptr;
  if (none_shown && !read_any_) return end(Fault::tls, certificate_wanted());
  if (state_ == State::open) return end(Fault::closed, reason);
  end(Fault::closed, reason + (heard_any() ? " during the TLS handshake"
                                           : " instead of a TLS handshake: no TLS here?"));
}

std::size_t TlsStream::read(std::span<char> into) {
  std::size_t total = 0;
  while (buffered() && total < into.size()) {
    const std::span<char> rest = into.subspan(total);
    std::size_t got = 0;
    const int result =
        afresh([&] { return SSL_read_ex(ssl_.get(), rest.data(), rest.size(), &got); });
    if (result != 1) {
      drained_ = wants_more(result);
      break;
    }
    total += got;
    // One call less.
    drained_ = BIO_ctrl_pending(in_) == 0 && SSL_has_pending(ssl_.get()) == 0;
  }
  read_any_ = read_any_ || total > 0;
  return total;
}

bool TlsStream::buffered() const {
  return state_ == State::open && !drained_ && output().size() <= kTlsOutputMax;
}

std::size_t TlsStream::write(std::string_view plain) {
  const bool room = !holds_plain_ && output().size() <= kTlsOutputMax;
  if (state_ != State::open || plain.empty() || !room) return 0;
  std::size_t written = 0;
  const std::size_t size = std::min(plain.size(), kTlsRecordMax);
  const int result = afresh([&] { return SSL_write_ex(ssl_.get(), plain.data(), size, &written); });
  if (result != 1) {
    reads_first_ = wants_more(result);
    return 0;
  }
  holds_plain_ = true;
  return written;
}

std::string_view TlsStream::output() const {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out_, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

void TlsStream::mark_sent(std::size_t size) {
  std::array<char, 4096> gone;
  while (size > 0) {
    const std::size_t part = std::min(size, gone.size());
    const int taken = BIO_read(out_, gone.data(), static_cast<int>(part));
    REDLOCK_INVARIANT(taken > 0);
    size -= static_cast<std::size_t>(taken);
  }
  if (output().empty()) holds_plain_ = false;
}

void TlsStream::say_goodbye() {
  if (state_ != State::open) return;
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
  end(Fault::closed, "closed by us");
}

bool TlsStream::wants_more(int result) {
  const int said = SSL_get_error(ssl_.get(), result);
  if (said == SSL_ERROR_WANT_READ) return true;
  if (said == SSL_ERROR_ZERO_RETURN) {
    note_end("the server closed the connection");
  } else {
    end(Fault::tls, tls_trouble({name_, wants_ours_, SSL_get_certificate(ssl_.get()) != nullptr,
                                 SSL_get_verify_result(ssl_.get())}));
  }
  return false;
}

void TlsStream::end(Fault fault, std::string reason) {
  if (state_ == State::ended) return;
  state_ = State::ended;
  fault_ = fault;
  reason_ = std::move(reason);
}

}  // namespace redlock
#endif
