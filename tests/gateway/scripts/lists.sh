# A list through any router holds the jobs of all, page by page.
for router in $V0 $V1 $V2 $V0; do take $router; done > ids
for router in $V0 $V1 $V2; do
  ids=$(curl -sS "http://$router/v1/videos?limit=100" | grep -o '"id":"video_[^"]*' | cut -c7-)
  for id in $(cat ids); do grep -qF "$id" <<< "$ids" || { echo "$router does not list $id"; exit 1; }; done
  want sorted "$ids" "$(sort -r <<< "$ids")"
  after= pages=
  for _ in $(seq 50); do
    page=$(curl -sS "http://$router/v1/videos?limit=3&after=$after")
    pages+=$(grep -o '"id":"video_[^"]*' <<< "$page" | cut -c7-)$'\n'
    grep -q '"has_more":true' <<< "$page" || break
    after=$(field last_id <<< "$page")
  done
  want 'page by page' "${pages%$'\n'}" "$ids"
  grep -q '"silent":\[\],"not_asked":0' <<< "$page"
done
# One router's own.
own=$(curl -sS "http://$V1/v1/videos?limit=100&scope=router" | grep -o '"router":"[^"]*' | sort -u | wc -l)
want 'owners of one router' "$own" 1
want scope "$(curl -sS "http://$V1/v1/videos?scope=moon" | field code)" invalid_request
