// An address of this machine whose port answers no connection attempt, like a filtered one.
#pragma once
#include <unistd.h>

#include <vector>

#include "io/support/loopback.hpp"

namespace redlock::test {

class SilentAddress {
 public:
  // 127.0.0.`last`, as many as a test wants beside the servers' 127.0.0.1; port 0 is any.
  SilentAddress(std::uint8_t last, std::uint16_t port)
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), name_(loopback_address(port)) {
    require(listener_ >= 0, "socket");
    name_.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffU) | last);
    socklen_t size = sizeof(name_);
    auto* name = reinterpret_cast<sockaddr*>(&name_);
    require(bind(listener_, name, size) == 0, "bind");
    require(listen(listener_, 0) == 0, "listen");
    require(getsockname(listener_, name, &size) == 0, "getsockname");
    // Nobody accepts, and what is queued leaves no room.
    for (int i = 0; i < kFillersMax; ++i) {
      fillers_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      require(fillers_.back() >= 0, "socket");
      static_cast<void>(connect(fillers_.back(), name, size));
    }
  }
  SilentAddress(const SilentAddress&) = delete;
  SilentAddress& operator=(const SilentAddress&) = delete;
  ~SilentAddress() {
    for (const int filler : fillers_) close(filler);
    close(listener_);
  }

  [[nodiscard]] const sockaddr_in& name() const { return name_; }
  [[nodiscard]] std::uint16_t port() const { return ntohs(name_.sin_port); }

 private:
  static constexpr int kFillersMax = 8;
  int listener_;
  sockaddr_in name_;
  std::vector<int> fillers_;
};

}  // namespace redlock::test
