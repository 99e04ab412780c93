// One byte in a pipe a call.
#include "redlock/os/waker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace redlock {

Waker::Waker() {
  if (!open()) throw std::system_error(errno, std::generic_category(), "no pipe to wake a wait");
}

bool Waker::open() noexcept {
  std::array<int, 2> ends{-1, -1};
  // Where it fails they stay none.
  (void)!pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK);
  reading_ = Descriptor(ends[0]);
  writing_ = Descriptor(ends[1]);
  if (reading_.open() && writing_.open()) return true;
  // To call into half of it would raise SIGPIPE, and to wait for the other half would never end.
  reading_ = Descriptor();
  writing_ = Descriptor();
  return false;
}

void Waker::call() noexcept {
  if (watch_.forked() || !writing_.open()) return;
  const int error = errno;
  // Full, there are calls enough.
  (void)!write(writing_.number(), "", 1);
  errno = error;
}

bool Waker::take_call() noexcept {
  bool called = false;
  std::array<char, 64> calls;
  while (reading_.open() && read(reading_.number(), calls.data(), calls.size()) > 0) called = true;
  return called;
}

void Waker::start_over() noexcept {
  if (!watch_.forked()) return;
  (void)open();
  watch_.start_over();
}

}  // namespace redlock
