// Preloaded into PHP: an operator new that fails when the environment says so.
//
// REDLOCK_NEW_FAILS=7 lets the seventh allocation of the main thread from now on fail, 7+ that and
// all behind it, until it is unset; another value begins anew. It says so in REDLOCK_NEW_FAILED.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string_view>

namespace {

char obeyed[16];  // the value that is counted for
long until_it_fails = 0;
bool lasting = false;

void obey(std::string_view wanted) {
  if (wanted == obeyed || wanted.size() >= sizeof obeyed) return;
  obeyed[wanted.copy(obeyed, sizeof obeyed - 1)] = '\0';
  until_it_fails = std::atol(obeyed);
  lasting = wanted.ends_with('+');
}

bool fails() {
  if (syscall(SYS_gettid) != getpid()) return false;
  const char* const wanted = std::getenv("REDLOCK_NEW_FAILS");
  obey(wanted == nullptr ? "" : wanted);
  if (until_it_fails == 0) return false;
  if (until_it_fails > 1) {
    --until_it_fails;
    return false;
  }
  if (!lasting) until_it_fails = 0;
  setenv("REDLOCK_NEW_FAILED", "1", 1);
  return true;
}

}  // namespace

void* operator new(std::size_t size) {
  void* const piece = fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (piece == nullptr) throw std::bad_alloc();
  return piece;
}
void operator delete(void* piece) noexcept { std::free(piece); }
void operator delete(void* piece, std::size_t) noexcept { std::free(piece); }
