// The names of PHP's stream contexts, and what is made of them.
#include "redlock/config/tls_draft.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "redlock/config/endpoint.hpp"
#include "redlock/config/refusal.hpp"

namespace redlock {

namespace {

// PHP's STREAM_CRYPTO_METHOD_TLSv1_2_CLIENT without the bit for "client".
constexpr std::int64_t kMethodTls12 = 32;

struct TextOption {
  std::string_view name;
  std::string TlsOptions::* field;
};
constexpr std::array kTexts{
    TextOption{"cafile", &TlsOptions::cafile},
    TextOption{"capath", &TlsOptions::capath},
    TextOption{"local_cert", &TlsOptions::local_cert},
    TextOption{"local_pk", &TlsOptions::local_pk},
    TextOption{"peer_name", &TlsOptions::peer_name},
    TextOption{"ciphers", &TlsOptions::ciphers},
};

constexpr std::array<std::string_view, 3> kFlags{"verify_peer", "verify_peer_name",
                                                 "allow_self_signed"};
constexpr std::array<std::string_view, 2> kMethods{"crypto_method", "crypto_type"};
// The host's name is always sent, nothing is ever compressed, and nobody could be handed a
// captured certificate.
constexpr std::array<std::string_view, 4> kIdleOptions{
    "SNI_enabled", "disable_compression", "capture_peer_cert", "capture_peer_cert_chain"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void check_text(std::string_view name, std::string_view text) {
  if (text.size() > kTlsTextBytesMax) {
    refuse(std::string(name) + " must be at most 4096 bytes long");
  }
  if (text.find('\0') != std::string_view::npos) {
    refuse(std::string(name) + " must not contain null bytes");
  }
}

// Else a key would stand in the message that there is no such file.
void check_path(std::string_view name, std::string_view text) {
  constexpr std::string_view kPem = "-----BEGIN";
  if (text.find('\n') == std::string_view::npos && text.find(kPem) == std::string_view::npos)
    return;
  refuse(std::string(name) + " must be the path of a file, not its contents");
}

}  // namespace

TlsKind tls_kind(std::string_view name) {
  if (name == "passphrase" || std::ranges::find(kTexts, name, &TextOption::name) != kTexts.end()) {
    return TlsKind::text;
  }
  if (contains(kFlags, name)) return TlsKind::flag;
  if (contains(kMethods, name)) return TlsKind::methods;
  return contains(kIdleOptions, name) ? TlsKind::idle : TlsKind::unknown;
}

void refuse_tls_option(const std::string& shown_name) {
  refuse("there is no option of TLS " + shown_name +
         "; valid are cafile, capath, local_cert, local_pk, passphrase, peer_name, verify_peer, "
         "verify_peer_name, ciphers");
}

void TlsDraft::set_text(std::string_view name, std::string text) {
  if (text.empty()) return;
  given_ = true;
  if (name == "passphrase") {
    options_.passphrase = text;
    wipe(text);
    return;
  }
  options_.*(std::ranges::find(kTexts, name, &TextOption::name)->field) = std::move(text);
}

void TlsDraft::set_flag(std::string_view name, bool on) {
  given_ = true;
  if (name == "verify_peer") {
    options_.verify_peer = on;
  } else if (name == "verify_peer_name") {
    options_.verify_peer_name = on;
  } else {
    allow_self_signed_ = on;
  }
}

void TlsDraft::set_methods(std::string_view name, std::int64_t methods) {
  given_ = true;
  if ((methods & kMethodTls12) == 0) {
    refuse(std::string(name) + " must allow TLS 1.2: older versions are never used");
  }
}

TlsOptions TlsDraft::options() const {
  // With a CA of one's own the certificate itself can be that CA. Without one this option would
  // trust whoever answers, and look as if it did not.
  const bool own_ca = !options_.cafile.empty() || !options_.capath.empty();
  if (allow_self_signed_ && options_.verify_peer && !own_ca) {
    refuse(
        "allow_self_signed would trust every server: name the server's certificate in cafile, or "
        "set verify_peer to false");
  }
  return options_;
}

void check_tls(const TlsOptions& options) {
  for (const TextOption& option : kTexts) check_text(option.name, options.*option.field);
  check_text("passphrase", options.passphrase);
  check_path("cafile", options.cafile);
  check_path("capath", options.capath);
  check_path("local_cert", options.local_cert);
  check_path("local_pk", options.local_pk);
  // OpenSSL takes no longer one, and would call it another.
  if (options.passphrase.size() > kTlsPassphraseBytesMax) {
    refuse("passphrase must be at most 1024 bytes long");
  }
  if (options.peer_name.starts_with('.')) refuse("peer_name must not begin with a dot");
  if (!options.local_cert.empty()) return;
  if (!options.local_pk.empty()) refuse("local_pk needs a local_cert");
  if (!options.passphrase.empty()) refuse("passphrase needs a local_cert");
}

}  // namespace redlock
