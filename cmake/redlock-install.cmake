# Installs headers, library and the CMake package, so that find_package(redlock CONFIG) works.
include(CMakePackageConfigHelpers)
set(REDLOCK_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/redlock)

install(TARGETS redlock EXPORT redlock-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY core/redlock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
install(EXPORT redlock-targets NAMESPACE redlock:: DESTINATION ${REDLOCK_PACKAGE_DIR})

write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/redlock-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/redlock-config.cmake cmake/redlock-hiredis.cmake
              cmake/redlock-cares.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/redlock-config-version.cmake
        DESTINATION ${REDLOCK_PACKAGE_DIR})
