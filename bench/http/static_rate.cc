#include "bench/http/static_rate.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "absl/strings/str_cat.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"

namespace ringway::bench {
namespace {

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> bytes;
  while (const std::size_t count = fread(bytes.data(), 1, bytes.size(), pipe))
    output.append(bytes.data(), count);
  pclose(pipe);
  return output;
}

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(fd, reinterpret_cast<sockaddr*>(&any), sizeof(any));
  socklen_t size = sizeof(any);
  getsockname(fd, reinterpret_cast<sockaddr*>(&any), &size);
  close(fd);
  return ntohs(any.sin_port);
}

}  // namespace

std::optional<StaticRate> MeasureRate(const std::string& url, int connections, int seconds) {
  const std::string said =
      OutputOf(absl::StrCat("wrk -t1 -c", connections, " -d", seconds, "s --latency ", url));
  std::smatch rate, p99;
  const bool clean =
      said.find("Non-2xx") == std::string::npos && said.find("Socket errors") == std::string::npos;
  if (!clean || !std::regex_search(said, rate, std::regex(R"(Requests/sec:\s+([\d.]+))"))) {
    std::fprintf(stderr, "bench_http: no rate of %s (apt-get install wrk): %s\n", url.c_str(), said.c_str());
    return std::nullopt;
  }
  std::regex_search(said, p99, std::regex(R"(99%\s+(\S+))"));
  return StaticRate{.per_second = std::atof(rate[1].str().c_str()), .p99 = p99[1]};
}

std::optional<Nginx> StartNginx(const std::string& folder, const std::string& json) {
  const int port = FreePort();
  const std::string file = folder + "/nginx.conf";
  std::ofstream(file) << "worker_processes 1;\ndaemon off;\nmaster_process off;\npid " << folder
                      << "/nginx.pid;\nerror_log " << folder
                      << "/nginx.log;\nevents { worker_connections 4096; }\n"
                      << "http { access_log off; keepalive_requests 100000000; client_body_temp_path "
                      << folder << "/b; proxy_temp_path " << folder << "/p; fastcgi_temp_path " << folder
                      << "/f; uwsgi_temp_path " << folder << "/u; scgi_temp_path " << folder
                      << "/s;\nserver { listen 127.0.0.1:" << port
                      << "; location / { default_type application/json; return 200 '" << json << "'; } } }\n";
  auto process = runtime::ChildProcess::Start({"/usr/sbin/nginx", "-c", file}, folder + "/nginx.out");
  if (!process.ok()) {
    std::fprintf(stderr, "bench_http: no nginx here (apt-get install nginx-light)\n");
    return std::nullopt;
  }
  const std::string address = absl::StrCat("127.0.0.1:", port);
  if (!live::Eventually([&] { return live::HttpGet(address, "/").has_value(); })) return std::nullopt;
  return Nginx{std::move(*process), absl::StrCat("http://", address, "/v1/models")};
}

}  // namespace ringway::bench
