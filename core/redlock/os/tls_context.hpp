// What connections by TLS share: whom to trust and what to show, read from files; and the sessions
// of earlier connections, by which the next one to the same server begins sooner.
//
// A file is read again when it has changed: certificates are renewed under processes that run for
// long. Trouble with a file is that server's, and is told by name.
// Invariants: nothing is asked on a terminal, and nothing but plain files is read; contexts and
// sessions have a bound. One thread; one per transport.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "redlock/config/endpoint.hpp"
#include "redlock/wire/tls_stream.hpp"

namespace redlock {

// Past the bound all are let go of, and made anew where they are needed.
inline constexpr std::size_t kTlsContextsMax = 16;
inline constexpr std::size_t kTlsSessionsMax = 64;
// Then a server is looked at anew: certificates end, and authorities are trusted no more.
inline constexpr Duration kTlsTrustedFor = Duration::seconds(3600);

// Was redlock built with OpenSSL?
[[nodiscard]] bool tls_available();
// "OpenSSL 3.0.19 …", as it runs; empty without.
[[nodiscard]] std::string openssl_version();

class TlsContexts {
 public:
  // The stream of a connection to this server, or nothing and why.
  struct Begun {
    std::unique_ptr<TlsStream> stream;
    std::string trouble;
  };
  // Reads the files, which may take longer than a connection has: tens of milliseconds for the
  // system's authorities. Trouble is told by begin().
  void prepare(const TlsOptions& options);
  // Requires that the server has TLS. It is remembered: its credentials are better left out.
  [[nodiscard]] Begun begin(const Endpoint& server);
  // What the stream has been given for the next connection to this server.
  void remember(const Endpoint& server, TlsStream& stream);

 private:
  struct ContextEnd {
    void operator()(ssl_ctx_st* context) const noexcept;
  };
  // What a file was when it was read.
  struct FileStamp {
    std::string path;
    std::int64_t changed_ns = 0;
    std::int64_t size = 0;
    std::uint64_t number = 0;
    bool operator==(const FileStamp&) const = default;
  };
  struct Kept {
    TlsSession session;
    std::int64_t verified_ms = 0;  // when its server was, by the wall clock
  };
  struct Context {
    std::unique_ptr<ssl_ctx_st, ContextEnd> made;
    std::vector<FileStamp> files;
  };

  // Null: there is none that is to be taken up.
  [[nodiscard]] ssl_session_st* earlier(const Endpoint& server);
  [[nodiscard]] static TlsOptions read_for(const TlsOptions& options);
  // These throw what begin() tells.
  [[nodiscard]] Context& context_of(const TlsOptions& options);
  [[nodiscard]] static Context make(const TlsOptions& options, std::vector<FileStamp> files);
  [[nodiscard]] static std::vector<FileStamp> look_at(const TlsOptions& options);
  [[nodiscard]] static FileStamp look_at(const char* option, const std::string& path);

  std::map<TlsOptions, Context> contexts_;
  std::map<Endpoint, Kept> sessions_;
};

}  // namespace redlock
