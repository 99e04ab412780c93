// Blocking sockets with a time limit.
#include "io/support/resp_client.hpp"

#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "io/support/loopback.hpp"

namespace redlock::test {

namespace {

[[noreturn]] void fail(const char* what, int descriptor = -1) {
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  throw std::system_error(error, std::generic_category(), what);
}

int connected(int family, const sockaddr* address, socklen_t size) {
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail("socket");
  const timeval limit{5, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  if (connect(descriptor, address, size) != 0) fail("connect", descriptor);
  return descriptor;
}

}  // namespace

int connect_to_port(std::uint16_t port, bool v6) {
  if (!v6) {
    const sockaddr_in address = loopback_address(port);
    return connected(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  address.sin6_port = htons(port);
  return connected(AF_INET6, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

int connect_to_path(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof(address.sun_path) - 1));
  return connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

std::uint16_t free_port() { return bind_on_loopback().port; }

RespClient::RespClient(std::uint16_t port) : descriptor_(connect_to_port(port)) {}
RespClient::RespClient(const std::string& unix_path) : descriptor_(connect_to_path(unix_path)) {}
RespClient::~RespClient() { close(descriptor_); }

RespAnswer RespClient::ask(const Arguments& arguments) {
  const std::string bytes = request(arguments);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t size = send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) fail("send");
    sent += static_cast<std::size_t>(size);
  }
  return read_answer();
}

void RespClient::fill() {
  std::array<char, 16 * 1024> piece;
  const ssize_t size = recv(descriptor_, piece.data(), piece.size(), 0);
  if (size < 0) fail("recv");
  if (size == 0) throw std::runtime_error("the server closed the connection");
  buffer_.append(piece.data(), static_cast<std::size_t>(size));
}

std::string RespClient::read_line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) fill();
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::string RespClient::read_bytes(std::size_t size) {
  while (buffer_.size() < size) fill();
  std::string bytes = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return bytes;
}

RespAnswer RespClient::read_answer() {
  const std::string line = read_line();
  RespAnswer answer;
  answer.text = line.substr(1);
  if (line[0] == '-') answer.is_error = true;
  if (line[0] == ':' || line[0] == '$' || line[0] == '*') answer.integer = std::stoll(answer.text);
  if (line[0] == '$' || line[0] == '*') {
    answer.is_nil = answer.integer < 0;
    answer.text.clear();
  }
  if (line[0] == '$' && !answer.is_nil) {
    answer.text = read_bytes(static_cast<std::size_t>(answer.integer) + 2);
    answer.text.resize(answer.text.size() - 2);
  }
  for (std::int64_t i = 0; line[0] == '*' && i < answer.integer; ++i) {
    answer.elements.push_back(read_answer());
  }
  return answer;
}

}  // namespace redlock::test
