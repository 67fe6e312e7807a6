# DELETE cancels a job that runs and removes the result of one that is over, through any router.
id=$(take $V)
await $V $id in_progress completed
want deleted "$(curl -sS -X DELETE "http://$V2/v1/videos/$id" | field object)" video.deleted
want gone "$(curl -sS -w '%{http_code}' "http://$V1/v1/videos/$id" -o body)" 404
want code "$(field code < body)" video_deleted
id=$(take $V)
await $V $id completed
want deleted "$(curl -sS -X DELETE "http://$V/v1/videos/$id" | field deleted)" 'true*'
want gone "$(curl -sS -w '%{http_code}' "http://$V/v1/videos/$id/content" -o /dev/null)" 404
