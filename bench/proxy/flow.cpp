// The system calls of flow.hpp.
#include "flow.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace bench {
namespace {

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

bool would_block() { return errno == EAGAIN || errno == EINTR; }

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void send_at_once(const Socket& socket) {
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Socket open_socket() {
  return Socket(checked(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Socket listen_on_free_port() {
  Socket listener = open_socket();
  const sockaddr_in address = loopback(0);
  checked(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
          "bind");
  checked(listen(listener.get(), SOMAXCONN), "listen");
  return listener;
}

Socket accept_from(const Socket& listener) {
  Socket client(
      checked(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC), "accept4"));
  send_at_once(client);
  return client;
}

Socket connect_to(std::uint16_t port) {
  Socket server = open_socket();
  send_at_once(server);
  const sockaddr_in address = loopback(port);
  const auto* raw = reinterpret_cast<const sockaddr*>(&address);
  if (connect(server.get(), raw, sizeof address) != 0 && errno != EINPROGRESS) {
    checked(-1, "connect");
  }
  return server;
}

std::uint16_t port_of(const Socket& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  checked(getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  return ntohs(address.sin_port);
}

std::optional<std::string> Flow::read() {
  std::array<char, 65536> buffer;
  const ssize_t received = recv(source_->get(), buffer.data(), buffer.size(), 0);
  if (received < 0 && would_block()) return std::nullopt;
  if (received <= 0) {
    source_ended_ = true;
    return std::string();
  }
  delayed_ += static_cast<std::size_t>(received);
  return std::string(buffer.data(), static_cast<std::size_t>(received));
}

void Flow::deliver(const std::string& bytes) {
  delayed_ -= bytes.size();
  has_delivered_ = true;
  if (bytes.empty()) end_delivered_ = true;
  unsent_ += bytes;
  flush();
}

void Flow::flush() {
  if (has_unsent() && !sink_ended_) {
    const ssize_t sent = send(sink_->get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent < 0 && !would_block()) return end_sink();
    if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
  }
  if (end_delivered_ && !has_unsent()) end_sink();
}

void Flow::end_sink() {
  shutdown(sink_->get(), SHUT_WR);
  unsent_.clear();
  sink_ended_ = true;
}

}  // namespace bench
