// Videos and the death of routers: what is known afterwards, who answers meanwhile, what a full router says.
#include <algorithm>
#include <thread>

#include "tests/gateway/video_world.h"

namespace ringway::videos_test {
namespace {

TEST(VideoRestartTest, FinishedJobsSurviveAndRunningOnesSaySo) {
  VideoWorld fleet({.regions = {{"lima", 1, 2}}, .service_mean_s = 0.5, .controlled = false});
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(
      "id=$(take $V); await $V $id completed; echo $id > done\n"
      "curl -sS http://$V/v1/videos/$id/content -o film\n"
      "id=$(take $V); await $V $id in_progress; echo $id > ran\n");
  live::DaemonProcess& router = fleet.world().router("lima-0");
  router.Kill();
  router.StartAgain();
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(
      "want done \"$(curl -sS http://$V/v1/videos/$(cat done) | field status)\" completed\n"
      "curl -sS http://$V/v1/videos/$(cat done)/content -o again; cmp film again\n"
      "want ran \"$(curl -sS http://$V/v1/videos/$(cat ran) | field status)\" failed\n"
      "curl -sS http://$V/v1/videos/$(cat ran) | grep -q router_restarted\n");
}

TEST(VideoRestartTest, ResultsExpireAndTheirIdsSaySo) {
  VideoWorld fleet({.regions = {{"lima", 1, 1}},
                    .service_mean_s = 0.05,
                    .router_flags = {"--videos-expiry-secs", "1"},
                    .controlled = false});
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(
      "id=$(take $V); await $V $id completed\n"
      "for _ in $(seq 60); do code=$(curl -sS -w '%{http_code}' -o body http://$V/v1/videos/$id); "
      "[[ $code == 404 ]] && break; sleep 0.1; done\n"
      "want code \"$(field code < body)\" video_expired\n");
}

TEST(VideoRestartTest, AFullRouterSays429AndOneWithoutWorkers503) {
  VideoWorld fleet({.regions = {{"lima", 1, 1}},
                    .service_mean_s = 3,
                    .router_flags = {"--videos-jobs-max", "2"},
                    .controlled = false});
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(
      "a=$(take $V); b=$(take $V)\n"
      "want full \"$(json $V/v1/videos '{\"prompt\":\"x\"}' -w '%{http_code}' -o body -D head)\" 429\n"
      "grep -qi '^retry-after: [1-9]' head; want code \"$(field code < body)\" overloaded\n"
      "want type \"$(field type < body)\" rate_limit_error\n"
      "curl -sS -X DELETE http://$V/v1/videos/$a -o /dev/null\n"
      "c=$(take $V); want 'room again' \"$c\" 'video_*'\n");
}

TEST(VideoRestartTest, ARouterWithoutWorkersSays503) {
  live::ScratchFolder folder;
  live::DaemonProcess router(folder, {.program = "ringway-router",
                                      .name = "bare",
                                      .arguments = {"--name", "bare", "--region", "lima", "--videos-listen",
                                                    "127.0.0.1:0", "--videos-store", folder.File("store")}});
  const Ran ran =
      RunShell(absl::StrCat("curl -sS http://", router.videos(), "/v1/videos -F prompt=x -w '%{http_code}'"));
  EXPECT_NE(ran.output.find("no_backend"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("503"), std::string::npos) << ran.output;
}

// A job that a list cannot show is not passed over in silence.
TEST(VideoRestartTest, AListNamesTheRouterThatDoesNotAnswer) {
  VideoWorld fleet({.regions = {{"lima", 2, 1}}, .service_mean_s = 0.05});
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run("take $V0 > id0; take $V1 > id1\n");
  fleet.world().router("lima-1").Kill();
  fleet.Run(
      "list=$(curl -sS http://$V0/v1/videos)\n"
      "grep -qF $(cat id0) <<< $list; want silent \"$(grep -o 'silent\":[^]]*' <<< $list)\" "
      "'silent\":[\"lima-1\"'\n");
  fleet.world().router("lima-1").StartAgain();
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(
      "for _ in $(seq 100); do list=$(curl -sS http://$V0/v1/videos)\n"
      "  grep -q 'silent\":\\[\\]' <<< $list && break; sleep 0.1; done\n"
      "grep -qF $(cat id0) <<< $list; grep -qF $(cat id1) <<< $list\n");
}

// Ten thousand polls over sixteen routers, for jobs of all of them, while one is killed and comes back: an
// owner that restarts is waited for or said to be away, and nobody else claims to know that there is no such
// job.
TEST(VideoRestartTest, PollsOverSixteenRoutersNeverMissTheOwner) {
  VideoWorld fleet(
      {.regions = {{"lima", 4, 1}, {"oslo", 4, 1}, {"pune", 4, 1}, {"rome", 4, 1}}, .service_mean_s = 0.05});
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(
      "for r in $V0 $V1 $V2 $V3 $V4 $V5 $V6 $V7 $V8 $V9 $V10 $V11 $V12 $V13 $V14 $V15; do\n"
      "  for _ in 1 2; do take $r; done; done > ids\n"
      "want jobs \"$(wc -l < ids)\" 32\n"
      "for id in $(cat ids); do await $V $id completed; done\n");
  const std::string victim = "oslo-2";
  std::string alive, ids = ReadText(fleet.folder().File("ids"));
  std::replace(ids.begin(), ids.end(), '\n', ' ');
  for (const auto& [name, router] : fleet.world().routers()) {
    if (name != victim) absl::StrAppend(&alive, router->videos(), " ");
  }
  const auto polls = [&](int rounds, const std::string& out) {
    return absl::StrCat(
        "for i in $(seq ", rounds, "); do for r in ", alive, "; do for id in ", ids,
        "; do echo \"url=http://$r/v1/videos/$id\"; echo output=/dev/null; done; done; done | "
        "timeout 50 curl -sS -Z --parallel-max 24 -K - -w '%{http_code}\\n' > ",
        out, "\n");
  };
  std::thread before([&] { fleet.Run(polls(10, "first")); });
  absl::SleepFor(Milliseconds(300));
  live::DaemonProcess& router = fleet.world().router(victim);
  router.Kill();
  absl::SleepFor(Milliseconds(700));
  router.StartAgain();
  before.join();
  fleet.Run(polls(11, "second"));
  fleet.Run(
      "cat first second | sort | uniq -c; want polls \"$(cat first second | wc -l)\" 10080\n"
      "want 'wrong-owner 404' \"$(cat first second | grep -c 404 || true)\" 0\n"
      "want 'only 200 when all are back' \"$(sort -u second)\" 200\n");
  std::cout << fleet.output;
}

}  // namespace
}  // namespace ringway::videos_test
