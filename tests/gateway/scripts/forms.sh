# JSON and a form make the same film.
head -c 5000 /dev/urandom > picture
printf '{"prompt":"p","seconds":2,"size":"64x48","seed":7,"input_reference":"%s"}' "$(base64 -w0 picture)" > body
curl -sS -X POST "http://$V/v1/videos/sync" -H 'Content-Type: application/json' -d @body -o by_json
curl -sS "http://$V1/v1/videos/sync" -F prompt=p -F seconds=2 -F size=64x48 -F seed=7 -F input_reference=@picture -o by_form
want size "$(stat -c %s by_json)" 300000
cmp by_json by_form
made=$(curl -sS "http://$V/v1/videos" -F prompt=p -F seconds=2 -F size=64x48)
want status "$(field status <<<"$made")" '[iq]*'
want seconds "$(field seconds <<<"$made")" 2
want size "$(field size <<<"$made")" 64x48
