// One connection's TLS without the socket: bytes from the server in, bytes for the server out, and
// plain bytes both ways between them.
//
//   shaking hands ──▶ open ──▶ ended, for good
//
// Plain bytes become a record only when the one before has left for the socket: what counts as sent
// and is still here is bounded, and is lost whole with the connection, for the server cannot read a
// part of a record.
// Invariants: every buffer has a bound; who the server is was verified before anything is handed
// out or encrypted; nothing is said to the server that nobody asked to be said, not even goodbye:
// after a fork a child may drop its parent's. No I/O but OpenSSL's own randomness. One thread.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "redlock/algorithm/reply.hpp"
#include "redlock/config/tls_options.hpp"

// OpenSSL's, whose headers are for the tls files alone.
struct bio_st;
struct ssl_ctx_st;
struct ssl_session_st;
struct ssl_st;

namespace redlock {

// Of plain bytes, that become one record.
inline constexpr std::size_t kTlsRecordMax = 4 * 1024;
// The most that is fed at a time.
inline constexpr std::size_t kTlsFeedMax = 16 * 1024;
// While so much waits to leave, nothing is read: a server may ask faster than it takes the answers.
inline constexpr std::size_t kTlsOutputMax = 32 * 1024;
// Of a server's certificates; OpenSSL reads no longer message.
inline constexpr std::size_t kTlsCertificatesMax = 100 * 1024;

// What a connection leaves for the next one to the same server, so that it need not begin anew.
struct TlsSessionEnd {
  void operator()(ssl_session_st* session) const noexcept;
};
using TlsSession = std::unique_ptr<ssl_session_st, TlsSessionEnd>;

class TlsStream {
 public:
  enum class State { shaking, open, ended };

  // Once for each context that streams are made of: tells it to hand sessions on.
  static void prepare(ssl_ctx_st& context);

  // `name` is who the server must be, a host name or an IP address; `options` say whether that is
  // looked at. `earlier` may be null. Begins to shake hands. Throws bad_alloc.
  TlsStream(ssl_ctx_st& context, const TlsOptions& options, const std::string& name,
            ssl_session_st* earlier);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;
  ~TlsStream();

  [[nodiscard]] State state() const { return state_; }
  // Why, once ended.
  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // Has the server said anything yet?
  [[nodiscard]] bool heard_any() const { return heard_bytes_ > 0; }
  // Of this context?
  [[nodiscard]] bool made_of(const ssl_ctx_st& context) const;
  // Nothing can be written until more has come.
  [[nodiscard]] bool reads_first() const { return reads_first_; }
  // Plain bytes that count as sent are still here.
  [[nodiscard]] bool holds_plain() const { return holds_plain_; }
  // Did it know us again? Known once it is open.
  [[nodiscard]] bool resumed() const;

  // What came from the server, at most kTlsFeedMax. Whoever feeds reads before he feeds again.
  void feed(std::string_view bytes);
  // The server sends no more, for this reason.
  void note_end(const std::string& reason);
  // Plain bytes that have come; 0: none for now.
  [[nodiscard]] std::size_t read(std::span<char> into);
  // There may be plain bytes to read, though nothing more came.
  [[nodiscard]] bool buffered() const;
  // Encrypts what there is room for, and says how much that was; 0: output() must leave first.
  [[nodiscard]] std::size_t write(std::string_view plain);
  // What is to be sent next; valid until the next call.
  [[nodiscard]] std::string_view output() const;
  // The first `size` bytes of it have been sent.
  void mark_sent(std::size_t size);
  // Adds to the output that nothing follows.
  void say_goodbye();
  // The newest that the server gave us since this was asked last; null: none.
  [[nodiscard]] TlsSession take_session() { return std::move(session_); }

 private:
  struct Callbacks;

  void expect(const TlsOptions& options, const std::string& name);
  void shake();
  // Looks at what OpenSSL said; true where it only wants more.
  bool wants_more(int result);
  void end(Fault fault, std::string reason);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  // They belong to ssl_.
  bio_st* in_ = nullptr;
  bio_st* out_ = nullptr;
  std::string name_;
  State state_ = State::shaking;
  Fault fault_ = Fault::none;
  std::string reason_;
  TlsSession session_;
  std::size_t heard_bytes_ = 0;
  bool speaks_tls_ = true;
  bool wants_ours_ = false;   // a certificate
  bool read_any_ = false;     // plain bytes
  bool drained_ = true;       // nothing was fed since there was nothing to read
  bool holds_plain_ = false;  // the output has plain bytes in it
  bool reads_first_ = false;
};

}  // namespace redlock
