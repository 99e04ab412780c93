# Finds OpenSSL through pkg-config as the target redlock::openssl; used by the build and by the
# installed package alike. Where it is missing there is no such target: redlock is built without TLS.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(REDLOCK_OPENSSL QUIET IMPORTED_TARGET "openssl>=1.1.1")
endif()

if(REDLOCK_OPENSSL_FOUND AND NOT TARGET redlock::openssl)
  add_library(redlock::openssl INTERFACE IMPORTED)
  target_link_libraries(redlock::openssl INTERFACE PkgConfig::REDLOCK_OPENSSL)
endif()
