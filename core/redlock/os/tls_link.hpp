// A connection by TLS: the stream, and the socket that its bytes pass through.
//
// What the socket does not take waits in the stream; wants() says so. Nothing blocks. One thread.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "redlock/config/endpoint.hpp"
#include "redlock/os/tls_context.hpp"
#include "redlock/os/transport.hpp"
#include "redlock/wire/tls_stream.hpp"

namespace redlock {

// A server that goes on with what is nothing to read waits for the next turn.
inline constexpr int kTlsFeedsMax = 4;

class TlsLink {
 public:
  // The contexts must outlive it. `server` is remembered without its credentials.
  TlsLink(TlsContexts& contexts, const Endpoint& server);

  // Why it can never be opened; empty: it may be.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  // Moves the handshake on as far as the socket allows.
  void shake(int socket);
  // Where that is: connecting, with what is waited for; connected; or failed, and why.
  [[nodiscard]] LinkStatus status() const;
  [[nodiscard]] Wants wants(bool has_output) const;
  // Hands to the socket what waits to leave.
  IoResult flush(int socket);
  [[nodiscard]] IoResult send(int socket, std::string_view bytes);
  [[nodiscard]] IoResult receive(int socket, std::span<char> into);
  // Did the server know us again? Known once it is connected.
  [[nodiscard]] bool resumed() const { return stream_->resumed(); }
  // Tells the server that nothing follows, if the socket takes it.
  void say_goodbye(int socket);

 private:
  // Takes what has come. Blocked where nothing has, or where what waits must leave first.
  IoResult feed(int socket);
  [[nodiscard]] IoResult ending() const {
    return {IoState::ended, 0, stream_->reason(), stream_->fault()};
  }

  TlsContexts& contexts_;
  Endpoint server_;
  std::unique_ptr<TlsStream> stream_;
  std::string trouble_;
  bool refused_ = false;  // there was no room for what was to be sent last
};

}  // namespace redlock
