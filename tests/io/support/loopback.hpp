// Listening sockets on the loopback, for the servers and proxies of the tests.
#pragma once
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace redlock::test {

inline void require(bool success, const char* what) {
  if (!success) throw std::system_error(errno, std::generic_category(), what);
}

inline sockaddr_in loopback_address(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

struct Listener {
  int descriptor;
  std::uint16_t port;
};

// On a port that the system chooses, and gives to nobody else. A server that sets SO_REUSEADDR, as
// redis-server does, may still listen on it.
inline Listener bind_on_loopback() {
  Listener listener{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), 0};
  require(listener.descriptor >= 0, "socket");
  const int on = 1;
  const int reused = setsockopt(listener.descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  require(reused == 0, "SO_REUSEADDR");
  sockaddr_in address = loopback_address(0);
  socklen_t size = sizeof(address);
  auto* name = reinterpret_cast<sockaddr*>(&address);
  require(bind(listener.descriptor, name, size) == 0, "bind");
  require(getsockname(listener.descriptor, name, &size) == 0, "getsockname");
  listener.port = ntohs(address.sin_port);
  return listener;
}

// Non-blocking.
inline Listener listen_on_loopback(int backlog) {
  const Listener listener = bind_on_loopback();
  require(listen(listener.descriptor, backlog) == 0, "listen");
  return listener;
}

}  // namespace redlock::test
