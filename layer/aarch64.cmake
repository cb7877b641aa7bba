# Toolchain for aarch64 on another machine: the cross compiler and the root of arm64 libraries that tests/setup.sh unpacked,
# else Debian's g++-aarch64-linux-gnu with a root of your own (-DWPG_AARCH64_ROOT=FOLDER). qemu-user runs the tests.
#
#     cmake --preset aarch64 && cmake --build build-aarch64
get_filename_component(WPG_AARCH64_DEPS "${CMAKE_CURRENT_LIST_DIR}/../.deps" ABSOLUTE)
set(WPG_AARCH64_ROOT "${WPG_AARCH64_DEPS}/aarch64" CACHE PATH "Root with usr/lib/aarch64-linux-gnu")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WPG_AARCH64_ROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(commands "")
if(EXISTS "${WPG_AARCH64_DEPS}/aarch64-cross/bin/aarch64-linux-gnu-gcc")
  set(commands "${WPG_AARCH64_DEPS}/aarch64-cross/bin/")
endif()
set(CMAKE_C_COMPILER "${commands}aarch64-linux-gnu-gcc")
set(CMAKE_CXX_COMPILER "${commands}aarch64-linux-gnu-g++")
set(CMAKE_SYSROOT "${WPG_AARCH64_ROOT}")

# Programs are this machine's, headers and libraries the root's.
set(CMAKE_FIND_ROOT_PATH "${WPG_AARCH64_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${WPG_AARCH64_ROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${WPG_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${WPG_AARCH64_ROOT}/usr/share/pkgconfig")

find_program(WPG_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(WPG_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${WPG_QEMU};-L;${WPG_AARCH64_ROOT}")
endif()
