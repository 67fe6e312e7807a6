#include "tests/live/http_get.h"

#include <future>
#include <sstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/address.h"
#include "runtime/http/client_call.h"

namespace ringway::live {

std::optional<HttpPage> HttpGet(const std::string& address, const std::string& path) {
  constexpr Duration kLimit = Seconds(2);
  constexpr std::uint64_t kPageBytesMax = std::uint64_t{64} << 20;
  const auto at = runtime::ParseAddress(address);
  if (!at.ok()) return std::nullopt;
  http::ClientRequest request{.host = at->host,
                              .port = absl::StrCat(at->port),
                              .target = path,
                              .connect_max = kLimit,
                              .answer_max = kLimit,
                              .body_bytes_max = kPageBytesMax};
  std::promise<http::ClientAnswer> answered;
  runtime::EventLoop loop("get");
  std::optional<http::ClientCall> call;
  loop.Start();
  const bool asked = loop.Post([&] {
    call.emplace(loop, std::move(request),
                 [&](http::ClientAnswer answer) { answered.set_value(std::move(answer)); });
  });
  if (!asked) return std::nullopt;
  http::ClientAnswer answer = answered.get_future().get();
  loop.Stop();
  if (!answer.whole) return std::nullopt;
  return HttpPage{answer.status, std::move(answer.body)};
}

std::optional<double> MetricValue(const std::string& address, std::string_view series) {
  const auto page = HttpGet(address, "/metrics");
  if (!page) return std::nullopt;
  std::istringstream lines(page->body);
  for (std::string line; std::getline(lines, line);) {
    const bool match = line.size() > series.size() && line.compare(0, series.size(), series) == 0 &&
                       line[series.size()] == ' ';
    double value = 0;
    if (match && absl::SimpleAtod(line.substr(series.size() + 1), &value)) return value;
  }
  return std::nullopt;
}

}  // namespace ringway::live
