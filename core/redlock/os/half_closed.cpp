// Letting go of connections without a reset.
#include "redlock/os/half_closed.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

namespace redlock {

namespace {
// Read and thrown away before a close, so that the kernel does not answer unread bytes with a
// reset that could overtake our last command.
constexpr std::size_t kDrainBytesMax = 256 * 1024;
}  // namespace

void drain(const Descriptor& closing) {
  std::array<char, 16 * 1024> unread;
  for (std::size_t total = 0; total < kDrainBytesMax;) {
    const ssize_t got = recv(closing.number(), unread.data(), unread.size(), MSG_DONTWAIT);
    if (got <= 0) break;
    total += static_cast<std::size_t>(got);
  }
}

void HalfClosed::add(Descriptor&& connection) {
  close_answered();
  connections_.push_back(std::move(connection));
  shutdown(connections_.back().number(), SHUT_WR);
  if (connections_.size() <= kHalfClosedMax) return;
  drain(connections_.front());
  connections_.pop_front();
}

void HalfClosed::close_answered() {
  std::erase_if(connections_, [](const Descriptor& half_closed) {
    pollfd probe{half_closed.number(), POLLRDHUP, 0};
    return poll(&probe, 1, 0) > 0;
  });
}

void HalfClosed::look(Instant now) {
  if (now < look_again_) return;
  look_again_ = now + kHalfClosedLook;
  close_answered();
}

void HalfClosed::close_all(Clock& clock) {
  const Instant end = clock.now() + kLastReadMax;
  for (close_answered(); !connections_.empty(); close_answered()) {
    const Instant now = clock.now();
    if (now >= end) break;
    wait_for_any(end - now);
    std::ranges::for_each(connections_, drain);
  }
  for (; !connections_.empty(); connections_.pop_front()) drain(connections_.front());
}

// An answer, or the end of one.
void HalfClosed::wait_for_any(Duration span) {
  std::array<pollfd, kHalfClosedMax> polled;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    polled[i] = {connections_[i].number(), POLLIN | POLLRDHUP, 0};
  }
  poll(polled.data(), connections_.size(), static_cast<int>(span.count_ms()) + 1);
}

}  // namespace redlock
