// SSL_CTX, made of files.
#ifdef REDLOCK_OPENSSL
#include "redlock/os/tls_context.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

#include "redlock/algorithm/invariant.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/descriptor.hpp"
#include "redlock/wire/tls_words.hpp"

namespace redlock {

namespace {

// Why no context can be made of the options.
class TlsFileTrouble : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(const char* option, const std::string& path, const std::string& why) {
  throw TlsFileTrouble(std::string(option) + " " + path + ": " + why);
}

// What a key's file may be read with, and whether that was needed.
struct Passphrase {
  const Secret& secret;
  bool asked = false;
};

// Instead of OpenSSL's own, which asks on the terminal.
int tell_passphrase(char* into, int size, int /*for_writing*/, void* known) {
  auto* const passphrase = static_cast<Passphrase*>(known);
  if (passphrase == nullptr) return -1;
  passphrase->asked = true;
  const std::string& text = passphrase->secret.text();
  if (text.empty() || text.size() > static_cast<std::size_t>(size)) return -1;
  std::ranges::copy(text, into);
  return static_cast<int>(text.size());
}

void read_authorities(SSL_CTX* context, const TlsOptions& options) {
  if (options.cafile.empty() && options.capath.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1) throw std::bad_alloc();
    return;
  }
  const auto load = [&](const char* option, const std::string& path, const char* file,
                        const char* folder) {
    if (path.empty() || SSL_CTX_load_verify_locations(context, file, folder) == 1) return;
    fail(option, path,
         "holds no certificates that can be read: " + openssl_words("there are none"));
  };
  load("cafile", options.cafile, options.cafile.c_str(), nullptr);
  load("capath", options.capath, nullptr, options.capath.c_str());
}

// Why it could not be read, or does not fit. Empties OpenSSL's queue of errors.
std::string key_trouble(const Passphrase& passphrase) {
  // It compares key and certificate as soon as it has both.
  const bool foreign = ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_X509;
  const std::string words = openssl_words("there is none");
  if (foreign) return "the key does not belong to local_cert";
  if (!passphrase.asked) return "holds no private key that can be read: " + words;
  return passphrase.secret.empty() ? "the key is encrypted, and there is no passphrase"
                                   : "the key is encrypted with another passphrase";
}

void read_key(SSL_CTX* context, const char* option, const std::string& path, const Secret& secret) {
  Passphrase passphrase{secret};
  SSL_CTX_set_default_passwd_cb_userdata(context, &passphrase);
  const bool read = SSL_CTX_use_PrivateKey_file(context, path.c_str(), SSL_FILETYPE_PEM) == 1;
  SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
  if (!read) fail(option, path, key_trouble(passphrase));
  // Of another kind, it has not been compared.
  const bool belongs = SSL_CTX_check_private_key(context) == 1;
  ERR_clear_error();
  if (!belongs) fail(option, path, "the key does not belong to local_cert");
}

void read_own(SSL_CTX* context, const TlsOptions& options) {
  if (options.local_cert.empty()) return;
  if (SSL_CTX_use_certificate_chain_file(context, options.local_cert.c_str()) != 1) {
    fail("local_cert", options.local_cert,
         "holds no certificate that can be read: " + openssl_words("there is none"));
  }
  const bool apart = !options.local_pk.empty();
  read_key(context, apart ? "local_pk" : "local_cert",
           apart ? options.local_pk : options.local_cert, options.passphrase);
}

// A pipe or a terminal would hold us up.
void check_kind(const char* option, const std::string& path, mode_t mode, bool is_folder) {
  if (is_folder && !S_ISDIR(mode)) fail(option, path, "is no folder");
  if (!is_folder && !S_ISREG(mode)) fail(option, path, "is no file");
}

}  // namespace

bool tls_available() { return true; }

std::string openssl_version() { return OpenSSL_version(OPENSSL_VERSION); }

void TlsContexts::ContextEnd::operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }

TlsContexts::FileStamp TlsContexts::look_at(const char* option, const std::string& path) {
  const bool is_folder = std::string_view(option) == "capath";
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat found{};
  if (!file.open() || fstat(file.number(), &found) != 0) {
    fail(option, path, std::generic_category().message(errno));
  }
  check_kind(option, path, found.st_mode, is_folder);
  return {path, found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec, found.st_size,
          found.st_ino};
}

std::vector<TlsContexts::FileStamp> TlsContexts::look_at(const TlsOptions& options) {
  std::vector<FileStamp> files;
  const auto add = [&](const char* option, const std::string& path) {
    if (!path.empty()) files.push_back(look_at(option, path));
  };
  add("cafile", options.cafile);
  add("capath", options.capath);
  add("local_cert", options.local_cert);
  add("local_pk", options.local_pk);
  return files;
}

TlsContexts::Context TlsContexts::make(const TlsOptions& options, std::vector<FileStamp> files) {
  // An exit of the process would otherwise take OpenSSL down before a client that is a static
  // object. Where it does not start there is no context either.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
  ERR_clear_error();
  Context context{{SSL_CTX_new(TLS_client_method()), {}}, std::move(files)};
  SSL_CTX* const made = context.made.get();
  if (made == nullptr) {
    throw TlsFileTrouble("OpenSSL cannot do TLS: " + openssl_words("no reason given"));
  }
  // The system may ask for more.
  if (SSL_CTX_get_min_proto_version(made) < TLS1_2_VERSION) {
    SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION);
  }
  SSL_CTX_set_options(made, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  // Fewer and larger steps through the memory.
  SSL_CTX_set_read_ahead(made, 1);
  TlsStream::prepare(*made);
  SSL_CTX_set_default_passwd_cb(made, tell_passphrase);
  // Without a certificate there is nobody to verify: such suites are never offered.
  const std::string ciphers = options.ciphers + ":!aNULL:!eNULL";
  if (!options.ciphers.empty() && SSL_CTX_set_cipher_list(made, ciphers.c_str()) != 1) {
    ERR_clear_error();
    throw TlsFileTrouble("ciphers: OpenSSL knows none of these");
  }
  if (options.verify_peer) read_authorities(made, options);
  read_own(made, options);
  return context;
}

// Who a server must be is no matter of the files.
TlsOptions TlsContexts::read_for(const TlsOptions& options) {
  TlsOptions read = options;
  read.peer_name.clear();
  read.verify_peer_name = true;
  return read;
}

TlsContexts::Context& TlsContexts::context_of(const TlsOptions& options) {
  const TlsOptions read = read_for(options);
  std::vector<FileStamp> files = look_at(read);
  const auto known = contexts_.find(read);
  if (known != contexts_.end() && known->second.files == files) return known->second;
  Context fresh = make(read, std::move(files));
  if (known != contexts_.end()) {
    // Whoever was trusted by the old files may not be any more.
    std::erase_if(sessions_, [&](const auto& kept) { return read_for(*kept.first.tls) == read; });
    return known->second = std::move(fresh);
  }
  if (contexts_.size() >= kTlsContextsMax) {
    contexts_.clear();
    sessions_.clear();
  }
  return contexts_.emplace(read, std::move(fresh)).first->second;
}

void TlsContexts::prepare(const TlsOptions& options) {
  try {
    static_cast<void>(context_of(options));
  } catch (const TlsFileTrouble&) {
    // It may be over by the time of the connection.
  }
}

TlsContexts::Begun TlsContexts::begin(const Endpoint& server) {
  REDLOCK_INVARIANT(server.tls.has_value());
  try {
    const Context& context = context_of(*server.tls);
    return {std::make_unique<TlsStream>(*context.made, *server.tls, server.host, earlier(server)),
            {}};
  } catch (const TlsFileTrouble& trouble) {
    return {nullptr, trouble.what()};
  }
}

SSL_SESSION* TlsContexts::earlier(const Endpoint& server) {
  const auto known = sessions_.find(server);
  if (known == sessions_.end()) return nullptr;
  const std::int64_t age_ms = wall_ms() - known->second.verified_ms;
  if (age_ms >= 0 && age_ms < kTlsTrustedFor.count_ms()) return known->second.session.get();
  sessions_.erase(known);
  return nullptr;
}

void TlsContexts::remember(const Endpoint& server, TlsStream& stream) {
  TlsSession session = stream.take_session();
  if (!session) return;
  // Verified by files that have been replaced, or by nobody knows which.
  const auto context = contexts_.find(read_for(*server.tls));
  if (context == contexts_.end() || !stream.made_of(*context->second.made)) return;
  // Who was known again was not looked at: it is as long ago as it was.
  const auto known = sessions_.find(server);
  if (stream.resumed() && known == sessions_.end()) return;
  const std::int64_t verified_ms = stream.resumed() ? known->second.verified_ms : wall_ms();
  if (sessions_.size() >= kTlsSessionsMax && known == sessions_.end()) sessions_.clear();
  sessions_.insert_or_assign(server, Kept{std::move(session), verified_ms});
}

}  // namespace redlock
#endif
