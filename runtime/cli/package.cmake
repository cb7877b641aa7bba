# Debian packages, by `cpack -G DEB` in the build folder: wavepgo (layer, command, manifests, man pages, completions) and, where
# LLVM 22 was there, wavepgo-isa. The benchmarks are installed by `cmake --install` only. CPack runs this file, too, as a script
# over the files of each package before it packs them.
if(CPACK_TEMPORARY_INSTALL_DIRECTORY)
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/wavepgo/usr)
  # A folder of the CPU family and of our own: the layers of two families lie side by side, and no program links them (CPack would
  # run ldconfig for a library one level higher).
  file(GLOB_RECURSE library ${root}/lib/libVkLayer_wavepgo.so)
  if(library)
    file(MAKE_DIRECTORY ${root}/${CPACK_WPG_LIBDIR})
    file(RENAME ${library} ${root}/${CPACK_WPG_LIBDIR}/libVkLayer_wavepgo.so)
    file(GLOB manifests ${root}/share/vulkan/*/*.json)
    foreach(manifest IN LISTS manifests)
      file(READ ${manifest} text)
      string(REGEX REPLACE "/lib[^\"]*/libVkLayer_wavepgo" "/${CPACK_WPG_LIBDIR}/libVkLayer_wavepgo" text "${text}")
      file(WRITE ${manifest} "${text}")
    endforeach()
  endif()
  # Debian's man pages are compressed, without a date in them; its zsh looks in vendor-completions.
  file(GLOB pages ${root}/share/man/*/*.[15])
  foreach(page IN LISTS pages)
    execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  if(EXISTS ${root}/share/zsh/site-functions)
    file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
  endif()
  return()
endif()

if(NOT TARGET documents)
  return() # the layer alone, or a build for tests
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/wavepgo RENAME copyright)
set(CPACK_COMPONENTS_ALL wavepgo)
if(WPG_AMDGPU)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/wavepgo-isa RENAME copyright COMPONENT isa)
  list(APPEND CPACK_COMPONENTS_ALL isa)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME wavepgo)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The wavepgo authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profile-guided optimisation for Vulkan shaders")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_WPG_LIBDIR "lib/${CMAKE_LIBRARY_ARCHITECTURE}/wavepgo")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_FILE})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_WAVEPGO_PACKAGE_NAME wavepgo)
set(CPACK_DEBIAN_WAVEPGO_PACKAGE_RECOMMENDS libvulkan1)
set(CPACK_DEBIAN_WAVEPGO_PACKAGE_SUGGESTS "wavepgo-isa, llvm")
set(CPACK_COMPONENT_WAVEPGO_DESCRIPTION "Vulkan layer and command.
A Vulkan layer counts which blocks of every shader waves and lanes run. In a second run
the driver gets the same pipelines, rewritten by what was measured. The layer does nothing
until WAVEPGO_ENABLE=1, or under the command wavepgo.")
set(CPACK_DEBIAN_ISA_PACKAGE_NAME wavepgo-isa)
set(CPACK_DEBIAN_ISA_PACKAGE_DEPENDS "wavepgo (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_ISA_DESCRIPTION "AMD machine code of shaders, through LLVM.
The program that 'wavepgo isa' starts: a compute shader's AMD machine code, with the counts
of its blocks.")
include(CPack)
