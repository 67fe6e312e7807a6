#!/usr/bin/env bash
# shards.sh N PROGRAM [ARGUMENT...]: the cases of a GoogleTest program in N processes at once, each with its part of them.
#
# For tests that wait most of their time. Prints what each process said, one after the other, and fails when one failed.
set -u
count=$1
shift
folder=$(mktemp -d)
shards=()
end() {
  ((${#shards[@]} == 0)) || kill "${shards[@]}" 2>/dev/null
  rm -rf "$folder"
}
trap end EXIT
trap 'exit 143' TERM INT
for ((i = 0; i < count; ++i)); do
  GTEST_TOTAL_SHARDS=$count GTEST_SHARD_INDEX=$i "$@" >"$folder/$i" 2>&1 &
  shards+=($!)
done
failed=0
for ((i = 0; i < count; ++i)); do
  wait "${shards[i]}" || failed=1
  cat "$folder/$i"
done
shards=()
exit $failed
