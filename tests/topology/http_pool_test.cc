#include "topology/http_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace ringway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFrame[] = "apiVersion: ringway/v1\nkind: HttpPool\nmetadata: {name: p}\nspec:\n";

absl::StatusOr<HttpPoolSpec> Parse(const std::string& spec) {
  return ParseHttpPool(absl::StrCat(kFrame, spec), "pool.yaml",
                       [](const std::string& name) -> absl::StatusOr<std::string> {
                         if (name == "workers.txt")
                           return "# ours\n10.0.0.3:80 # new\n\n[::1]:80\n10.0.0.3:80\n";
                         if (name == "bad.txt") return "10.0.0.3:80\n10.0.0.4\n";
                         return absl::NotFoundError("no such file");
                       });
}

std::string Why(const std::string& spec) { return std::string(Parse(spec).status().message()); }

TEST(HttpPool, HasADefaultForAllButTheWorkers) {
  const auto pool = Parse("  workers: [10.0.0.1:8000]\n");
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_THAT(pool->workers, ElementsAre("10.0.0.1:8000"));
  EXPECT_EQ(pool->listen, "127.0.0.1:8080");
  EXPECT_EQ(pool->tier, "http");
  EXPECT_THAT(pool->busy_statuses, ElementsAre(503));
  EXPECT_EQ(pool->overload_status, 429);
}

TEST(HttpPool, ReadsEverythingThatItDocuments) {
  const auto pool = Parse(R"yaml(
  listen: 0.0.0.0:80
  tier: pictures
  workers: [gpu.internal:8000]
  workersFile: workers.txt
  deadline: 30s
  serviceMean: 2s
  serviceBound: 1m
  abandonedHold: 250ms
  busyStatuses: [429, 503, 529]
  overloadStatus: 503
  health: {path: /health, period: 5s}
  timeouts: {connect: 2s, header: 3s, idle: 4s, stall: 5s, workerIdle: 6s}
  limits: {connections: 10, requests: 11, waiting: 12, headerBytes: 4096, requestKeepBytes: 0,
           responseWindowBytes: 8192}
)yaml");
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_THAT(pool->workers, ElementsAre("gpu.internal:8000", "10.0.0.3:80", "[::1]:80"));
  EXPECT_EQ(pool->tier, "pictures");
  EXPECT_EQ(pool->service_bound, Minutes(1));
  EXPECT_EQ(pool->abandoned_hold, Milliseconds(250));
  EXPECT_THAT(pool->busy_statuses, ElementsAre(429, 503, 529));
  EXPECT_EQ(pool->health_path, "/health");
  EXPECT_EQ(pool->worker_idle, Seconds(6));
  EXPECT_EQ(pool->connections_max, 10u);
  EXPECT_EQ(pool->request_keep_max, 0u);
  EXPECT_EQ(pool->response_window, 8192u);
}

TEST(HttpPool, NamesEveryMistakeWithItsPlaceAndWhatIsAllowed) {
  EXPECT_THAT(Why("  listen: a:1\n"), HasSubstr("at least one worker"));
  EXPECT_THAT(Why("  workers: [10.0.0.1]\n"),
              AllOf(HasSubstr("pool.yaml:5:"), HasSubstr("spec.workers[0]"), HasSubstr("host:port")));
  EXPECT_THAT(Why("  workers: [\"10.0.0.1:99999\"]\n"), HasSubstr("spec.workers[0]"));
  EXPECT_THAT(Why("  workers: [\"::1:80\"]\n"), HasSubstr("spec.workers[0]"));
  EXPECT_THAT(Why("  workersFile: gone.txt\n"), HasSubstr("no such file"));
  EXPECT_THAT(Why("  workersFile: bad.txt\n"), HasSubstr("its line 2 is \"10.0.0.4\""));
  EXPECT_THAT(Why("  workers: [a:1]\n  serviceMean: 2m\n"), HasSubstr("spec.serviceMean"));
  EXPECT_THAT(Why("  workers: [a:1]\n  busyStatuses: [200]\n"), HasSubstr("400 to 599"));
  EXPECT_THAT(Why("  workers: [a:1]\n  health: {path: health}\n"), HasSubstr("begins with /"));
  EXPECT_THAT(Why("  workers: [a:1]\n  worker: b\n"), HasSubstr("workers"));
  EXPECT_THAT(Why("  workers: [a:1]\n  timeouts: {idel: 1s}\n"), HasSubstr("idle"));
}

}  // namespace
}  // namespace ringway
