// recv(2) and send(2) on a socket that does not block.
//
// Writes raise no SIGPIPE. Any thread.
#pragma once
#include <sys/socket.h>

#include <cerrno>
#include <span>
#include <string_view>
#include <system_error>

#include "redlock/os/transport.hpp"

namespace redlock {

inline IoResult broken_socket(int error) {
  return {IoState::ended, 0, "the connection broke: " + std::generic_category().message(error)};
}

inline IoResult send_some(int socket, std::string_view bytes) {
  for (;;) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) return {IoState::progress, static_cast<std::size_t>(sent), {}};
    if (sent < 0 && errno == EINTR) continue;
    if (sent == 0 || errno == EAGAIN || errno == EWOULDBLOCK) return {IoState::blocked, 0, {}};
    return broken_socket(errno);
  }
}

inline IoResult receive_some(int socket, std::span<char> into) {
  for (;;) {
    const ssize_t got = recv(socket, into.data(), into.size(), 0);
    if (got > 0) return {IoState::progress, static_cast<std::size_t>(got), {}};
    if (got == 0) return {IoState::ended, 0, "the server closed the connection"};
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoState::blocked, 0, {}};
    return broken_socket(errno);
  }
}

}  // namespace redlock
