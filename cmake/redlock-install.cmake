# Installs the public header, the library, its licence and its packages, so that find_package(redlock
# CONFIG) works, and pkg-config.
include(CMakePackageConfigHelpers)
set(REDLOCK_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/redlock)

install(TARGETS redlock EXPORT redlock-targets)
install(EXPORT redlock-targets NAMESPACE redlock:: DESTINATION ${REDLOCK_PACKAGE_DIR})
install(FILES core/redlock/redlock.hpp core/redlock/types.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/redlock)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A static library's user links what it needs.
set(REDLOCK_NEEDS hiredis cares)
set(REDLOCK_PC_REQUIRES "hiredis >= 0.14, libcares >= 1.18")
set(REDLOCK_PC_CFLAGS "")
if(TARGET redlock::openssl)
  list(APPEND REDLOCK_NEEDS openssl)
  string(APPEND REDLOCK_PC_REQUIRES ", openssl >= 1.1.1")
endif()
if(BUILD_SHARED_LIBS)
  set(REDLOCK_NEEDS "")
  set(REDLOCK_PC_REQUIRES "")
  set(REDLOCK_PC_CFLAGS -DREDLOCK_SHARED)
endif()
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/redlock-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
configure_file(cmake/redlock-config.cmake.in redlock-config.cmake @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/redlock-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/redlock-config-version.cmake
              cmake/redlock-hiredis.cmake cmake/redlock-cares.cmake
              cmake/redlock-openssl.cmake
        DESTINATION ${REDLOCK_PACKAGE_DIR})

# Seen from where the .pc file lies, so that the whole can be moved. Some packagers name folders of
# the file system's root.
file(RELATIVE_PATH REDLOCK_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(REDLOCK_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
set(REDLOCK_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH REDLOCK_PC_PREFIX ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  set(REDLOCK_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
endif()
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(REDLOCK_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
endif()
configure_file(cmake/redlock.pc.in redlock.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/redlock.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
