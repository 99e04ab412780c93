// A file descriptor that is closed with its owner.
//
// Closing tells a peer only when no other process has the same socket open.
#pragma once
#include <unistd.h>

#include <utility>

namespace redlock {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  [[nodiscard]] bool open() const { return number_ >= 0; }
  // -1 where there is none.
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace redlock
