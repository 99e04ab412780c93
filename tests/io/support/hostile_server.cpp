// Blocking would hang the tests: everything here has a limit.
#include "io/support/hostile_server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "io/support/loopback.hpp"

namespace redlock::test {

HostileServer::HostileServer(Habit habit)
    : habit_(habit), words_(words(habit)), wake_(eventfd(0, EFD_CLOEXEC)) {
  require(wake_ >= 0, "eventfd");
  const Listener listener = listen_on_loopback(habit_ == Habit::vanishes ? 0 : 64);
  listener_ = listener.descriptor;
  port_ = listener.port;
  if (habit_ == Habit::vanishes) {
    fill_the_backlog();
  } else {
    thread_ = std::thread([this] { run(); });
  }
}

HostileServer::~HostileServer() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
  if (thread_.joinable()) thread_.join();
  for (const std::vector<int>& descriptors : {fillers_, clients_, {listener_, wake_}}) {
    for (const int descriptor : descriptors) close(descriptor);
  }
}

// Nobody accepts, so that the kernel answers no more connection attempts.
void HostileServer::fill_the_backlog() {
  const sockaddr_in address = loopback_address(port_);
  for (int i = 0; i < 8; ++i) {
    const int filler = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    require(filler >= 0, "socket");
    fillers_.push_back(filler);
    static_cast<void>(
        connect(filler, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
  }
}

void HostileServer::run() {
  for (;;) {
    std::vector<pollfd> polled{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const int client : clients_) polled.push_back({client, POLLIN, 0});
    poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0) return;
    if (polled[1].revents != 0) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (client >= 0 && habit_ == Habit::hangs_up) {
        close(client);
      } else if (client >= 0) {
        clients_.push_back(client);
      }
    }
    for (std::size_t i = 2; i < polled.size(); ++i) {
      if (polled[i].revents != 0) serve(polled[i].fd);
    }
  }
}

std::string HostileServer::words(Habit habit) {
  switch (habit) {
    case Habit::says_web_page:
      return "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html>It works!</html>";
    case Habit::promises_much:
      return "$1073741824\r\n" + std::string(1024 * 1024, 'x');
    case Habit::nests: {
      std::string arrays;
      arrays.reserve(4 * 1024 * 1024 + 4);
      while (arrays.size() < 4 * 1024 * 1024) arrays += "*1\r\n";
      return arrays;
    }
    case Habit::drips:
      return "$100\r\n" + std::string(100, 'x');
    case Habit::cuts_short:
      return "$5\r\nhe";
    case Habit::babbles: {
      std::string replies;
      while (replies.size() < 1024 * 1024) replies += ":7\r\n";
      return replies;
    }
    default:
      return {};
  }
}

// Speaks until everything is said, the client is gone, or the server is told to end.
void HostileServer::serve(int client) {
  std::array<char, 64 * 1024> heard;
  const ssize_t size = recv(client, heard.data(), heard.size(), 0);
  const std::string_view text = size > 0 ? std::string_view(words_) : "";
  const bool dripping = habit_ == Habit::drips;
  for (std::size_t sent = 0; sent < text.size();) {
    const std::size_t piece = dripping ? 1 : text.size() - sent;
    const ssize_t moved = send(client, text.data() + sent, piece, MSG_NOSIGNAL);
    if (moved < 0 && errno != EAGAIN) break;
    if (moved > 0) sent += static_cast<std::size_t>(moved);
    std::array<pollfd, 2> polled{{{wake_, POLLIN, 0}, {client, POLLOUT, 0}}};
    // A drip waits its 80 ms; the others wait for room.
    poll(polled.data(), dripping ? 1 : 2, dripping ? 80 : 1'000);
    if (polled[0].revents != 0) break;
  }
  if (size <= 0 || habit_ == Habit::cuts_short || habit_ == Habit::says_web_page) {
    close(client);
    std::erase(clients_, client);
  }
}

}  // namespace redlock::test
