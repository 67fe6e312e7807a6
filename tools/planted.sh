#!/usr/bin/env bash
# tools/planted.sh [NAME...]: plants the faults of tests/planted/ one by one, and looks whether the seed suite finds them.
#
# Works on a copy of the tree in build/planted/, so the checkout is never touched; the copy and its build stay, and a
# second run compiles what a patch changes. For each patch one line: found|missed NAME seed seconds, and what the checker
# said. Seeds are tried one after the other until one fails, at most RINGWAY_PLANTED_S seconds (600) for a patch. The exit
# status is 1 when one was missed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly limit_s=${RINGWAY_PLANTED_S:-600} first=${RINGWAY_PLANTED_FIRST:-1}
readonly tree=build/planted/tree out=build/planted/whole
mkdir -p "$tree"

copy_tree() {
  git ls-files -co --exclude-standard |
    while IFS= read -r file; do [[ ! -f $file ]] || echo "$file"; done | xargs -d '\n' cp -pu --parents -t "$tree"
}

compile() {
  cmake --build "$out" --target sim_seed_test -j "$(nproc)" >build/planted/build.log 2>&1
}

# The files of a patch as they were; ninja goes by their times.
restore() {
  sed -n 's|^+++ b/\([^[:space:]]*\).*|\1|p' "$1" | while IFS= read -r file; do
    cp "$file" "$tree/$file"
  done
}

# try_seeds: prints the first seed that fails and what it said; fails when none does in time.
try_seeds() {
  local seed said=build/planted/said.log
  for ((seed = first; SECONDS < limit_s; ++seed)); do
    if ! RINGWAY_SEEDS=$seed "$out/bin/sim_seed_test" --gtest_filter='SeedSuite.Nothing*' >"$said" 2>&1; then
      echo "$seed $(grep -m 1 -oE 'at [0-9.]+ s: .*|invariant broken.*|Expected.*' "$said" || echo 'it crashed')"
      return 0
    fi
  done
  return 1
}

copy_tree
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
[[ -f $out/CMakeCache.txt ]] ||
  cmake -S "$tree" -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRINGWAY_TESTS=ON -DRINGWAY_BENCH=OFF \
    -DRINGWAY_UNITY=ON >build/planted/configure.log
compile || { tail -n 20 build/planted/build.log >&2 && exit 2; }
status=0
names=("$@")
((${#names[@]})) || mapfile -t names < <(find tests/planted -name '*.patch' -printf '%f\n' | sed 's/\.patch$//' | sort)
for name in "${names[@]}"; do
  patch=tests/planted/$name.patch
  patch -d "$tree" -p1 --silent <"$patch"
  found=''
  if compile; then
    SECONDS=0
    found=$(try_seeds) || true
    if [[ -n $found ]]; then
      echo "found $name ${found%% *} $SECONDS ${found#* }"
    else
      echo "missed $name - $SECONDS -"
    fi
  else
    echo "missed $name - 0 does not compile: build/planted/build.log"
  fi
  [[ -n $found ]] || status=1
  restore "$patch"
done
exit "$status"
