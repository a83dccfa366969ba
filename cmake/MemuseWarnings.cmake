# One interface target with the flags that all of memuse is built with.
add_library(memuse_flags INTERFACE)
target_compile_options(memuse_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wold-style-cast -Wcast-align -Wformat=2 -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 in std::string's own code (GCC bug 105651).
  target_compile_options(memuse_flags INTERFACE -Wno-restrict)
endif()
if(MEMUSE_WERROR)
  target_compile_options(memuse_flags INTERFACE -Werror)
endif()
if(MEMUSE_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers GCC 12 takes <regex>, which Catch includes, for uninitialised (GCC bug 105562).
    target_compile_options(memuse_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_compile_options(memuse_flags INTERFACE -fsanitize=${MEMUSE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(memuse_flags INTERFACE -fsanitize=${MEMUSE_SANITIZE})
endif()
if(MEMUSE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "The fuzzers need clang: cmake --preset fuzz")
  endif()
  # Everything is watched for which branches an input takes; only the fuzzers themselves bring libFuzzer's main.
  target_compile_options(memuse_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(memuse_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_include_directories(memuse_flags INTERFACE "${PROJECT_SOURCE_DIR}/src")
