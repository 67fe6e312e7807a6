#include "runtime/http_server.h"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <prometheus/counter.h>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/address.h"
#include "runtime/metrics_page.h"

namespace ringway::runtime {
namespace {

std::string Exchange(const std::string& address, const std::string& request) {
  const auto parsed = ParseAddress(address);
  boost::asio::io_context io;
  boost::asio::ip::tcp::socket socket(io);
  socket.connect({boost::asio::ip::make_address(parsed->host), parsed->port});
  boost::system::error_code ended;
  boost::asio::write(socket, boost::asio::buffer(request), ended);
  std::string reply;
  boost::asio::read(socket, boost::asio::dynamic_buffer(reply), ended);
  return reply;
}

std::string Get(const std::string& address, const std::string& path) {
  return Exchange(address, absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
}

TEST(HttpServerTest, ServesHealthReadinessAndMetrics) {
  auto registry = std::make_shared<prometheus::Registry>();
  prometheus::BuildCounter()
      .Name("ringway_test_total")
      .Help("A test.")
      .Register(*registry)
      .Add({})
      .Increment(3);
  bool ready = false;
  auto server = HttpServer::Start("127.0.0.1:0", {{"/healthz", HealthPage()},
                                                  {"/readyz", ReadyPage([&] { return ready; })},
                                                  {"/metrics", MetricsPage(registry)}});
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string& address = (*server)->address();
  EXPECT_EQ(Get(address, "/healthz").substr(0, 15), "HTTP/1.1 200 OK");
  EXPECT_EQ(Get(address, "/readyz").substr(9, 3), "503");
  EXPECT_NE(Get(address, "/metrics?x=1").find("ringway_test_total 3"), std::string::npos);
  const std::string missing = Get(address, "/nope");
  EXPECT_EQ(missing.substr(9, 3), "404");
  EXPECT_NE(missing.find("/readyz"), std::string::npos);
}

TEST(HttpServerTest, SurvivesBadRequests) {
  auto server = HttpServer::Start("127.0.0.1:0", {{"/healthz", HealthPage()}});
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string& address = (*server)->address();
  EXPECT_EQ(Exchange(address, "POST /healthz HTTP/1.1\r\nConnection: close\r\n\r\n").substr(9, 3), "405");
  Exchange(address, "nonsense\r\n\r\n");
  Exchange(address, "GET / HTTP/1.1\r\nA: " + std::string(1 << 20, 'a') + "\r\n\r\n");
  Exchange(address, std::string("\0\xff\r\n\r\n", 6));
  EXPECT_EQ(Get(address, "/healthz").substr(9, 3), "200");
}

TEST(HttpServerTest, RefusesATakenPort) {
  auto first = HttpServer::Start("127.0.0.1:0", {});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(HttpServer::Start((*first)->address(), {}).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace ringway::runtime
