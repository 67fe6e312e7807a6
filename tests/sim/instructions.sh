#!/usr/bin/env bash
# Instructions that the simulator spends on a request of bench_sim, and that they stay below a limit.
#   instructions.sh BENCH_SIM LIMIT
# Counts two lengths of the same run and divides the difference, so that what happens once (loading the program,
# opening the watch streams, the empty fleet filling up) is left out. `perf stat` counts where the processor lets
# it, valgrind's callgrind elsewhere; with neither it says so and exits with 77, "skipped".
set -euo pipefail
if [[ $# != 2 || ! -x $1 || ! $2 =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: $0 BENCH_SIM LIMIT: the program bench_sim, and instructions a request, a whole number from 1" >&2
  exit 2
fi
bench=$1 limit=$2
short_s=20 long_s=40  # of virtual time; the warm-up ends at 8 s

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each leaves the instructions of `bench_sim --seconds $1` in $work/counted, and what it printed in $work/printed.
count_by_perf() {
  perf stat -x, -e instructions:u -o "$work/perf" "$bench" --seconds "$1" >"$work/printed" &&
    grep -oE '^[0-9]+' "$work/perf" >"$work/counted"
}
count_by_callgrind() {
  valgrind --tool=callgrind --callgrind-out-file="$work/callgrind" "$bench" --seconds "$1" \
    >"$work/printed" 2>"$work/errors" || { cat "$work/errors" >&2; return 1; }
  sed -n 's/^summary: \([0-9]*\)$/\1/p' "$work/callgrind" >"$work/counted"
}

if command -v perf >/dev/null && perf stat -x, -e instructions:u true 2>&1 | grep -qE '^[0-9]+,'; then
  counter=perf
elif command -v valgrind >/dev/null; then
  counter=callgrind
else
  echo "skipped: neither perf with a counter of instructions nor valgrind is here (Debian: valgrind)"
  exit 77
fi

# Prints "instructions requests" of a run of so many virtual seconds.
measure() {
  "count_by_$counter" "$1"
  local counted requests
  counted=$(<"$work/counted")
  requests=$(sed -n 's/^requests \([0-9]*\)$/\1/p' "$work/printed")
  if [[ ! $counted =~ ^[0-9]+$ || ! $requests =~ ^[0-9]+$ ]]; then
    echo "$0: $counter counted '$counted', $bench printed '$(<"$work/printed")'; numbers are wanted" >&2
    return 1
  fi
  echo "$counted $requests"
}

short=$(measure "$short_s")
long=$(measure "$long_s")
read -r short_instructions short_requests <<<"$short"
read -r long_instructions long_requests <<<"$long"
requests=$((long_requests - short_requests))
if ((requests <= 0)); then
  echo "$0: $short_requests requests in $short_s s and $long_requests in $long_s s; more are wanted" >&2
  exit 1
fi
each=$(((long_instructions - short_instructions) / requests))
echo "$each instructions a request, counted by $counter over $requests requests; the limit is $limit"
if ((each > limit)); then
  echo "$0: the simulator spends more on a request than it may: take the cause out, found with" \
    "valgrind --tool=callgrind $bench --seconds $long_s (docs/benchmarks.md)" >&2
  exit 1
fi
