// getrandom(2) in blocks.
#include "redlock/os/entropy.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace redlock {

SystemEntropy::~SystemEntropy() { std::ranges::fill(block_, std::byte{0}); }

void SystemEntropy::refill() {
  // First, so that bytes which were fetched before a fork are never taken for later ones.
  watch_.start_over();
  std::size_t filled = 0;
  while (filled < block_.size()) {
    const ssize_t got = getrandom(block_.data() + filled, block_.size() - filled, 0);
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "no random bytes");
    }
  }
  used_ = 0;
}

void SystemEntropy::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    if (used_ == block_.size() || watch_.forked()) refill();
    const std::size_t size = std::min(bytes.size(), block_.size() - used_);
    std::memcpy(bytes.data(), block_.data() + used_, size);
    // What has been given out cannot be given, or read, again.
    std::memset(block_.data() + used_, 0, size);
    used_ += size;
    bytes = bytes.subspan(size);
  }
}

}  // namespace redlock
