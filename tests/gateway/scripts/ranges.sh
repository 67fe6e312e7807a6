# Ranges of a film, from its owner and through another router.
id=$(take $V)
await $V $id completed
curl -sS "http://$V/v1/videos/$id/content" -o whole
for router in $V0 $V2; do
  film="http://$router/v1/videos/$id/content"
  want part "$(curl -sS -r 1000-1999 -w '%{http_code}' "$film" -o part)" 206
  cmp part <(tail -c +1001 whole | head -c 1000)
  curl -sS -r -77 "$film" -o part
  cmp part <(tail -c 77 whole)
  want beyond "$(curl -sS -r 300000- -w '%{http_code}' "$film" -o /dev/null)" 416
  want changed "$(curl -sS -r 0-9 -H 'If-Range: "other"' -w '%{http_code}' "$film" -o /dev/null)" 200
  curl -sSI "$film" | grep -qi '^content-length: 300000'
done
head -c 100000 whole > resumed
curl -sS -C - "http://$V1/v1/videos/$id/content" -o resumed
cmp resumed whole
