# Finds c-ares through pkg-config as the target redlock::cares; used by the build and by the
# installed package alike.
find_package(PkgConfig REQUIRED)
pkg_check_modules(REDLOCK_CARES REQUIRED QUIET IMPORTED_TARGET "libcares>=1.18")

if(NOT TARGET redlock::cares)
  add_library(redlock::cares INTERFACE IMPORTED)
  target_link_libraries(redlock::cares INTERFACE PkgConfig::REDLOCK_CARES)
endif()
