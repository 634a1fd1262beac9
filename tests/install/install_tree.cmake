# Installs `build` into `stage` and then moves the tree to `moved`: nothing in it may remember where
# it was put.
file(REMOVE_RECURSE "${stage}" "${moved}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${build}" --prefix "${stage}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${stage}" "${moved}")

file(GLOB_RECURSE texts "${moved}/*.cmake" "${moved}/*.pc")
if(texts STREQUAL "")
  message(FATAL_ERROR "nothing was installed for find_package and pkg-config")
endif()
foreach(text IN LISTS texts)
  file(READ "${text}" contents)
  foreach(path "${stage}" "${build}")
    string(FIND "${contents}" "${path}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${text} names ${path}")
    endif()
  endforeach()
endforeach()
