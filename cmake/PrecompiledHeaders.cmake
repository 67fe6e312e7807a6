# Precompiled headers, of the build in batches alone (RINGWAY_UNITY). Where each source is compiled alone nothing is
# included for it, so a missing #include is found there (./dev check, ./dev tidy, the sanitizers).
#   ringway_own_headers(KIND [MESSAGES])   makes the header that targets of a kind share
#   ringway_precompiled(name KIND)         the sources of target `name` begin with it; with the wire's messages and gRPC
#                                          where the target sees those
# KIND is TESTS (programs of ringway_test) or MODULES (libraries and all other programs). g++ takes a precompiled header
# only with the options that made it, but for -O1 in place of -O2, so each kind has its own. Its owner is a target that
# nothing links.

# What many sources of a kind include, measured: more costs every source more to load than it saves.
set(RINGWAY_HEADERS_OF_MODULES
  <algorithm> <cmath> <functional> <map> <memory> <optional> <span> <string> <string_view> <utility> <variant> <vector>
  <absl/status/statusor.h> <absl/strings/str_cat.h> <absl/time/time.h>)
set(RINGWAY_HEADERS_OF_TESTS
  <gmock/gmock.h> <gtest/gtest.h>
  <algorithm> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
  <utility> <vector> <absl/status/statusor.h> <absl/strings/str_cat.h> <absl/time/clock.h>)
set(RINGWAY_HEADERS_OF_MODULES_MESSAGES <grpcpp/grpcpp.h> <ringway/v1/job.grpc.pb.h> <ringway/v1/admin.pb.h>)
set(RINGWAY_HEADERS_OF_TESTS_MESSAGES <grpcpp/grpcpp.h> <ringway/v1/admin.grpc.pb.h> <ringway/v1/control.grpc.pb.h>)

# ccache takes a precompiled header only where it may overlook __TIME__ in it, which none of these has.
if(RINGWAY_UNITY AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Which functions g++ inlines depends on their order, which a precompiled header changes, and so do the faults that it
# believes to see in what it inlined (in gateway/jobs/route.cc a std::string_view of 2^64 bytes). Each source alone has none.
set(RINGWAY_WARNINGS_OF_INLINING
  stringop-overread stringop-overflow array-bounds maybe-uninitialized restrict free-nonheap-object)

# Options that the owner and those who use its header share.
function(ringway_precompiled_options name)
  target_compile_options(${name} PRIVATE -pthread)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(TRANSFORM RINGWAY_WARNINGS_OF_INLINING PREPEND -Wno- OUTPUT_VARIABLE unasked)
    # ccache asks for the first. Not to look for those faults saves some of the time, too.
    target_compile_options(${name} PRIVATE -fpch-preprocess ${unasked})
    # The compiler's own memory is collected once it holds 800 MB, not from 128 MB on: 6 % of the processor time. The
    # largest sources come to 1.9 GB, with this or without.
    target_compile_options(${name} PRIVATE "SHELL:--param ggc-min-heapsize=800000")
  endif()
endfunction()

function(ringway_own_headers kind)
  if(NOT RINGWAY_UNITY)
    return()
  endif()
  list(JOIN ARGV _ family)
  set(owner ringway_headers_${family})
  set(source ${CMAKE_BINARY_DIR}/precompiled/${family}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing: its target makes a precompiled header.\n")
  add_library(${owner} OBJECT ${source})
  target_link_libraries(${owner} PRIVATE absl::statusor absl::strings absl::time)
  target_precompile_headers(${owner} PRIVATE ${RINGWAY_HEADERS_OF_${kind}})
  if("MESSAGES" IN_LIST ARGN)
    target_precompile_headers(${owner} PRIVATE ${RINGWAY_HEADERS_OF_${kind}_MESSAGES})
    target_link_libraries(${owner} PRIVATE ringway_wire_messages)
  endif()
  ringway_precompiled_options(${owner})
  if(kind STREQUAL TESTS)
    target_link_libraries(${owner} PRIVATE GTest::gtest GTest::gmock)
    ringway_test_options(${owner})
  endif()
endfunction()

# Whether the target sees the wire's messages. A target is marked RINGWAY_SHOWS_MESSAGES when whoever links it sees them too.
function(ringway_sees_messages result name)
  set(${result} FALSE PARENT_SCOPE)
  foreach(scope LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    get_target_property(dependencies ${name} ${scope})
    foreach(dependency ${dependencies})
      if(NOT TARGET ${dependency})
        continue()
      endif()
      get_target_property(shows ${dependency} RINGWAY_SHOWS_MESSAGES)
      if(shows OR dependency STREQUAL ringway_wire_messages)
        set(${result} TRUE PARENT_SCOPE)
        if(scope STREQUAL INTERFACE_LINK_LIBRARIES)
          set_target_properties(${name} PROPERTIES RINGWAY_SHOWS_MESSAGES TRUE)
        endif()
      endif()
    endforeach()
  endforeach()
endfunction()

function(ringway_precompiled name kind)
  if(NOT RINGWAY_UNITY)
    return()
  endif()
  set(owner ringway_headers_${kind})
  ringway_sees_messages(messages ${name})
  if(messages AND TARGET ${owner}_MESSAGES)
    set(owner ${owner}_MESSAGES)
  endif()
  if(NOT TARGET ${owner})
    return()
  endif()
  ringway_precompiled_options(${name})
  target_precompile_headers(${name} REUSE_FROM ${owner})
  # With other options than the header was made with, g++ refuses it or falls over it.
  get_target_property(sources ${name} SOURCES)
  foreach(source ${sources})
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(options)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()
