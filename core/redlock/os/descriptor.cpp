// fcntl(2) finds another number.
#include "redlock/os/descriptor.hpp"

#include <fcntl.h>

#include <cerrno>

namespace redlock {

int beyond_standard_streams(int number) noexcept {
  if (number < 0 || number >= kFirstOwnDescriptor) return number;
  const int beyond = fcntl(number, F_DUPFD_CLOEXEC, kFirstOwnDescriptor);
  const int error = errno;
  ::close(number);
  errno = error;
  return beyond;
}

}  // namespace redlock
