#!/usr/bin/env bash
# Builds the simulator four ways (g++ and clang++, -O0 and -O3) and compares the fingerprints of its reports: the same
# seed must give the same bytes. Usage: tools/determinism.sh [FOLDER]   (default: build-determinism)
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build-determinism}
status=0
for compiler in g++ clang++; do
  for level in O0 O3; do
    build="$folder/$compiler-$level"
    cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None \
      -DCMAKE_CXX_FLAGS="-$level" -DRINGWAY_PURE_ONLY=ON -DRINGWAY_WERROR=OFF -DRINGWAY_BENCH=OFF \
      ${CMAKE_CXX_COMPILER_LAUNCHER:+-DCMAKE_CXX_COMPILER_LAUNCHER=$CMAKE_CXX_COMPILER_LAUNCHER} >/dev/null
    ninja -C "$build" sim_fingerprint >/dev/null
    "$build/bin/sim_fingerprint" >"$folder/$compiler-$level.txt"
    if cmp -s "$folder/g++-O0.txt" "$folder/$compiler-$level.txt"; then
      echo "same       $compiler -$level"
    else
      echo "DIFFERENT  $compiler -$level (diff $folder/g++-O0.txt $folder/$compiler-$level.txt)"
      status=1
    fi
  done
done
exit $status
