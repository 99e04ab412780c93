// The descriptors that this process has open.
#pragma once
#include <fcntl.h>

#include <set>

namespace redlock::test {

inline std::set<int> open_descriptors() {
  std::set<int> open;
  for (int i = 0; i < 1024; ++i) {
    if (fcntl(i, F_GETFD) >= 0) open.insert(i);
  }
  return open;
}

}  // namespace redlock::test
