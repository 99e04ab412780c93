// The end of the road for a broken invariant: say which, and abort.
#include "redlock/algorithm/invariant.hpp"

#include <cstdio>
#include <cstdlib>

namespace redlock {

void invariant_broken(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "redlock: invariant broken: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace redlock
