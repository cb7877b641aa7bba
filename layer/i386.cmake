# Toolchain for the 32-bit layer on x86-64, for 32-bit programs (older games, and Wine's): the machine's gcc with -m32
# (Debian: g++-multilib), and i386 libraries from the folder that tests/setup.sh unpacked, else the machine's own (multiarch).
#
#     cmake --preset i386 && cmake --build build-i386
#     cmake --install build-i386 --prefix build      # beside the 64-bit layer: `wavepgo` knows both
#
# Registers of SSE2 and not the x87's: what is decided by comparing shares of doubles must come out as on 64 bits.
set(CMAKE_C_FLAGS_INIT "-m32 -msse2 -mfpmath=sse")
set(CMAKE_CXX_FLAGS_INIT "-m32 -msse2 -mfpmath=sse")
set(CMAKE_LIBRARY_ARCHITECTURE i386-linux-gnu)
set(CMAKE_INSTALL_LIBDIR lib/i386-linux-gnu CACHE PATH "")
# The command that is there already is the 64-bit one.
set(WPG_INSTALL_COMMAND OFF CACHE BOOL "")

get_filename_component(WPG_I386_SOURCE "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(WPG_I386_ROOT "${WPG_I386_SOURCE}/.deps/i386" CACHE PATH "Folder with usr/lib/i386-linux-gnu; empty: the machine's own")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WPG_I386_ROOT)
set(library_folders /usr/lib/i386-linux-gnu)
if(IS_DIRECTORY "${WPG_I386_ROOT}")
  set(library_folders ${WPG_I386_ROOT}/usr/lib/i386-linux-gnu)
endif()
set(CMAKE_PREFIX_PATH "")
set(CMAKE_LIBRARY_PATH ${library_folders})
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${library_folders} -Wl,-rpath-link,${library_folders}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-L${library_folders}")
set(CMAKE_BUILD_RPATH ${library_folders})
# The 64-bit libraries are of no use, the headers are the same.
set(CMAKE_SYSTEM_IGNORE_PATH /usr/lib/x86_64-linux-gnu /lib/x86_64-linux-gnu /usr/lib64 /lib64 /usr/lib /lib)
set(ENV{PKG_CONFIG_LIBDIR} "${library_folders}/pkgconfig:/usr/share/pkgconfig")
