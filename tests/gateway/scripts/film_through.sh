# A film and its progress come through a worker in front of another router ($F is the near one, $V the far one).
printf 'a picture' > picture
form() { curl -sS "http://$1/v1/videos/sync" -F prompt='a "boat"' -F seed=5 -F input_reference=@picture -o "$2"; }
form $F through
want bytes "$(stat -c %s through)" 200000
id=$(take $F)
timeout 20 curl -sSN "http://$F/v1/videos/$id/events" > events
want end "$(grep ^event: events | tail -1)" 'event: video.completed'
(($(grep -c video.progress events) >= 2)) || { cat events; exit 1; }
