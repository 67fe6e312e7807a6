# Build rules that every module shares: language level, warnings, sanitizers, packages, and small functions:
#   ringway_library(name SRCS ... DEPS ... PUBLIC_DEPS ...)   a module
#   ringway_shell(name)                                       a module that only carries: compiled for less time
#   ringway_program(name SRCS ... DEPS ...)                   a binary, placed in <build>/bin
#   ringway_test(name SRCS ... DEPS ... [LABELS ...] [TIMEOUT s] [TIMED] [SHARDS n])   a GoogleTest binary, one ctest entry
#   ringway_script_test(name COMMAND ...)                     a test that is a script: nothing to build
#   ringway_every_test_has_a_target()                         after all tests: fails where ./dev test NAME would
#   ringway_fuzz(name SRCS ... DEPS ... CORPUS folder)        a libFuzzer target; without clang, a test of its corpus
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# CHECK-style assertions stay on in every build.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2")
# The sources of a test run once or twice after each time they are compiled; what they call is optimised as ever.
set(RINGWAY_TEST_OPTIMISATION $<$<CONFIG:RelWithDebInfo>:-O1>)

option(RINGWAY_TESTS "build the tests" ON)
option(RINGWAY_BENCH "build the benchmarks" ON)
option(RINGWAY_WERROR "treat warnings as errors" ON)
option(RINGWAY_FUZZ "build the fuzz targets with libFuzzer (clang)" OFF)
# For whoever builds once and from nothing; after an edit, sixteen sources are compiled again instead of one.
option(RINGWAY_UNITY "compile the sources of each module in batches" OFF)
if(NOT RINGWAY_UNITY)
  # Line tables, enough for a useful backtrace: a tenth of the time to compile, which who builds once has no use for.
  string(APPEND CMAKE_CXX_FLAGS_RELWITHDEBINFO " -g1")
endif()
option(RINGWAY_PURE_ONLY "leave out everything that links gRPC (for thread sanitizer)" OFF)
set(RINGWAY_SANITIZE "" CACHE STRING "value for -fsanitize=, for example address,undefined")

# Results must be the same with and without optimisation and on both compilers, so no fused multiply-add behind our back.
add_compile_options(-ffp-contract=off -Wall -Wextra)
if(RINGWAY_WERROR)
  add_compile_options(-Werror)
endif()
if(RINGWAY_SANITIZE)
  add_compile_options(-fsanitize=${RINGWAY_SANITIZE} -fno-omit-frame-pointer)
  # g++ 12 takes its own instrumentation of Boost's optional for uninitialized reads; the plain build still warns.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${RINGWAY_SANITIZE})
endif()

# There are only programs, so all is compiled for those: code that may be placed anywhere, but of which nobody replaces a
# function when it is loaded. The compiler may then inline between the functions of a source.
add_compile_options(-fPIE)
add_link_options(-pie)

# Every program that ships takes bytes from strangers: overflows end it instead of being used against it. The sanitizers
# bring stricter checks of their own and do not go together with these; FORTIFY needs an optimising build.
if(NOT RINGWAY_SANITIZE)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64")
    add_compile_options(-mbranch-protection=standard)
  endif()
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()

# Over a hundred programs are linked; mold takes a fifth of the time of the default linker where it is installed.
find_program(RINGWAY_MOLD mold)
if(RINGWAY_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
  add_link_options(-fuse-ld=mold)
endif()

if(RINGWAY_FUZZ)
  # The libraries under a target must count their branches too, or the fuzzer is blind in them.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

include(PrecompiledHeaders)

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)
if(NOT RINGWAY_PURE_ONLY)
  find_package(gRPC CONFIG REQUIRED)
  find_package(prometheus-cpp CONFIG REQUIRED)
  find_package(OpenSSL 3.0 REQUIRED)
endif()

# With RINGWAY_PURE_ONLY, what stands on gRPC is left out, and so is everything that stands on that: sets `skip` in the
# caller when one of the named targets is not there. Modules are listed in the order of their dependencies.
function(ringway_left_out skip)
  set(${skip} FALSE PARENT_SCOPE)
  if(RINGWAY_PURE_ONLY)
    foreach(dependency ${ARGN})
      if(NOT TARGET ${dependency})
        set(${skip} TRUE PARENT_SCOPE)
      endif()
    endforeach()
  endif()
endfunction()

function(ringway_batches name)
  if(RINGWAY_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    # Sources of a batch are included, and g++ warns of types of theirs that would be wrong in a header.
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

function(ringway_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;PUBLIC_DEPS" ${ARGN})
  ringway_left_out(skip ${ARG_DEPS} ${ARG_PUBLIC_DEPS})
  if(skip)
    return()
  endif()
  add_library(${name} STATIC ${ARG_SRCS})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC_DEPS} PRIVATE ${ARG_DEPS})
  ringway_batches(${name})
  ringway_precompiled(${name} MODULES)
endfunction()

# What turns streams, requests and options into values and back waits for others, and is mostly the code of templates of
# gRPC and of the options' library: in the build in batches it is optimised less, for three quarters of the time to
# compile. What decides, plays and draws is optimised in every build, and packages are throughout.
function(ringway_shell name)
  if(RINGWAY_UNITY AND TARGET ${name})
    target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  endif()
endfunction()

function(ringway_program name)
  cmake_parse_arguments(ARG "" "HEADERS" "SRCS;DEPS" ${ARGN})
  ringway_left_out(skip ${ARG_DEPS})
  if(skip)
    return()
  endif()
  add_executable(${name} ${ARG_SRCS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  ringway_batches(${name})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS MODULES)
  endif()
  ringway_precompiled(${name} ${ARG_HEADERS})
endfunction()

# Tests run side by side: idle threads of libgomp's pool must not spin away the others' cores
# (engine/cpu/idle_threads.h; a test that takes ten seconds took two minutes).
# And nobody's own contexts (docs/cli.md) say whom a test asks.
set(RINGWAY_TEST_ENVIRONMENT GOMP_SPINCOUNT=0 RINGWAY_CONTEXTS=/dev/null/none)

# What a test takes of the machine, in thirds of a processor (./dev runs as many as there are thirds). Live tests wait most
# of the time, so three share a machine of two processors; on a larger one each has two to itself, as it would there.
cmake_host_system_information(RESULT RINGWAY_PROCESSORS QUERY NUMBER_OF_LOGICAL_CORES)
set(RINGWAY_TEST_THIRDS 3)
set(RINGWAY_LIVE_THIRDS 2)
if(RINGWAY_PROCESSORS GREATER 3)
  set(RINGWAY_LIVE_THIRDS 6)
endif()

# TIMED: the test holds latency, throughput or processor time against a narrow bound, so nothing runs beside it.
# SHARDS: its cases wait most of their time and share nothing, so they run in so many processes at once.
# OF: the sources are compiled and linked into that program of several tests (ringway_test_program), together, because
# what they include costs more than they do. The test is still one of its own, with its own properties: a script of its
# name runs those suites of the program that its sources define.
function(ringway_test name)
  cmake_parse_arguments(ARG "TIMED" "TIMEOUT;SHARDS;OF" "SRCS;DEPS;LABELS" ${ARGN})
  ringway_left_out(skip ${ARG_DEPS} ${ARG_OF})
  if(skip)
    return()
  endif()
  if(ARG_OF)
    target_sources(${ARG_OF} PRIVATE ${ARG_SRCS})
    ringway_part_of_program(${name} ${ARG_OF} ${ARG_SRCS})
    set(run ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name})
  else()
    ringway_test_program(${name} SRCS ${ARG_SRCS} DEPS ${ARG_DEPS})
    set(run $<TARGET_FILE:${name}>)
  endif()
  if(ARG_SHARDS)
    list(PREPEND run ${CMAKE_SOURCE_DIR}/tests/shards.sh ${ARG_SHARDS})
  endif()
  add_test(NAME ${name} COMMAND ${run})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(RINGWAY_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 5")
  endif()
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" ENVIRONMENT "${RINGWAY_TEST_ENVIRONMENT}")
  if("live" IN_LIST ARG_LABELS)
    # Begun before the others, the longest first: they then wait beside each other, and what is left fills the end.
    math(EXPR cost "10000 + ${ARG_TIMEOUT}")
    set_tests_properties(${name} PROPERTIES COST ${cost} PROCESSORS ${RINGWAY_LIVE_THIRDS})
  else()
    # The longest first here too, so that none of them runs on when the others have ended.
    set_tests_properties(${name} PROPERTIES COST ${ARG_TIMEOUT} PROCESSORS ${RINGWAY_TEST_THIRDS})
  endif()
  if(ARG_TIMED)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

function(ringway_test_program name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  ringway_program(${name} SRCS ${ARG_SRCS} DEPS ${ARG_DEPS} GTest::gtest_main GTest::gmock HEADERS TESTS)
  if(NOT TARGET ${name})
    return()
  endif()
  target_compile_definitions(${name} PRIVATE RINGWAY_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             RINGWAY_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  ringway_test_options(${name})
endfunction()

# The owner of the tests' precompiled headers has them too.
function(ringway_test_options name)
  target_compile_options(${name} PRIVATE ${RINGWAY_TEST_OPTIMISATION})
endfunction()

# The script and the target of a test's name. GoogleTest names its report after what it was called as.
function(ringway_part_of_program name program)
  set(filter "")
  set(suites "")
  foreach(source ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    file(STRINGS ${source} lines REGEX "^TEST(_F|_P)?\\([A-Za-z0-9]+,")
    foreach(line ${lines})
      string(REGEX REPLACE "^TEST[_FP]*\\(([A-Za-z0-9]+),.*" "\\1" suite "${line}")
      list(APPEND suites ${suite})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES suites)
  foreach(suite ${suites})
    # The filter of either would run the cases of both.
    get_property(owner GLOBAL PROPERTY RINGWAY_OWNER_OF_${program}_${suite})
    if(owner)
      message(FATAL_ERROR "The tests ${owner} and ${name} of ${program} both have a suite ${suite}: rename one.")
    endif()
    set_property(GLOBAL PROPERTY RINGWAY_OWNER_OF_${program}_${suite} ${name})
    list(APPEND filter "${suite}.*" "*/${suite}.*")
  endforeach()
  if(NOT filter)
    message(FATAL_ERROR "The test ${name} has no case: none of its sources begins a line with TEST(.")
  endif()
  list(JOIN filter ":" filter)
  set(script ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name})
  file(CONFIGURE OUTPUT ${script} @ONLY CONTENT [=[#!/usr/bin/env bash
exec -a "$0" "${0%/*}/@program@" --gtest_filter='@filter@' "$@"
]=])
  file(CHMOD ${script} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  add_custom_target(${name})
  add_dependencies(${name} ${program})
endfunction()

# ./dev test NAME builds the target with the name of the test; this one has nothing to do.
function(ringway_script_test name)
  cmake_parse_arguments(ARG "" "" "COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  # How long a script takes is not known: begun before what is known to be short.
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "${RINGWAY_TEST_ENVIRONMENT}" PROCESSORS ${RINGWAY_TEST_THIRDS} COST 500)
  add_custom_target(${name})
endfunction()

function(ringway_every_test_has_a_target)
  set(folders ${CMAKE_CURRENT_SOURCE_DIR})
  while(folders)
    list(POP_FRONT folders folder)
    get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${below})
    get_property(tests DIRECTORY ${folder} PROPERTY TESTS)
    foreach(test ${tests})
      if(NOT TARGET ${test})
        message(FATAL_ERROR "The test ${test} has no target of its name: use ringway_test or ringway_script_test.")
      endif()
    endforeach()
  endwhile()
endfunction()

# The source defines LLVMFuzzerTestOneInput. Every build without RINGWAY_FUZZ replays the corpus as an ordinary test.
function(ringway_fuzz name)
  cmake_parse_arguments(ARG "" "CORPUS" "SRCS;DEPS" ${ARGN})
  ringway_left_out(skip ${ARG_DEPS})
  if(skip)
    return()
  endif()
  if(RINGWAY_FUZZ)
    add_executable(${name} ${ARG_SRCS})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    # For ./dev fuzz: which targets there are, and where their corpora lie.
    file(WRITE ${CMAKE_BINARY_DIR}/fuzz/${name} "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_CORPUS}\n")
  else()
    if(NOT TARGET ringway_replay_main)
      add_library(ringway_replay_main STATIC ${CMAKE_SOURCE_DIR}/tests/replay_main.cc)
    endif()
    add_executable(${name} ${ARG_SRCS})
    target_link_libraries(${name} PRIVATE ringway_replay_main)
    ringway_test_options(${name})
    add_test(NAME ${name} COMMAND ${name} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_CORPUS})
    set_tests_properties(${name} PROPERTIES TIMEOUT 120 LABELS "fuzz" PROCESSORS ${RINGWAY_TEST_THIRDS})
  endif()
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  if(NOT RINGWAY_FUZZ)
    ringway_precompiled(${name} MODULES)
  endif()
endfunction()
