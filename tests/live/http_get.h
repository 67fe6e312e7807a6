// Reads a page of a daemon: status and body, or nothing when nobody answers.
//
// Plain HTTP/1.1 GET, blocking, at most two seconds. MetricValue reads one series out of a /metrics page by
// its full name with labels, as the page spells it. Threads: safe.
#ifndef RINGWAY_TESTS_LIVE_HTTP_GET_H_
#define RINGWAY_TESTS_LIVE_HTTP_GET_H_

#include <optional>
#include <string>
#include <string_view>

namespace ringway::live {

struct HttpPage {
  int status = 0;
  std::string body;
};

// `address` is host:port with an IPv4 host.
std::optional<HttpPage> HttpGet(const std::string& address, const std::string& path);

// For example "ringway_worker_jobs_total{outcome=\"done\"}".
std::optional<double> MetricValue(const std::string& address, std::string_view series);

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_HTTP_GET_H_
