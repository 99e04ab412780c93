// A file descriptor that is closed with its owner, that no child of a fork has, and to which nobody
// prints.
//
// Closing tells a peer only when no other process has the same socket open. The numbers 0, 1 and 2
// are free where a program has closed its standard streams, and the system gives the lowest that
// is; what is printed then would be said to whatever stands there, a server among them.
#pragma once
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "redlock/os/process.hpp"

namespace redlock {

inline constexpr int kFirstOwnDescriptor = 3;
// Takes the number over and gives another for one of a standard stream. Negative, with errno set,
// where there is none.
[[nodiscard]] int beyond_standard_streams(int number) noexcept;

class Descriptor {
 public:
  Descriptor() = default;
  // Not open, with errno set, where the number is none, or one of a standard stream and there is no
  // other to be had.
  explicit Descriptor(int number) : number_(beyond_standard_streams(number)) {
    keep_from_children(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  // Leaves errno alone, which tells of what was done with it.
  ~Descriptor() {
    leave_to_children(number_);
    const int error = errno;
    if (number_ >= 0) ::close(number_);
    errno = error;
  }

  [[nodiscard]] bool open() const { return number_ >= 0; }
  // Negative where there is none.
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace redlock
