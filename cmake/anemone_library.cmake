# The library `anemone` (alias anemone::anemone), made of every layer's objects, and how it and the
# tool are installed: headers, find_package, pkg-config. Static unless BUILD_SHARED_LIBS says so.

get_property(layers GLOBAL PROPERTY anemone_layers)
get_property(headers GLOBAL PROPERTY anemone_public_headers)
list(REMOVE_ITEM layers cli testing)

add_library(anemone)
add_library(anemone::anemone ALIAS anemone)
set_target_properties(anemone PROPERTIES
  LINKER_LANGUAGE CXX VERSION "${PROJECT_VERSION}"
  SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
target_compile_features(anemone PUBLIC cxx_std_20)
# Public headers speak of nlohmann::json; everything else is nobody's business but the linker's.
target_link_libraries(anemone PUBLIC nlohmann_json::nlohmann_json PRIVATE Threads::Threads)
foreach(layer IN LISTS layers)
  target_sources(anemone PRIVATE $<TARGET_OBJECTS:anemone_${layer}>)
  get_target_property(libraries anemone_${layer} anemone_libraries)
  list(REMOVE_ITEM libraries nlohmann_json::nlohmann_json)
  if(libraries)
    target_link_libraries(anemone PRIVATE ${libraries})
  endif()
endforeach()
# Two sets, because the second folder may lie inside the first.
target_sources(anemone PUBLIC
  FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers}
  FILE_SET generated_headers TYPE HEADERS BASE_DIRS "${PROJECT_BINARY_DIR}"
    FILES "${PROJECT_BINARY_DIR}/anemone/base/version.h")

include(CMakePackageConfigHelpers)
set(anemone_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/anemone")
install(TARGETS anemone EXPORT anemone-targets
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILE_SET generated_headers DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT anemone-targets NAMESPACE anemone:: DESTINATION "${anemone_cmake_dir}")
configure_package_config_file(cmake/anemone-config.cmake.in anemone-config.cmake
  INSTALL_DESTINATION "${anemone_cmake_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(anemone-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/anemone-config.cmake"
    "${PROJECT_BINARY_DIR}/anemone-config-version.cmake" DESTINATION "${anemone_cmake_dir}")

# anemone.pc finds its prefix from where it lies, so that the tree can be moved and
# `cmake --install --prefix` be used.
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH up "/prefix/${pkgconfig_dir}" "/prefix")
string(REGEX REPLACE "/$" "" up "${up}")
set(anemone_pc_prefix "\${pcfiledir}/${up}")
configure_file(cmake/anemone.pc.in anemone.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/anemone.pc" DESTINATION "${pkgconfig_dir}")

install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

if(TARGET anemone_tool)
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
  set(here "$ORIGIN")
  if(APPLE)
    set(here "@loader_path")
  endif()
  set_target_properties(anemone_tool PROPERTIES OUTPUT_NAME anemone INSTALL_RPATH "${here}/${up}")
  install(TARGETS anemone_tool)
endif()
