// Finished videos outlive their router: real routers, kill -9, and an S3-compatible server that others wrote.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "runtime/child_process.h"
#include "tests/deploy/npm_package.h"
#include "tests/gateway/video_world.h"
#include "tests/live/own_host.h"
#include "tests/router/http/raw_client.h"

namespace ringway::videos_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The script lies where it finds the package.
NpmPackage InstallServer() {
  if (RunShell("node -e 'process.exit(process.versions.node.split(\".\")[0] < 20 ? 1 : 0)'").code != 0)
    return {"", "node is older than 20, or not here"};
  NpmPackage server = InstallNpmPackage("@20minutes/s3rver@4.0.4", "s3rver");
  if (!server.why_not.empty()) return server;
  // Several processes of this test do so at once: renamed, nobody reads half of it.
  const Ran copied =
      RunShell(absl::StrCat("cd ", server.folder, " && cp ", RINGWAY_SOURCE_DIR,
                            "/tests/gateway/s3_server.mjs script.$$ && mv script.$$ s3_server.mjs"));
  if (copied.code != 0) server.why_not = copied.output;
  return server;
}

// One bucket, `films`, in a folder.
class S3Server {
 public:
  S3Server(const live::ScratchFolder& folder, const NpmPackage& package)
      : folder_(folder), program_(package.folder + "/s3_server.mjs") {}
  // On the port of before, if there was one.
  bool Start(bool closes = false) {
    const std::string port_file = folder_.File("s3.port");
    std::filesystem::remove(port_file);
    std::vector<std::string> arguments = {"node", "--openssl-legacy-provider", program_, folder_.File("s3"),
                                          port_file};
    arguments.push_back(port_.empty() ? "0" : port_);
    if (closes) arguments.push_back("close");
    auto started = runtime::ChildProcess::Start(arguments, folder_.File("s3.log"));
    if (!started.ok()) return false;
    process_.emplace(*std::move(started));
    const bool up = live::Eventually([&] { return std::filesystem::exists(port_file); }, Seconds(40));
    port_ = ReadText(port_file);
    port_.erase(port_.find_last_not_of('\n') + 1);
    return up && !port_.empty();
  }
  void Stop() { process_.reset(); }
  std::string Url() const { return absl::StrCat("http://127.0.0.1:", port_, "/films/eu"); }
  // Objects whose key has this in it.
  std::string Count(const std::string& part) const {
    return absl::StrCat("$(find ", folder_.File("s3"), " -type f -path '*", part,
                        "*' -name '*_object' | wc -l)");
  }

 private:
  const live::ScratchFolder& folder_;
  const std::string program_;
  std::string port_;
  std::optional<runtime::ChildProcess> process_;
};

class SharedStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!package_.why_not.empty()) GTEST_SKIP() << "THE SHARED STORE IS NOT TESTED: " << package_.why_not;
    ASSERT_TRUE(server_.Start()) << ReadText(folder_.File("s3.log"));
    WriteCredentials("S3RVER");
  }
  void WriteCredentials(const std::string& secret) {
    std::ofstream(folder_.File("credentials"))
        << "[default]\naws_access_key_id = S3RVER\naws_secret_access_key = " << secret << "\n";
  }
  live::WorldPlan Plan(std::vector<std::string> more = {}) {
    live::WorldPlan plan{.regions = {{"lima", 2, 1}, {"oslo", 1, 1}},
                         .service_mean_s = 0.2,
                         .worker_flags = {"--result-bytes", "300000"},
                         .router_flags = {"--videos-shared-store", server_.Url(),
                                          "--videos-shared-store-credentials", folder_.File("credentials")}};
    plan.router_flags.insert(plan.router_flags.end(), more.begin(), more.end());
    return plan;
  }
  static double Metric(VideoWorld& fleet, const std::string& router, const std::string& name) {
    return live::MetricValue(fleet.world().router(router).http(), name).value_or(-1);
  }
  // What a gauge comes to: it is set at the next tick.
  static bool Comes(VideoWorld& fleet, const std::string& name, double value) {
    const bool came = live::Eventually([&] { return Metric(fleet, "lima-0", name) == value; }, Seconds(40));
    EXPECT_TRUE(came) << name << " is " << Metric(fleet, "lima-0", name);
    return came;
  }

  live::ScratchFolder folder_;
  const NpmPackage package_ = InstallServer();
  S3Server server_{folder_, package_};
};

// shared ADDRESS ID: until the job says that it is in the store.
constexpr char kShared[] = R"(shared() {
  for _ in $(seq 300); do
    curl -sS "http://$1/v1/videos/$2" | grep -q '"shared":true' && return; sleep 0.1
  done
  echo "video $2 does not come to the shared store"; exit 1
}
)";

TEST_F(SharedStoreTest, AFilmIsServedByAnyRouterWhenItsOwnIsGone) {
  VideoWorld fleet(Plan());
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(absl::StrCat(
      kShared,
      "id=$(take $V0); await $V0 $id completed; shared $V0 $id; echo $id > id\n"
      "curl -sS http://$V0/v1/videos/$id/content -o whole; want bytes $(stat -c %s whole) 300000\n"
      "curl -sS http://$V0/v1/videos/$id > before\n"
      "sleep 1.1\n"  // lists are in the order of seconds
      "for n in 1 2 3; do other=$(take $V0); await $V0 $other completed; shared $V0 $other; echo $other; "
      "done > others\n"
      "want objects ",
      server_.Count("films/video_"), " 4\n"));
  fleet.world().router("lima-0").Kill();
  fleet.Run(
      "id=$(cat id)\n"
      // Both at once: each request waits a second for the owner first.
      "stands_in() {\n"
      "  router=$1; mkdir $2; cd $2\n"
      "  film=http://$router/v1/videos/$id/content\n"
      "  curl -sS http://$router/v1/videos/$id > after; cmp ../before after\n"
      "  curl -sS $film -o again -D head; cmp ../whole again\n"
      "  grep -qi '^etag: \"'$id'\"' head; grep -qi '^accept-ranges: bytes' head\n"
      "  want part $(curl -sS -r 1000-1999 -w '%{http_code}' $film -o part) 206\n"
      "  cmp part <(tail -c +1001 ../whole | head -c 1000)\n"
      "  curl -sS -r -77 $film -o part; cmp part <(tail -c 77 ../whole)\n"
      "  want beyond $(curl -sS -r 300000- -w '%{http_code}' $film -o /dev/null) 416\n"
      "  want changed $(curl -sS -r 0-9 -H 'If-Range: \"other\"' -w '%{http_code}' $film -o /dev/null) 200\n"
      "  curl -sSI $film | grep -qi '^content-length: 300000'\n"
      "  want event \"$(curl -sSN http://$router/v1/videos/$id/events | grep ^event)\" 'event: "
      "video.completed'\n"
      "  list=$(curl -sS http://$router/v1/videos)\n"
      "  for listed in $id $(cat ../others); do grep -qF $listed <<< $list; done\n"
      "  want oldest $(curl -sS \"http://$router/v1/videos?order=asc&limit=1\" | grep -o "
      "'\"first_id\":\"[^\"]*' | "
      "cut -c13-) $id\n"
      // Of one second, the newest is whichever the list says.
      "  newest=$(grep -o '\"first_id\":\"[^\"]*' <<< $list | cut -c13-)\n"
      "  page=$(curl -sS \"http://$router/v1/videos?limit=2&after=$newest\")\n"
      "  want rest \"$(grep -o '\"id\":\"video' <<< $page | wc -l) $(grep -o 'has_more\":[a-z]*' <<< "
      "$page)\" "
      "'2 has_more\":true'\n"
      // It is fetched, and a synthetic worker's film is none.
      "  curl -sS \"$film?variant=thumbnail\" -o refusal\n"
      "  want preview $(field code < refusal) '@(film_not_decoded|preview_failed)'\n"
      "}\n"
      "stands_in $V1 first & first=$!; stands_in $V2 second & second=$!; wait $first; wait $second\n"
      // Deleted by another one: gone for everybody, the owner included once it is back.
      "curl -sS -X DELETE http://$V1/v1/videos/$id | grep -q '\"deleted\":true'\n"
      "code=$(curl -sS -w '%{http_code}' http://$V2/v1/videos/$id -o /dev/null); want deleted $code "
      "'[45]0[34]'\n"
      "curl -sS http://$V2/v1/videos | grep -qvF $id\n");
  fleet.world().router("lima-0").StartAgain();
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(
      "id=$(cat id)\n"
      "for _ in $(seq 200); do code=$(curl -sS -w '%{http_code}' http://$V0/v1/videos/$id -o /dev/null)\n"
      "  [[ $code == 404 ]] && break; sleep 0.1; done\n"
      "want 'the owner hears of it' $code 404\n"
      "want another $(curl -sS -w '%{http_code}' http://$V0/v1/videos/$(head -1 others)/content -o again) "
      "200\n");
}

// Each call has a connection of its own, and a film is larger than what the kernel takes at once.
TEST_F(SharedStoreTest, AServerThatClosesEachConnectionIsServedAsWell) {
  server_.Stop();
  ASSERT_TRUE(server_.Start(true));
  live::WorldPlan plan = Plan();
  plan.worker_flags = {"--result-bytes", "9000000"};
  VideoWorld fleet(plan);
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(absl::StrCat(
      kShared,
      "id=$(take $V0); await $V0 $id completed; shared $V0 $id; echo $id > id\n"
      "curl -sS http://$V0/v1/videos/$id/content -o whole; want bytes $(stat -c %s whole) 9000000\n"));
  fleet.world().router("lima-0").Kill();
  fleet.Run("curl -sS http://$V2/v1/videos/$(cat id)/content -o again; cmp whole again\n");
}

// A pod is replaced: the same name, an empty disk.
TEST_F(SharedStoreTest, ARouterThatLostItsDiskServesItsFilms) {
  VideoWorld fleet(Plan());
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(absl::StrCat(kShared,
                         "id=$(take $V0); await $V0 $id completed; shared $V0 $id; echo $id > id\n"
                         "curl -sS http://$V0/v1/videos/$id/content -o whole\n"));
  fleet.world().router("lima-0").Kill();
  std::filesystem::remove_all(fleet.world().StateDir("lima-0") + "/videos");
  fleet.world().router("lima-0").StartAgain();
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(
      absl::StrCat("id=$(cat id)\n"
                   "for router in $V0 $V1 $V2; do curl -sS http://$router/v1/videos/$id/content -o again; "
                   "cmp whole again\n"
                   "  curl -sS http://$router/v1/videos | grep -qF $id; done\n"
                   "curl -sS -X DELETE http://$V2/v1/videos/$id | grep -q '\"deleted\":true'\n"
                   "for _ in $(seq 100); do [[ ",
                   server_.Count("films/video_"),
                   " == 0 ]] && break; sleep 0.1; done\n"
                   "want 'films left' ",
                   server_.Count("films/video_"),
                   " 0\n"
                   "want code $(curl -sS -w '%{http_code}' http://$V0/v1/videos/$id -o /dev/null) 404\n"));
}

TEST_F(SharedStoreTest, AStoreThatIsAwayLosesNothingAndHoldsNothingUp) {
  VideoWorld fleet(Plan());
  ASSERT_TRUE(fleet.AwaitReady());
  server_.Stop();
  fleet.Run(
      "for n in 1 2 3; do id=$(take $V0); await $V0 $id completed; echo $id\n"
      "  curl -sS http://$V1/v1/videos/$id/content -o film; want bytes $(stat -c %s film) 300000; done > "
      "ids\n"
      "curl -sS http://$V1/v1/videos | grep -q '\"store_missing\":true'\n");
  EXPECT_TRUE(Comes(fleet, "ringway_videos_shared_up", 0));
  EXPECT_TRUE(Comes(fleet, "ringway_videos_shared_waiting", 3));
  EXPECT_THAT(fleet.world().router("lima-0").Log(), HasSubstr("does not serve"));
  // The debt is on the disk.
  fleet.world().router("lima-0").Kill();
  fleet.world().router("lima-0").StartAgain();
  ASSERT_TRUE(fleet.AwaitReady());
  EXPECT_TRUE(Comes(fleet, "ringway_videos_shared_waiting", 3));
  ASSERT_TRUE(server_.Start());
  fleet.Run(absl::StrCat(kShared, "for id in $(cat ids); do shared $V0 $id; done\n"));
  EXPECT_TRUE(Comes(fleet, "ringway_videos_shared_waiting", 0));
  fleet.world().router("lima-0").Kill();
  fleet.Run(
      "for id in $(cat ids); do curl -sS http://$V1/v1/videos/$id/content -o film\n"
      "  want bytes $(stat -c %s film) 300000; done\n");
}

TEST_F(SharedStoreTest, WrongCredentialsAreNamedAndMayBeMendedWhileItRuns) {
  WriteCredentials("hunter2hunter2");
  VideoWorld fleet(Plan());
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run("id=$(take $V0); await $V0 $id completed; echo $id > id\n");
  EXPECT_TRUE(live::Eventually([&] {
    return fleet.world().router("lima-0").Log().find("--videos-shared-store-credentials") !=
           std::string::npos;
  })) << fleet.world().router("lima-0").Log();
  WriteCredentials("S3RVER");
  fleet.Run(absl::StrCat(kShared, "shared $V0 $(cat id)\n"));
  EXPECT_THAT(fleet.world().router("lima-0").Log(), Not(HasSubstr("hunter2")));
  EXPECT_THAT(fleet.world().router("lima-0").Log(), Not(HasSubstr("Authorization")));
}

// What has expired and had an owner that is gone is swept by the others.
TEST_F(SharedStoreTest, NothingIsLeftOfWhatHasExpired) {
  VideoWorld fleet(Plan({"--videos-expiry-secs", "4"}));
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(absl::StrCat(kShared,
                         "id=$(take $V0); await $V0 $id completed; shared $V0 $id; echo $id > id\n"
                         "id=$(take $V1); await $V1 $id completed; shared $V1 $id\n"));
  fleet.world().router("lima-0").Kill();
  // As if it had been killed while it removed the film: that it began to is all that is left.
  fleet.Run(
      absl::StrCat("cd ", folder_.File("s3"),
                   "; left=$(find . -path \"*/eu/oldest/$(cat $OLDPWD/id)*_object\")\n"
                   "if [[ $left ]]; then printf removed > \"$left\"\n"
                   "  find . -type f -name \"*$(cat $OLDPWD/id)*\" ! -path '*/oldest/*' -delete; fi\n"));
  fleet.Run(absl::StrCat("for _ in $(seq 400); do [[ ", server_.Count("/eu/"),
                         " == 0 ]] && break; sleep 0.1; done\n", "want 'objects left' ",
                         server_.Count("/eu/"), " 0\n"));
}

// store: 1 MiB, films: 300 kB.
TEST_F(SharedStoreTest, WhatHadToMakeRoomOnTheDiskIsServedFromTheStore) {
  VideoWorld fleet(Plan({"--videos-store-mib", "1", "--videos-film-mib", "1"}));
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(absl::StrCat(
      kShared,
      "for n in 1 2 3 4 5 6; do id=$(take $V0); await $V0 $id completed; shared $V0 $id; echo $id; done > "
      "ids\n"
      "want 'on the disk' $(ls ",
      fleet.world().StateDir("lima-0"),
      "/videos/*.result | wc -l) 3\n"
      "for id in $(cat ids); do for router in $V0 $V2; do\n"
      "  want whole $(curl -sS -w '%{http_code}' http://$router/v1/videos/$id/content -o film) 200\n"
      "  want bytes $(stat -c %s film) 300000; done; done\n"));
}

// It takes connections and says nothing.
TEST_F(SharedStoreTest, ASilentStoreHoldsNobodyUp) {
  server_.Stop();
  live::ScratchFolder folder;
  std::ofstream(folder.File("silent.mjs"))
      << "import net from 'node:net'; import fs from 'node:fs';\n"
         "const server = net.createServer(() => {}).listen(0, '127.0.0.1', () => {\n"
         "  fs.writeFileSync(process.argv[2] + '.new', String(server.address().port));\n"
         "  fs.renameSync(process.argv[2] + '.new', process.argv[2]); });\n";
  auto silent = runtime::ChildProcess::Start({"node", folder.File("silent.mjs"), folder.File("port")},
                                             folder.File("log"));
  ASSERT_TRUE(silent.ok());
  ASSERT_TRUE(live::Eventually([&] { return std::filesystem::exists(folder.File("port")); }));
  live::WorldPlan plan = Plan();
  plan.router_flags[1] = absl::StrCat("http://127.0.0.1:", ReadText(folder.File("port")), "/films");
  VideoWorld fleet(plan);
  ASSERT_TRUE(fleet.AwaitReady());
  fleet.Run(
      "for n in $(seq 12); do id=$(take $V0); await $V0 $id completed; echo $id > id\n"
      "  curl -sS http://$V2/v1/videos/$id/content -o film; want bytes $(stat -c %s film) 300000; done\n");
  EXPECT_TRUE(Comes(fleet, "ringway_videos_shared_up", 0));
  EXPECT_TRUE(Comes(fleet, "ringway_videos_shared_waiting", 12));
  fleet.world().router("lima-0").Kill();
  fleet.Run(
      "want away \"$(curl -sS --max-time 40 -w '%{http_code}' http://$V2/v1/videos/$(cat id) -o body)\" 503\n"
      "want code \"$(field code < body)\" '*_unreachable'\n");
}

}  // namespace
}  // namespace ringway::videos_test
