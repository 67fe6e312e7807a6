// A small fleet that serves the videos API, and curl as its client.
//
// Real daemons with the synthetic backend; each router keeps its jobs in its own folder and listens on a free
// port, a new one after each restart. A script runs with V (the first router's address), V0, V1, ... (each
// router's, in the order of their names) and the functions of kPrelude; it fails the test when it fails.
//
// Threads: one owner.
#ifndef RINGWAY_TESTS_GATEWAY_VIDEO_WORLD_H_
#define RINGWAY_TESTS_GATEWAY_VIDEO_WORLD_H_

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/deploy/shell.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/small_world.h"

namespace ringway::videos_test {

// want WHAT FOUND EXPECTED; field NAME (of JSON on standard input); take (a job by JSON, prints its id);
// await ADDRESS ID STATUS... (one of them).
inline constexpr char kPrelude[] = R"(set -euo pipefail
want() { [[ "$2" == $3 ]] || { echo "$1: is '$2', expected '$3'"; exit 1; }; }
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }
json() { curl -sS -H 'Content-Type: application/json' -d "$2" "http://$1" "${@:3}"; }
take() { json "$1/v1/videos" '{"prompt":"a boat sways","seed":1}' | grep -o '"id":"[^"]*' | cut -c7-; }
await() {
  for _ in $(seq 200); do
    status=$(curl -sS "http://$1/v1/videos/$2" | field status)
    [[ " ${*:3} " == *" $status "* ]] && return
    sleep 0.05
  done
  echo "video $2 is $status, not ${*:3}"; exit 1
}
)";

class VideoWorld {
 public:
  explicit VideoWorld(live::WorldPlan plan) : world_(WithApi(std::move(plan))) {}

  // Every router has a worker in its region and serves the API.
  bool AwaitReady() {
    if (!world_.AwaitReady()) return false;
    return live::Eventually([this] {
      for (const auto& [name, router] : world_.routers()) {
        const auto workers = live::MetricValue(router->http(), "ringway_router_workers{tier=\"animate\"}");
        const auto models = live::HttpGet(router->videos(), "/v1/models");
        if (workers.value_or(0) < 1 || !models || models->body.find("\"id\"") == std::string::npos)
          return false;
      }
      absl::SleepFor(Milliseconds(300));  // what the routers know reaches their API on the next beat
      return true;
    });
  }

  void Run(const std::string& script) {
    std::string text;
    int n = 0;
    for (const auto& [name, router] : world_.routers()) {
      if (n == 0) absl::StrAppend(&text, "V=", router->videos(), "\n");
      absl::StrAppend(&text, "V", n++, "=", router->videos(), "\n");
    }
    const std::string path = folder_.File("script.sh");
    std::ofstream(path) << text << kPrelude << script;
    const Ran ran = RunShell(absl::StrCat("cd ", folder_.path(), " && timeout 60 bash ", path));
    EXPECT_EQ(ran.code, 0) << script << "\nprinted:\n" << ran.output;
    output = ran.output;
  }

  // scripts/NAME.sh, behind what is given before it.
  void RunFile(const std::string& name, const std::string& before = "") {
    Run(before + ReadText(absl::StrCat(RINGWAY_SOURCE_DIR, "/tests/gateway/scripts/", name, ".sh")));
  }

  live::SmallWorld& world() { return world_; }
  const live::ScratchFolder& folder() const { return folder_; }
  std::string output;  // of the last script

 private:
  static live::WorldPlan WithApi(live::WorldPlan plan) {
    plan.router_flags.insert(plan.router_flags.end(), {"--videos-listen", "127.0.0.1:0"});
    return plan;
  }
  live::ScratchFolder folder_;
  live::SmallWorld world_;
};

}  // namespace ringway::videos_test

#endif  // RINGWAY_TESTS_GATEWAY_VIDEO_WORLD_H_
