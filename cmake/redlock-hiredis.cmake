# Finds hiredis through pkg-config as the target redlock::hiredis; used by the build and by the
# installed package alike. Where it is missing there is no such target, and who includes this says so.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(REDLOCK_HIREDIS QUIET IMPORTED_TARGET "hiredis>=0.14")
endif()

if(REDLOCK_HIREDIS_FOUND AND NOT TARGET redlock::hiredis)
  add_library(redlock::hiredis INTERFACE IMPORTED)
  target_link_libraries(redlock::hiredis INTERFACE PkgConfig::REDLOCK_HIREDIS)
  # The sources say <hiredis/hiredis.h>, while hiredis.pc may name the folder hiredis/ itself.
  pkg_get_variable(REDLOCK_HIREDIS_HEADERS hiredis includedir)
  cmake_path(REMOVE_FILENAME REDLOCK_HIREDIS_HEADERS OUTPUT_VARIABLE REDLOCK_HIREDIS_PARENT)
  if(EXISTS "${REDLOCK_HIREDIS_PARENT}hiredis/hiredis.h"
     AND NOT REDLOCK_HIREDIS_PARENT STREQUAL "/usr/include/")
    target_include_directories(redlock::hiredis SYSTEM INTERFACE "${REDLOCK_HIREDIS_PARENT}")
  endif()
endif()
