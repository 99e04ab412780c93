// A file descriptor that is closed with its owner, and that no child of a fork has.
//
// Closing tells a peer only when no other process has the same socket open.
#pragma once
#include <unistd.h>

#include <utility>

#include "redlock/runtime/process.hpp"

namespace redlock {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) { keep_from_children(number_); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    leave_to_children(number_);
    if (number_ >= 0) ::close(number_);
  }

  [[nodiscard]] bool open() const { return number_ >= 0; }
  // Negative where there is none.
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace redlock
