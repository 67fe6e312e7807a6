// The videos API on real processes, by curl: what each call answers, and what happens when things go wrong.
#include "tests/router/http/raw_client.h"
#include "tests/videos/video_world.h"

namespace ringway::videos_test {
namespace {

class ApiTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    fleet_ = new VideoWorld({.regions = {{"lima", 2, 1}, {"oslo", 1, 1}},
                             .service_mean_s = 0.4,
                             .worker_flags = {"--result-bytes", "300000"},
                             .router_flags = {"--videos-body-secs", "2"}});
    ASSERT_TRUE(fleet_->AwaitReady());
  }
  static void TearDownTestSuite() { delete std::exchange(fleet_, nullptr); }
  static VideoWorld* fleet_;
};

VideoWorld* ApiTest::fleet_ = nullptr;

TEST_F(ApiTest, JsonAndFormsMakeTheSameJob) {
  fleet_->Run(R"(
head -c 5000 /dev/urandom > picture
printf '{"prompt":"p","seconds":2,"size":"64x48","seed":7,"input_reference":"%s"}' "$(base64 -w0 picture)" >
                  body curl - sS - X POST "http://$V/v1/videos/sync" - H 'Content-Type: application/json' -
                      d @body - o by_json curl - sS "http://$V1/v1/videos/sync" - F prompt =
                  p - F seconds = 2 - F size =
                                      64x48 - F seed =
                                          7 - F input_reference =
                                              @picture - o by_form want size
                                              "$(stat -c %s by_json)" 300000 cmp by_json by_form made =
                                                  $(curl - sS "http://$V/v1/videos" - F prompt =
                                                        p - F seconds = 2 - F size = 64x48) want status
              "$(field status <<<" $made ")" '[iq]*' want seconds "$(field seconds <<<" $made ")" 2 want size
              "$(field size <<<" $made ")" 64x48) ");
}

TEST_F(ApiTest, AnyRouterAnswersForAnyJob){
    fleet_->Run(R"(
id=$(take $V)
for router in $V0 $V1 $V2; do
  want id "$(curl -sS "http://$router/v1/videos/$id" | field id)"
                "$id" await $router $id completed curl -
                    sS "http://$router/v1/videos/$id/content" -
                    o "film-$router" cmp "film-$router"
                      "film-$V0" want bytes "$(stat -c %s " film -
                    $router ")" 300000 done want model
                    "$(curl -sS http://$V2/v1/models | field id)" animate want 'a page' "$(curl -sS " http
                :  //$V0/v1/videos?limit=1" | field object)" '*'
                curl - sS "http://$V0/v1/videos?limit=100" | grep - q "$id") ");
}

TEST_F(ApiTest, RangesOfAFilm){
    fleet_->Run(R"(
id=$(take $V); await $V $id completed
curl -sS "http://$V/v1/videos/$id/content" -o whole
for router in $V0 $V2; do
  want part "$(curl -sS -r 1000-1999 -w '%{http_code}' "http://$router/v1/videos/$id/content" -o part)" 206 cmp
                        part < (tail - c + 1001 whole | head - c 1000) curl - sS - r -
                                   77 "http://$router/v1/videos/$id/content" - o part cmp part <
                    (tail - c 77 whole) want beyond "$(curl -sS -r 300000- -w '%{http_code}' " http
                :  //$router/v1/videos/$id/content" -o /dev/null)" 416
                want changed "$(curl -sS -r 0-9 -H 'If-Range: " other "' -w '%{http_code}' " http
                :  //$router/v1/videos/$id/content" -o /dev/null)" 200
                curl - sSI "http://$router/v1/videos/$id/content" |
                    grep - qi '^content-length: 300000' done head - c 100000 whole >
                        resumed curl - sS - C - "http://$V1/v1/videos/$id/content" -
                            o resumed cmp resumed whole) ");
}

TEST_F(ApiTest, EventsTellTheWholeWayThroughAnyRouter){
    fleet_->Run(R"(
id=$(take $V0)
for router in $V0 $V2; do timeout 20 curl -sSN "http://$router/v1/videos/$id/events" > "events-$router" & done
wait
for router in $V0 $V2; do
  want last "$(grep ^event: "events-$router" | tail -1)" 'event: video.completed' steps =
                    $(grep ^ data
                      : "events-$router" | field progress)
                        want 'progress' "$steps"
                                        "$(sort -n <<<" $steps ")"(($(wc - l < < < "$steps") >= 4)) ||
                    {
                      echo "only: $steps";
                      exit 1;
                    } done want 'over already' "$(timeout 5 curl -sSN " http
                :  //$V0/v1/videos/$id/events" | grep -c ^event:)" 1
                ) ");
}

TEST_F(ApiTest, DeletingCancelsAJobAndRemovesAResult) {
  const double before = fleet_->world().SumOverWorkers("ringway_worker_jobs_total{outcome=\"cancelled\"}");
  fleet_->Run(R"(
id=$(take $V); await $V $id in_progress
want deleted "$(curl -sS -X DELETE "http://$V2/v1/videos/$id" | field object)" video.deleted want gone
              "$(curl -sS -w '%{http_code}' " http
              :  //$V1/v1/videos/$id" -o body)" 404
              want code "$(field code < body)" video_deleted id = $(take $V);
              await $V $id completed want deleted "$(curl -sS -X DELETE " http
              :  //$V/v1/videos/$id" | field deleted)" true
              want gone "$(curl -sS -w '%{http_code}' " http
              :  //$V/v1/videos/$id/content" -o /dev/null)" 404
              ) ");
      EXPECT_TRUE(live::Eventually([&] {
        return fleet_->world().SumOverWorkers("ringway_worker_jobs_total{outcome=\"cancelled\"}") > before;
      }));
}

TEST_F(ApiTest, TheSameKeyIsTheSameJob) {
  fleet_->Run(R"(
key=$RANDOM-$RANDOM
again() { json "$1/v1/videos" '{"prompt":"once","seed":3}' -H "Idempotency-Key: $key"; }
id=$(again $V0 | field id)
for router in $V1 $V0 $V1; do want id "$(again $router | field id)" "$id"; done
await $V1 $id completed
want 'id, when it is done' "$(again $V0 | field id)" "$id"
curl -sS "http://$V0/v1/videos/$id/content" -o film
json $V1/v1/videos/sync '{"prompt":"once","seed":3}' -H "Idempotency-Key: $key" -o film2
cmp film film2
want 'another request' "$(json $V1/v1/videos '{"prompt":"twice"}' -H "Idempotency-Key: $key" -w '%{http_code}' -o body)" 409
want code "$(field code < body)" idempotency_key_reused
echo "id=$id"
)");
  const std::string id = fleet_->output.substr(fleet_->output.find("id=") + 3);
  EXPECT_EQ(fleet_->world().Completions(id.substr(0, id.find('\n'))), 1);
}

TEST_F(ApiTest, WrongRequestsAreToldWhatIsWrong) {
  fleet_->Run(R"(
refused() { # STATUS CODE curl arguments
  want "$*" "$(curl -sS -w '%{http_code}' -o body "${@:3}")" "$1"
  want "$*" "$(field code < body)" "$2"
}
J='Content-Type: application/json'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '{'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '[]'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '{"seconds":4}'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '{"prompt":"x","size":"large"}'
refused 400 invalid_request "http://$V/v1/videos" -H "$J" -d '{"prompt":"x","webhook_url":"http://10.0.0.1/"}'
refused 400 invalid_request "http://$V/v1/videos" -H 'Content-Type: text/plain' -d 'x'
refused 404 video_not_found "http://$V/v1/videos/video_0"
refused 404 unknown_route "http://$V/v2"
refused 405 method_not_allowed -X PUT "http://$V/v1/videos"
refused 429 deadline_infeasible "http://$V/v1/videos" -H "$J" -d '{"prompt":"x","deadline_s":0.01}' -D head
grep -qi '^retry-after: [1-9]' head
id=$(take $V)
refused 404 video_not_found "http://$V2/v1/videos/${id:0:27}1${id:28}"
)");
}

// Refused by what the head says, or as soon as too much has come; memory does not grow.
TEST_F(ApiTest, AHugeBodyIsRefusedEarly){
    fleet_->Run(R"(
truncate -s 1G huge
read -r code sent took < <(curl -sS -o body -w '%{http_code} %{size_upload} %{time_total}\n' -X POST -T huge -H 'Content-Type: application/json' "http://$V/v1/videos" || true)
want 'by its length' "$code" 413; want code "$(field code < body)" body_too_large((sent < 16 << 20)) ||
                {
                  echo "sent $sent";
                  exit 1;
                } read - r code sent < <
                    (curl - sS - o body - w '%{http_code} %{size_upload}\n' - X POST - T -
                             -H 'Content-Type: application/json' "http://$V/v1/videos" <
                         huge ||
                     true) want 'while it comes' "$code" 413((sent < 256 << 20)) ||
                {
                  echo "sent $sent";
                  exit 1;
                }) ");
}

// Heads and bodies that trickle in are cut off, and hold nobody else up.
TEST_F(ApiTest, SlowClientsAreBounded) {
  const std::string address = fleet_->world().routers().begin()->second->videos();
  std::vector<http_test::Wire> heads, bodies;
  for (int i = 0; i < 50; ++i) {
    heads.push_back(http_test::Wire::To(address));
    heads.back().Send("GET /v1/models HT");
    bodies.push_back(http_test::Wire::To(address));
    bodies.back().Send(
        "POST /v1/videos HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
        "100\r\n\r\n{");
  }
  const absl::Time began = absl::Now();
  int open = 50;
  while (open > 0 && absl::Now() - began < absl::Seconds(20)) {
    for (auto& wire : heads) wire.Send("T");
    open = 0;
    for (auto& wire : bodies) open += wire.open() && wire.Send(" ") ? 1 : 0;
    const absl::Time asked = absl::Now();
    ASSERT_TRUE(http_test::Ask(address, "GET", "", "").has_value());
    EXPECT_LT(absl::Now() - asked, absl::Seconds(2));
    absl::SleepFor(absl::Milliseconds(200));
  }
  for (auto& wire : bodies) {
    const auto answer = wire.ReadToEnd();
    ASSERT_TRUE(answer.has_value()) << "a body that trickles in is still waited for";
    EXPECT_NE(answer->find(" 408 "), std::string::npos) << *answer;
  }
  for (auto& wire : heads) EXPECT_TRUE(wire.ClosedWithin(absl::Seconds(20)));
}

// The document names what is served, and nothing else.
TEST_F(ApiTest, TheOpenApiDocumentIsTrue) {
  if (!Installed("node")) GTEST_SKIP() << "no node here";
  fleet_->Run(absl::StrCat("node ", RINGWAY_SOURCE_DIR, "/tests/videos/openapi.mjs http://$V\n"));
  std::cout << fleet_->output;
}

TEST_F(ApiTest, TheOpenAiClientWorks) {
  if (!Installed("npm")) GTEST_SKIP() << "no npm here";
  const std::string folder = std::string(RINGWAY_BIN_DIR) + "/../npm";
  const Ran got = RunShell("mkdir -p " + folder + " && cd " + folder +
                           " && { [ -d node_modules/openai ] || timeout 50 npm install --silent --no-audit "
                           "--no-fund openai@6; } 2>&1");
  if (got.code != 0)
    GTEST_SKIP() << "THE OPENAI CLIENT IS NOT TESTED: npm cannot install it here: " << got.output;
  fleet_->Run(absl::StrCat("cp ", RINGWAY_SOURCE_DIR, "/tests/videos/openai.mjs ", folder, "/\nnode ", folder,
                           "/openai.mjs http://$V2/v1\n"));
  std::cout << fleet_->output;
}

}  // namespace
}  // namespace ringway::videos_test
