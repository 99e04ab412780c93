// The socket calls and the decoding of connection.hpp.
#include "connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace bench {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

bool would_block() { return errno == EAGAIN || errno == EINTR; }

// Connecting is not measured, so it may block; everything after it may not.
int connect_to(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    fail("connect");
  }
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
  return descriptor;
}

// "+OK", "+PONG", a string and 1 are votes for; nil and 0 are votes against.
bool vote_of(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_STRING:
      return true;
    case REDIS_REPLY_INTEGER:
      return reply.integer == 1;
    case REDIS_REPLY_NIL:
      return false;
    default:
      throw std::runtime_error(reply.str != nullptr ? reply.str : "reply of unexpected type");
  }
}

}  // namespace

Connection::Connection(std::uint16_t port)
    : descriptor_(connect_to(port)), reader_(redisReaderCreate()) {}

Connection::~Connection() { close(descriptor_); }

void Connection::send(std::string_view command) {
  ++awaited_;
  if (has_unsent()) {
    unsent_ += command;
    return;
  }
  const ssize_t sent = ::send(descriptor_, command.data(), command.size(), MSG_NOSIGNAL);
  if (sent < 0 && !would_block()) fail("send");
  const auto accepted = static_cast<std::size_t>(sent < 0 ? 0 : sent);
  if (accepted < command.size()) unsent_ = command.substr(accepted);
}

void Connection::flush() {
  const ssize_t sent = ::send(descriptor_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  if (sent < 0 && !would_block()) fail("send");
  if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
}

std::optional<bool> Connection::receive() {
  std::array<char, 16384> buffer;
  const ssize_t received = recv(descriptor_, buffer.data(), buffer.size(), 0);
  if (received == 0) throw std::runtime_error("server closed the connection");
  if (received < 0) {
    if (would_block()) return std::nullopt;
    fail("recv");
  }
  redisReaderFeed(reader_.get(), buffer.data(), static_cast<std::size_t>(received));
  std::optional<bool> newest;
  void* raw = nullptr;
  while (redisReaderGetReply(reader_.get(), &raw) == REDIS_OK && raw != nullptr) {
    const std::unique_ptr<void, decltype(&freeReplyObject)> owner(raw, &freeReplyObject);
    const bool vote = vote_of(*static_cast<redisReply*>(raw));
    if (--awaited_ == 0) newest = vote;
  }
  return newest;
}

}  // namespace bench
