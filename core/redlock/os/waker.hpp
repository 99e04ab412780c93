// Ends a transport's wait from another thread.
//
// A pipe that the wait polls along: a call that comes before the wait ends the next one, and many
// calls end one. Whoever needs none has none, and no descriptors.
// call() from any thread and from signal handlers; the rest from the thread that waits.
#pragma once
#include "redlock/os/descriptor.hpp"
#include "redlock/os/process.hpp"

namespace redlock {

class Waker {
 public:
  // Throws std::system_error where there are no descriptors to be had.
  Waker();
  // Nothing in a child, until it has started over: the pipe is its parent's.
  void call() noexcept;
  // Was there a call since this was asked last?
  [[nodiscard]] bool take_call() noexcept;
  // Readable when there was a call; negative where there is none.
  [[nodiscard]] int descriptor() const { return reading_.number(); }
  // In a child, where nobody else may call yet: a pipe of its own, or none where there are no
  // descriptors to be had.
  void start_over() noexcept;

 private:
  // False, and there is none, where it fails.
  [[nodiscard]] bool open() noexcept;

  ForkWatch watch_;
  Descriptor reading_;
  Descriptor writing_;
};

}  // namespace redlock
