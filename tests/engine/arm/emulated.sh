#!/usr/bin/env bash
# The engine's kernels for 64-bit Arm, compiled by Debian's cross compiler and run by qemu's emulation of a process, held to
# the plain C++ kernels by the same tests that hold those of x86. Exits with 77, "skipped", where a package is missing.
#
# Only sources that need no library but GoogleTest take part, for Debian has no Abseil for its cross compilers. The
# options are those of cmake/Ringway.cmake and engine/CMakeLists.txt, except that tests and plain C++ are optimised less.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

compiler=aarch64-linux-gnu-g++
googletest=/usr/src/googletest/googletest
missing=()
command -v $compiler >/dev/null || missing+=(g++-aarch64-linux-gnu)
command -v qemu-aarch64 >/dev/null || missing+=(qemu-user)
[[ -f $googletest/src/gtest-all.cc ]] || missing+=(googletest)
if ((${#missing[@]})); then
  echo "skipped: the kernels for Arm are not run without these packages: ${missing[*]}"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(-std=c++20 -I. "-I$googletest/include" -ffp-contract=off -fPIC -mbranch-protection=standard -Wall -Wextra -Werror)
objects=()
# compile LEVEL SOURCE...
compile() {
  local level=$1 source object
  shift
  for source in "$@"; do
    object="$work/$(basename "$source" .cc).o"
    $compiler "${options[@]}" "$level" -c "$source" -o "$object"
    objects+=("$object")
  done
}
compile -O3 engine/cpu/kernels_neon.cc engine/motion/warp_neon.cc
compile -O1 engine/cpu/isa.cc engine/cpu/kernel_table.cc engine/cpu/kernels_scalar.cc engine/motion/warp.cc core/rng.cc \
  tests/engine/int8_tiles_test.cc tests/engine/kernel_rows_test.cc tests/engine/kernel_tiles_test.cc tests/engine/warp_test.cc
options+=("-I$googletest")
compile -O0 $googletest/src/gtest-all.cc $googletest/src/gtest_main.cc
# Under the test's own name, which its report gets.
$compiler "${objects[@]}" -o "$work/engine_arm_test"

qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/engine_arm_test" --gtest_brief=1 | tee "$work/log"
if grep -q SKIPPED "$work/log"; then
  echo "an Arm processor would not take the kernels for Arm"
  exit 1
fi
