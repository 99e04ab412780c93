// Random bytes from the operating system.
#pragma once
#include <array>
#include <cstddef>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/os/process.hpp"

namespace redlock {

// Fetched in blocks, because a system call for each token would cost more than the token.
// After a fork the child drops what it inherited: parent and child never share a byte.
// One thread.
class SystemEntropy final : public Entropy {
 public:
  ~SystemEntropy() override;
  // Throws std::system_error when the system has no randomness to give.
  void fill(std::span<std::byte> bytes) override;

 private:
  void refill();

  static constexpr std::size_t kBlockBytes = 512;
  std::array<std::byte, kBlockBytes> block_{};
  std::size_t used_ = kBlockBytes;
  ForkWatch watch_;
};

}  // namespace redlock
