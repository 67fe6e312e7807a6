#include "bench/peers/proxies.h"

#include <stdlib.h>
#include <unistd.h>

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "runtime/clock.h"

namespace ringway::bench {
namespace {

using Tcp = boost::asio::ip::tcp;

// One queue, at most one request at each worker, the least loaded first: the optimum for a single instance.
std::vector<std::string> HaproxyQueue(const Instance& instance, const std::vector<int>& workers) {
  const std::string& folder = instance.folder;
  const int port = instance.port;
  const std::string path = absl::StrCat(folder, "/haproxy-", port, ".cfg");
  std::ofstream file(path);
  file << "global\n  maxconn 4000\n  nbthread 1\n"
       << "defaults\n  mode http\n  timeout connect 1s\n  timeout client 30s\n  timeout server 30s\n  "
          "timeout queue 5s\n"
       << "  retries 10\n  option redispatch\n  retry-on 503 conn-failure\n"
       << "frontend in\n  bind 127.0.0.1:" << port << "\n  default_backend workers\n"
       << "backend workers\n  balance leastconn\n";
  for (const int worker : workers)
    file << "  server w" << worker << " 127.0.0.1:" << worker << " maxconn 1\n";
  return {"haproxy", "-db", "-f", path};
}

// Any worker, and the next one on 503, until all were asked.
std::vector<std::string> NginxTryAll(const Instance& instance, const std::vector<int>& workers) {
  const std::string& folder = instance.folder;
  const int port = instance.port;
  const std::string path = absl::StrCat(folder, "/nginx-", port, ".conf");
  std::ofstream file(path);
  file << "daemon off; master_process off; worker_processes 1; pid " << folder << "/nginx-" << port
       << ".pid;\n"
       << "error_log " << folder << "/nginx-" << port << ".log crit;\n"
       << "events { worker_connections 8000; }\nhttp {\n  access_log off; client_body_temp_path " << folder
       << "/body; proxy_temp_path " << folder << "/proxy; fastcgi_temp_path " << folder
       << "/f; uwsgi_temp_path " << folder << "/u; scgi_temp_path " << folder
       << "/s;\n  upstream workers {\n    random two;\n";
  for (const int worker : workers) file << "    server 127.0.0.1:" << worker << " max_fails=0;\n";
  file << "    keepalive 128;\n  }\n  server {\n    listen 127.0.0.1:" << port << ";\n    location / {\n"
       << "      proxy_pass http://workers; proxy_http_version 1.1; proxy_set_header Connection \"\";\n"
       << "      proxy_next_upstream error timeout http_503 non_idempotent; proxy_next_upstream_tries 0;\n"
       << "    }\n  }\n}\n";
  return {"nginx", "-p", folder, "-c", path};
}

// Ours, in front of the same workers.
std::vector<std::string> Ringway(const Instance& instance, const std::vector<int>& workers) {
  const std::string& folder = instance.folder;
  const int port = instance.port;
  const std::string path = absl::StrCat(folder, "/pool-", port, ".yaml");
  std::ofstream file(path);
  file << "apiVersion: ringway/v1\nkind: HttpPool\nmetadata: {name: bench}\nspec:\n"
       << "  listen: 127.0.0.1:" << port << "\n  deadline: " << instance.deadline_s
       << "s\n  serviceMean: " << 1e3 * instance.service_mean_s << "ms\n"
       << "  limits: {connections: 16000, requests: 16000}\n  workers:\n";
  for (const int worker : workers) file << "    - 127.0.0.1:" << worker << "\n";
  const std::string program =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ringway-router").string();
  const int rpc_port = port == instance.first_port ? instance.first_rpc_port : 0;
  std::vector<std::string> command = {program,
                                      "--name",
                                      absl::StrCat("r", port),
                                      "--region",
                                      "bench",
                                      "--listen",
                                      absl::StrCat("127.0.0.1:", rpc_port),
                                      "--http",
                                      "127.0.0.1:0",
                                      "--pool",
                                      path};
  if (instance.instances > 1) {
    command.push_back("--leader");
    command.push_back(absl::StrCat("r", instance.first_port, "=127.0.0.1:", instance.first_rpc_port));
  }
  return command;
}

int FreePort() {
  boost::asio::io_context io;
  return Tcp::acceptor(io, {boost::asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

bool Accepts(int port) {
  boost::asio::io_context io;
  Tcp::socket socket(io);
  boost::system::error_code failed;
  socket.connect({boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)}, failed);
  return !failed;
}

absl::Status AwaitAccepting(int port, const std::string& log) {
  const Time give_up = runtime::MonotonicNow() + Seconds(10);
  while (runtime::MonotonicNow() < give_up) {
    if (Accepts(port)) return absl::OkStatus();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return absl::UnavailableError(absl::StrCat("nothing listens on port ", port, " after 10 s; see ", log));
}

}  // namespace

const std::vector<ProxyKind>& ProxyKinds() {
  static const std::vector<ProxyKind> kinds = {
      {"haproxy queue", "haproxy", HaproxyQueue},
      {"nginx try all", "nginx", NginxTryAll},
      // A leader waits two seconds for the leases of its earlier life.
      {"ringway", "ringway-router", Ringway, Seconds(3)},
  };
  return kinds;
}

absl::StatusOr<ProxySet> ProxySet::Start(const ProxyKind& kind, const Instance& like,
                                         const std::vector<int>& workers) {
  ProxySet set;
  std::string pattern = (std::filesystem::temp_directory_path() / "ringway-peers-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return absl::InternalError(absl::StrCat("cannot create ", pattern));
  set.folder_ = pattern;
  const std::string log = set.folder_ + "/output.log";
  Instance instance = like;
  instance.folder = set.folder_;
  instance.first_rpc_port = FreePort();
  for (int i = 0; i < like.instances; ++i) {
    const int port = instance.port = FreePort();
    if (i == 0) instance.first_port = port;
    auto child = runtime::ChildProcess::Start(kind.command(instance, workers), log);
    if (!child.ok()) return child.status();
    set.children_.push_back(*std::move(child));
    set.ports_.push_back(port);
    if (absl::Status up = AwaitAccepting(port, log); !up.ok()) return up;
  }
  if (like.instances > 1) absl::SleepFor(kind.settles);
  return set;
}

ProxySet::~ProxySet() {
  children_.clear();
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

Duration ProxySet::CpuTime() const {
  Duration sum;
  for (const runtime::ChildProcess& child : children_) sum += child.CpuTime();
  return sum;
}

}  // namespace ringway::bench
