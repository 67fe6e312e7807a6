#include "bench/http/http_load.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "bench/claim.h"
#include "bench/http/open_streams.h"
#include "bench/http/static_rate.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/small_world.h"
#include "tests/router/http/raw_client.h"

namespace ringway::bench {
namespace {

constexpr std::size_t kStreams = 5000;

double ResidentMb(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atof(line.c_str() + 6) / 1024;
  }
  return -1;
}

std::optional<http_test::Answer> Call(const std::string& address, const std::string& line,
                                      const std::string& json) {
  http_test::Wire wire = http_test::Wire::To(address);
  if (!wire.Send(absl::StrCat(line, " HTTP/1.1\r\nHost: ", address,
                              "\r\nContent-Type: application/json\r\nContent-Length: ", json.size(),
                              "\r\n\r\n", json))) {
    return std::nullopt;
  }
  return http_test::ReadAnswer(wire);
}

std::string TakeJob(const std::string& address) {
  const auto made = Call(address, "POST /v1/videos", "{\"prompt\":\"a boat\",\"deadline_s\":600}");
  if (!made) return "";
  const std::size_t at = made->body.find("video_");
  return at == std::string::npos ? "" : made->body.substr(at, made->body.find('"', at) - at);
}

// Of 200 requests on connections of their own.
double P99Ms(const std::string& address) {
  std::vector<double> took;
  for (int i = 0; i < 200; ++i) {
    const Time began = absl::Now();
    if (!live::HttpGet(address, "/v1/models")) return 1e9;
    took.push_back(ToDoubleMilliseconds(absl::Now() - began));
  }
  std::sort(took.begin(), took.end());
  return took[took.size() - 3];
}

void MeasureStreams(live::DaemonProcess& router, bool brief, std::vector<Claim>& claims) {
  const std::string address = router.videos();
  const std::string id = TakeJob(address);
  if (id.empty()) std::fprintf(stderr, "bench_http: the job was not taken\n");
  const double before_mb = ResidentMb(router.pid());
  const double alone_ms = P99Ms(address);
  const Time began = absl::Now();
  OpenStreams streams(address, absl::StrCat("/v1/videos/", id, "/events"), kStreams);
  const std::size_t watching = streams.Await("video.in_progress", Seconds(30));
  const double opened_s = ToDoubleSeconds(absl::Now() - began);
  const double with_mb = ResidentMb(router.pid());
  const double local_ms = P99Ms(address);
  const Time ends = absl::Now();
  (void)Call(address, absl::StrCat("DELETE /v1/videos/", id), "");
  const std::size_t told = streams.Await("video.deleted", Seconds(30));
  if (!brief) {
    std::printf("%zu of %zu streams opened in %.2f s; all told the end in %.2f s: %zu\n", watching, kStreams,
                opened_s, ToDoubleSeconds(absl::Now() - ends), told);
    std::printf("resident: %.1f MB before, %.1f MB with the streams: %.1f kB each\n", before_mb, with_mb,
                (with_mb - before_mb) * 1024 / static_cast<double>(kStreams));
    std::printf("GET /v1/models, p99 of 200: %.2f ms alone, %.2f ms beside the streams\n", alone_ms,
                local_ms);
  }
  claims.push_back(AtLeast("http.streams_open", static_cast<double>(watching), kStreams, "streams"));
  claims.push_back(AtLeast("http.streams_told_the_end", static_cast<double>(told), kStreams, "streams"));
  claims.push_back(AtMost("http.streams_mb", with_mb - before_mb, 200, "MB"));
  claims.push_back(AtMost("http.p99_ms_beside_streams", local_ms, 100, "ms"));
}

bool MeasureRates(const std::string& address, int seconds, bool brief, std::vector<Claim>& claims) {
  const auto models = live::HttpGet(address, "/v1/models");
  live::ScratchFolder folder;
  const auto nginx = models ? StartNginx(folder.path(), models->body) : std::nullopt;
  if (!nginx) return false;
  double ours = 0, theirs = 0;
  for (int turn = 0; turn < 2; ++turn) {
    const auto router = MeasureRate(absl::StrCat("http://", address, "/v1/models"), 64, seconds);
    const auto other = MeasureRate(nginx->url, 64, seconds);
    if (!router || !other) return false;
    if (!brief) {
      std::printf("GET /v1/models, 64 connections: router %.0f/s (p99 %s), nginx %.0f/s (p99 %s)\n",
                  router->per_second, router->p99.c_str(), other->per_second, other->p99.c_str());
    }
    ours += router->per_second;
    theirs += other->per_second;
  }
  claims.push_back(AtLeast("http.rate_over_nginx", ours / theirs, 0.3, "ratio"));
  return true;
}

}  // namespace

int RunHttpLoad(bool quick, bool brief) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  live::SmallWorld world({.regions = {{"oslo", 1, 1}},
                          .service_mean_s = 120,
                          .deadline = "900s",
                          .router_flags = {"--videos-listen", "127.0.0.1:0"},
                          .controlled = false});
  live::DaemonProcess& router = world.router("oslo-0");
  const bool ready =
      world.AwaitReady() && live::Eventually([&] {
        return live::MetricValue(router.http(), "ringway_router_workers{tier=\"animate\"}").value_or(0) == 1;
      });
  absl::SleepFor(Milliseconds(500));  // what the router knows reaches its API on the next beat
  if (!ready) {
    std::fprintf(stderr, "bench_http: the processes did not become ready\n");
    return 2;
  }
  std::vector<Claim> claims;
  MeasureStreams(router, brief, claims);
  if (!MeasureRates(router.videos(), quick ? 2 : 8, brief, claims)) return 2;
  return Report(claims, brief);
}

}  // namespace ringway::bench
