# The events of a job, at its owner and through another router: every step in order, and the end.
# On a busy machine a job may be over before both listen; then another one is watched.
for try in $(seq 6); do
  id=$(take $V0)
  for router in $V0 $V2; do timeout 20 curl -sSN "http://$router/v1/videos/$id/events" > "events-$router" & done
  wait
  fewest=$(for router in $V0 $V2; do grep -c ^data: "events-$router"; done | sort -n | head -1)
  ((fewest >= 4)) && break
done
for router in $V0 $V2; do
  want last "$(grep ^event: "events-$router" | tail -1)" 'event: video.completed'
  steps=$(grep ^data: "events-$router" | field progress)
  want progress "$steps" "$(sort -n <<<"$steps")"
  (($(wc -l <<<"$steps") >= 4)) || { echo "only: $steps"; exit 1; }
done
want 'over already' "$(timeout 5 curl -sSN "http://$V0/v1/videos/$id/events" | grep -c ^event:)" 1
