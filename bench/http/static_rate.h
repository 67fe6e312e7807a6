// How many requests a second a server answers with one small document, by wrk; and nginx with the same one.
//
// wrk and nginx are Debian's; without them there is no figure, and the reason is said. nginx runs with one
// worker process, because the videos API has one thread, and with keep-alive for as long as wrk wants it.
//
// Threads: one owner; blocks.
#ifndef RINGWAY_BENCH_HTTP_STATIC_RATE_H_
#define RINGWAY_BENCH_HTTP_STATIC_RATE_H_

#include <optional>
#include <string>

#include "runtime/child_process.h"

namespace ringway::bench {

struct StaticRate {
  double per_second = 0;
  std::string p99;  // as wrk says it
};

// Nothing: wrk is not here, or it saw answers other than 2xx. `seconds` of load on `connections`.
std::optional<StaticRate> MeasureRate(const std::string& url, int connections, int seconds);

// nginx on a free port, answering every path with `json`; `url` is where.
struct Nginx {
  runtime::ChildProcess process;
  std::string url;
};
std::optional<Nginx> StartNginx(const std::string& folder, const std::string& json);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_HTTP_STATIC_RATE_H_
