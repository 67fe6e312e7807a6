#!/usr/bin/env bash
# tools/seeds.sh PROGRAM [FIRST-LAST]: the seeds (1-10000) of the simulator's suite, several at a time, with progress.
#
# PROGRAM is sim_seed_test. Runs RINGWAY_SEEDS_JOBS processes (one for each processor) of RINGWAY_SEEDS_EACH seeds (20).
# Where one fails its seeds are run one by one, so that all that fail are found, those that crash too. A line of progress
# every RINGWAY_SEEDS_EVERY seconds (30); at the end, or when interrupted, how many passed, and for each that failed what
# the checker said and the command that repeats it. The exit status is 1 when one failed or not all were run.
set -euo pipefail
die() {
  echo "seeds: $1" >&2
  exit 2
}
readonly program=${1:-} range=${2:-1-10000}
readonly jobs=${RINGWAY_SEEDS_JOBS:-$(nproc)} each=${RINGWAY_SEEDS_EACH:-20} every_s=${RINGWAY_SEEDS_EVERY:-30}
[[ -x $program ]] || die "'$program' is no program; wanted is build/bin/sim_seed_test (./dev build makes it)"
[[ $range =~ ^([0-9]+)(-([0-9]+))?$ ]] || die "'$range' is no range of seeds; wanted is FIRST-LAST, for example 1-10000"
readonly first=${BASH_REMATCH[1]} last=${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}
((first <= last)) || die "'$range' has its first seed behind its last"
readonly all=$((last - first + 1))

# run_seeds SEEDS FILE: into the file goes what the checker said.
run_seeds() { RINGWAY_SEEDS=$1 "$program" --gtest_filter='SeedSuite.Nothing*' >"$2" 2>&1; }
# run_batch FIRST: a line for all of its seeds, or for each, "passed COUNT" or "failed SEED WHAT".
run_batch() {
  local from=$1 to=$(($1 + each - 1)) seed said
  ((to <= last)) || to=$last
  said=$(mktemp)
  if run_seeds "$from-$to" "$said"; then
    echo "passed $((to - from + 1))"
  else
    for ((seed = from; seed <= to; ++seed)); do
      if run_seeds "$seed" "$said"; then
        echo "passed 1"
      else
        echo "failed $seed $(grep -m 1 -oE 'at [0-9.]+ s: .*|invariant broken.*|Expected.*' "$said" || echo 'it crashed')"
      fi
    done
  fi
  rm -f "$said"
}
export -f run_seeds run_batch
export program each last

passed=0 shown_s=0
failures=()
run() { echo $((passed + ${#failures[@]})); }
summary() {
  local failure not_run=$((all - $(run)))
  ((not_run)) && not_run=", $not_run not run" || not_run=''
  echo "seeds: $passed of $all passed, ${#failures[@]} failed$not_run, in $SECONDS s"
  for failure in ${failures[@]+"${failures[@]}"}; do
    echo "seed ${failure%% *}: ${failure#* }"
    echo "  again: RINGWAY_SEEDS=${failure%% *} $program --gtest_filter='SeedSuite.Nothing*'"
  done
}
trap 'summary; trap - INT TERM; kill -TERM "$batches" 2>/dev/null; exit 1' INT TERM

exec 3< <(seq "$first" "$each" "$last" | exec xargs -P "$jobs" -I{} bash -c 'run_batch {} 2>/dev/null')
batches=$!
while read -r word what <&3; do
  if [[ $word == passed ]]; then
    passed=$((passed + what))
  else
    failures+=("$what")
    echo "failed: seed $what"
  fi
  if ((SECONDS - shown_s >= every_s)); then
    shown_s=$SECONDS
    echo "$(run) of $all seeds, ${#failures[@]} failed, $SECONDS s, about $(((all - $(run)) * SECONDS / $(run))) s left"
  fi
done
summary
((passed == all))
