#include "tests/live/http_get.h"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <sstream>

#include "absl/strings/numbers.h"
#include "runtime/address.h"

namespace ringway::live {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = boost::asio::ip::tcp;

constexpr auto kLimit = std::chrono::seconds(2);

}  // namespace

std::optional<HttpPage> HttpGet(const std::string& address, const std::string& path) {
  const auto target = runtime::ParseAddress(address);
  if (!target.ok()) return std::nullopt;
  boost::asio::io_context io;
  beast::tcp_stream stream(io);
  http::request<http::empty_body> request(http::verb::get, path, 11);
  request.set(http::field::host, address);
  request.set(http::field::connection, "close");
  beast::flat_buffer buffer;
  http::response<http::string_body> response;
  bool whole = false;
  stream.expires_after(kLimit);
  stream.async_connect({boost::asio::ip::make_address(target->host), target->port}, [&](beast::error_code e) {
    if (e) return;
    http::async_write(stream, request, [&](beast::error_code e, std::size_t) {
      if (e) return;
      http::async_read(stream, buffer, response, [&](beast::error_code e, std::size_t) { whole = !e; });
    });
  });
  io.run();
  if (!whole) return std::nullopt;
  return HttpPage{static_cast<int>(response.result_int()), response.body()};
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
