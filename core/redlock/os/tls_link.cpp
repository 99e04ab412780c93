// Between the stream and the socket.
#include "redlock/os/tls_link.hpp"

#include <array>

#include "redlock/os/socket_io.hpp"

namespace redlock {

namespace {

// What is said only when the connection is open.
Endpoint without_credentials(const Endpoint& server) {
  Endpoint bare;
  bare.host = server.host;
  bare.port = server.port;
  bare.tls = server.tls;
  return bare;
}

}  // namespace

TlsLink::TlsLink(TlsContexts& contexts, const Endpoint& server)
    : contexts_(contexts), server_(without_credentials(server)) {
  TlsContexts::Begun begun = contexts_.begin(server_);
  stream_ = std::move(begun.stream);
  trouble_ = std::move(begun.trouble);
}

LinkStatus TlsLink::status() const {
  switch (stream_->state()) {
    case TlsStream::State::open:
      return {LinkState::connected, Fault::none, {}};
    case TlsStream::State::ended:
      return {LinkState::failed, stream_->fault(), stream_->reason()};
    case TlsStream::State::shaking:
      break;
  }
  return {LinkState::connecting, Fault::none,
          stream_->heard_any() ? "TLS handshake"
                               : "TLS handshake; not a word from the server, which may not speak "
                                 "TLS here"};
}

Wants TlsLink::wants(bool has_output) const {
  // That it has ended shows in no polling where the server leaves the socket open.
  const bool ended = stream_->state() == TlsStream::State::ended;
  const bool writes = has_output && !stream_->reads_first();
  return {true, writes || !stream_->output().empty(), stream_->buffered() || ended};
}

IoResult TlsLink::flush(int socket) {
  IoResult moved;
  while (!stream_->output().empty()) {
    moved = send_some(socket, stream_->output());
    if (moved.state != IoState::progress) return moved;
    stream_->mark_sent(moved.bytes);
  }
  return moved;
}

IoResult TlsLink::feed(int socket) {
  if (stream_->output().size() > kTlsOutputMax) {
    IoResult moved = flush(socket);
    if (moved.state != IoState::progress) return moved;
  }
  std::array<char, kTlsFeedMax> buffer;
  IoResult got = receive_some(socket, buffer);
  stream_->feed(std::string_view(buffer.data(), got.bytes));
  return got;
}

void TlsLink::shake(int socket) {
  for (int feeds = 0; stream_->state() != TlsStream::State::open; ++feeds) {
    // Also why it failed. Where the server has hung up, what it said before that tells more.
    flush(socket);
    if (stream_->state() == TlsStream::State::ended || feeds == kTlsFeedsMax) return;
    const IoResult got = feed(socket);
    if (got.state == IoState::blocked) return;
    if (got.state == IoState::ended) stream_->note_end(got.reason);
  }
  // The last word of the handshake leaves with the first of the conversation.
}

IoResult TlsLink::send(int socket, std::string_view bytes) {
  for (bool again = true; again;) {
    const std::size_t taken = stream_->write(bytes);
    IoResult moved = flush(socket);
    refused_ = taken == 0;
    // What it did not take leaves later, or is lost with the connection.
    if (taken > 0) return {IoState::progress, taken, {}};
    if (moved.state == IoState::ended) return moved;
    if (stream_->state() == TlsStream::State::ended) return ending();
    // Now there is room.
    again = moved.state == IoState::progress;
  }
  return {IoState::blocked, 0, {}};
}

IoResult TlsLink::receive(int socket, std::span<char> into) {
  for (int feeds = 0;; ++feeds) {
    const std::size_t got = stream_->read(into);
    contexts_.remember(server_, *stream_);
    if (got > 0) return {IoState::progress, got, {}};
    if (stream_->state() == TlsStream::State::ended) {
      flush(socket);
      return ending();
    }
    if (feeds == kTlsFeedsMax) return {IoState::blocked, 0, {}};
    IoResult more = feed(socket);
    if (more.state == IoState::blocked) return more;
    if (more.state == IoState::ended) stream_->note_end(more.reason);
  }
}

void TlsLink::say_goodbye(int socket) {
  // A record that is cut off is lost whole. Completed now, it would arrive without what there was
  // no room for behind it: a SET without its removal.
  if (refused_ && stream_->holds_plain()) return;
  stream_->say_goodbye();
  flush(socket);
}

}  // namespace redlock
