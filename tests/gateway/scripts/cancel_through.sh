# Deleting at the near router stops the job at the far server.
runs() { curl -sS "http://$V/v1/videos" | grep -q '"status":"in_progress"'; }
id=$(take $F)
await $F $id in_progress
for _ in $(seq 60); do runs && break; sleep 0.05; done
runs
curl -sS -X DELETE "http://$F/v1/videos/$id" -o /dev/null
for _ in $(seq 60); do runs || exit 0; sleep 0.05; done
echo 'the far job still runs'
exit 1
