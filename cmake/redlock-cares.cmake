# Finds c-ares through pkg-config as the target redlock::cares; used by the build and by the
# installed package alike. Where it is missing there is no such target, and who includes this says so.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(REDLOCK_CARES QUIET IMPORTED_TARGET "libcares>=1.18")
endif()

if(REDLOCK_CARES_FOUND AND NOT TARGET redlock::cares)
  add_library(redlock::cares INTERFACE IMPORTED)
  target_link_libraries(redlock::cares INTERFACE PkgConfig::REDLOCK_CARES)
endif()
