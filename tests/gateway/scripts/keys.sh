# The same key is the same job, at whichever router of the region, and runs once.
key=$RANDOM-$RANDOM
again() { json "$1/v1/videos" '{"prompt":"once","seed":3}' -H "Idempotency-Key: $key"; }
id=$(again $V0 | grep -o '"id":"[^"]*' | cut -c7-)
for router in $V1 $V0 $V1; do again $router | grep -q "\"id\":\"$id\""; done
await $V1 $id completed
again $V0 | grep -q "\"id\":\"$id\""
curl -sS "http://$V0/v1/videos/$id/content" -o film
json "$V1/v1/videos/sync" '{"prompt":"once","seed":3}' -H "Idempotency-Key: $key" -o film2
cmp film film2
want 'another request' "$(json "$V1/v1/videos" '{"prompt":"twice"}' -H "Idempotency-Key: $key" -w '%{http_code}' -o body)" 409
want code "$(field code < body)" idempotency_key_reused
echo "id=$id"
