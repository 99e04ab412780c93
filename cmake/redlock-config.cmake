# What find_package(redlock CONFIG) reads: the library's own needs first, then the library.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/redlock-hiredis.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/redlock-cares.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/redlock-targets.cmake)
