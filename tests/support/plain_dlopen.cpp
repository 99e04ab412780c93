// Preloaded before AddressSanitizer's runtime: takes RTLD_DEEPBIND from dlopen, with which PHP
// loads its extensions and which that runtime refuses.
#include <dlfcn.h>

extern "C" void* dlopen(const char* path, int mode) noexcept {
  using Dlopen = void* (*)(const char*, int);
  static const Dlopen next = reinterpret_cast<Dlopen>(dlsym(RTLD_NEXT, "dlopen"));
  return next(path, mode & ~RTLD_DEEPBIND);
}
