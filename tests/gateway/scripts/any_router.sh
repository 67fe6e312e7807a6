# Any router of any region answers for any job.
id=$(take $V)
for router in $V0 $V1 $V2; do
  want id "$(curl -sS "http://$router/v1/videos/$id" | grep -o "\"id\":\"$id\"")" "\"id\":\"$id\""
  await $router $id completed
  curl -sS "http://$router/v1/videos/$id/content" -o "film-$router"
  cmp "film-$router" "film-$V0"
  want bytes "$(stat -c %s "film-$router")" 300000
done
curl -sS "http://$V2/v1/models" | grep -q '"id":"animate"'
curl -sS "http://$V0/v1/videos?limit=100" | grep -q "$id"
curl -sS "http://$V0/v1/videos?limit=1" | grep -q '"has_more":'
