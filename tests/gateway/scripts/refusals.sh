# Wrong requests are told what is wrong, in the shape of the API's errors.
refused() { # STATUS CODE curl arguments
  want "${*:3}" "$(curl -sS -w '%{http_code}' -o body "${@:3}")" "$1"
  want "${*:3}" "$(field code < body)" "$2"
}
J='Content-Type: application/json'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '{'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '[]'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '{"seconds":4}'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '{"prompt":"x","size":"large"}'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '{"prompt":"x","webhook_url":"http://10.0.0.1/"}'
refused 400 invalid_request "http://$V/v1/videos" -H 'Content-Type: text/plain' -d 'x'
refused 404 model_not_found "http://$V/v1/videos" -H "$J" -d '{"prompt":"x","model":"another"}'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '{"prompt":"x","model":""}'
refused 403 unknown_host "http://$V/v1/videos" -H 'Host: elsewhere.example'
refused 403 foreign_site "http://$V/v1/videos" -H 'Origin: http://elsewhere.example' -F prompt=x
refused 404 video_not_found "http://$V/v1/videos/video_0"
refused 404 unknown_route "http://$V/v2"
refused 405 method_not_allowed -X PUT "http://$V/v1/videos"
refused 429 deadline_infeasible "http://$V/v1/videos" -H "$J" -d '{"prompt":"x","deadline_s":0.01}' -D head
grep -qi '^retry-after: [1-9]' head
id=$(take $V)
refused 404 video_not_found "http://$V2/v1/videos/${id:0:27}z${id:28}"
