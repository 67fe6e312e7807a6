#include "runtime/http_server.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <prometheus/counter.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
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
  EXPECT_EQ(Exchange(address, "POST /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").substr(9, 3),
            "405");
  Exchange(address, "nonsense\r\n\r\n");
  Exchange(address, "GET / HTTP/1.1\r\nA: " + std::string(1 << 20, 'a') + "\r\n\r\n");
  Exchange(address, std::string("\0\xff\r\n\r\n", 6));
  EXPECT_EQ(Get(address, "/healthz").substr(9, 3), "200");
}

// As many as one peer may hold, each of them saying `opening` and then nothing more.
class HeldConnections {
 public:
  HeldConnections(const std::string& address, std::size_t count, const std::string& opening) {
    const auto parsed = ParseAddress(address);
    for (std::size_t i = 0; i < count; ++i) {
      sockets_.emplace_back(io_);
      sockets_.back().connect({boost::asio::ip::make_address(parsed->host), parsed->port});
      boost::system::error_code closed;
      boost::asio::write(sockets_.back(), boost::asio::buffer(opening), closed);
    }
  }

 private:
  boost::asio::io_context io_;
  std::vector<boost::asio::ip::tcp::socket> sockets_;
};

TEST(HttpServerTest, ConnectionsThatAskNothingDoNotHideThePages) {
  auto server = HttpServer::Start("127.0.0.1:0", {{"/healthz", HealthPage()}});
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string& address = (*server)->address();
  for (const char* opening : {"", "GET /healthz HTT", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"}) {
    SCOPED_TRACE(opening);
    const HeldConnections held(address, HttpServer::kConnectionsMax + 50, opening);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(Get(address, "/healthz").substr(0, 15), "HTTP/1.1 200 OK");
  }
}

// File descriptors of this process, all of them.
class NoDescriptorsLeft {
 public:
  explicit NoDescriptorsLeft(int spare) {
    getrlimit(RLIMIT_NOFILE, &before_);
    // Not so many that taking them lasts.
    const rlimit tight{256, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &tight);
    for (int fd = dup(0); fd >= 0; fd = dup(0)) taken_.push_back(fd);
    for (; spare > 0 && !taken_.empty(); --spare) Release();
  }
  ~NoDescriptorsLeft() {
    while (!taken_.empty()) Release();
    setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  void Release() {
    close(taken_.back());
    taken_.pop_back();
  }
  rlimit before_{};
  std::vector<int> taken_;
};

double CpuSeconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

TEST(HttpServerTest, WithoutFileDescriptorsItPausesAndAnswersAfterwards) {
  auto server = HttpServer::Start("127.0.0.1:0", {{"/healthz", HealthPage()}});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto parsed = ParseAddress((*server)->address());
  boost::asio::io_context io;
  boost::asio::ip::tcp::socket waiting(io);
  waiting.open(boost::asio::ip::tcp::v4());
  {
    const NoDescriptorsLeft none(0);
    waiting.connect({boost::asio::ip::make_address(parsed->host), parsed->port});
    const double before_s = CpuSeconds();
    absl::SleepFor(Seconds(1));
    EXPECT_LT(CpuSeconds() - before_s, 0.2) << "of one second: it tries again and again";
  }
  boost::system::error_code ended;
  boost::asio::write(waiting, boost::asio::buffer(std::string("GET /healthz HTTP/1.0\r\n\r\n")), ended);
  std::string reply;
  boost::asio::read(waiting, boost::asio::dynamic_buffer(reply), ended);
  EXPECT_EQ(reply.substr(9, 3), "200");
  EXPECT_EQ(Get((*server)->address(), "/healthz").substr(9, 3), "200");
}

TEST(HttpServerTest, RefusesATakenPort) {
  auto first = HttpServer::Start("127.0.0.1:0", {});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(HttpServer::Start((*first)->address(), {}).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace ringway::runtime
