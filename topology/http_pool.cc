#include "topology/http_pool.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "topology/envelope.h"
#include "topology/topology.h"

namespace ringway {
namespace {

const std::vector<std::string_view> kPoolKinds = {"HttpPool"};
constexpr char kWorkerForm[] = "host:port, for example 10.0.0.1:8000";
constexpr Duration kLongest = Hours(24);

// The host is an address or a name, an IPv6 address stands in brackets.
bool IsHostPort(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view host = text.substr(0, colon);
  if (host.find(':') != std::string_view::npos && (host.front() != '[' || host.back() != ']')) return false;
  int port = 0;
  const std::string_view digits = text.substr(colon + 1);
  return absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &port) && port >= 1 &&
         port <= 65535;
}

void AddWorker(std::string worker, HttpPoolSpec& pool) {
  if (std::find(pool.workers.begin(), pool.workers.end(), worker) == pool.workers.end()) {
    pool.workers.push_back(std::move(worker));
  }
}

void ReadWorkersFile(Mapping& spec, const ReadNamedFile& read, HttpPoolSpec& pool) {
  pool.workers_file = spec.Text("workersFile", "");
  if (pool.workers_file.empty()) return;
  const auto text = read(pool.workers_file);
  if (!text.ok()) {
    return spec.Report("workersFile", "a file that can be read", std::string(text.status().message()));
  }
  int number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (!IsHostPort({line.data(), line.size()})) {
      return spec.Report("workersFile", absl::StrCat("lines of the form ", kWorkerForm),
                         absl::StrCat("its line ", number, " is ", Quoted({line.data(), line.size()})));
    }
    AddWorker(std::string(line), pool);
  }
}

void ReadWorkers(Mapping& spec, const ReadNamedFile& read, HttpPoolSpec& pool, Problems& problems) {
  for (const Place& place : spec.List("workers", kPoolWorkersMax)) {
    if (place.node->kind == YamlNode::Kind::kScalar && IsHostPort(place.node->text)) {
      AddWorker(place.node->text, pool);
    } else {
      problems.Add({place.node->at, place.path, DescribeYaml(*place.node), kWorkerForm, ""});
    }
  }
  ReadWorkersFile(spec, read, pool);
  if (pool.workers.size() > kPoolWorkersMax) {
    spec.Report("workersFile", absl::StrCat("at most ", kPoolWorkersMax, " workers in all"));
  }
  if (pool.workers.empty() && problems.empty()) {
    spec.Report("workers", "at least one worker, here or in workersFile");
  }
}

void ReadStatuses(Mapping& spec, HttpPoolSpec& pool, Problems& problems) {
  if (spec.Has("busyStatuses")) pool.busy_statuses.clear();
  for (const Place& place : spec.List("busyStatuses", 8)) {
    int status = 0;
    if (absl::SimpleAtoi(place.node->text, &status) && status >= 400 && status <= 599) {
      pool.busy_statuses.push_back(status);
    } else {
      problems.Add({place.node->at, place.path, DescribeYaml(*place.node), "a status from 400 to 599", ""});
    }
  }
  pool.overload_status = static_cast<int>(spec.Integer("overloadStatus", pool.overload_status, 400, 599));
}

void ReadHealth(Mapping health, HttpPoolSpec& pool) {
  pool.health_path = health.Text("path", "");
  if (!pool.health_path.empty() && pool.health_path.front() != '/') {
    health.Report("path", "a path that begins with /");
  }
  pool.health_period = health.Span("period", pool.health_period, Milliseconds(100), Hours(1));
  health.Finish();
}

void ReadTimeouts(Mapping m, HttpPoolSpec& pool) {
  const Duration least = Milliseconds(250);
  pool.connect_timeout = m.Span("connect", pool.connect_timeout, least, Minutes(1));
  pool.header_timeout = m.Span("header", pool.header_timeout, least, Minutes(10));
  pool.idle_timeout = m.Span("idle", pool.idle_timeout, least, kLongest);
  pool.stall_timeout = m.Span("stall", pool.stall_timeout, least, Hours(1));
  pool.worker_idle = m.Span("workerIdle", pool.worker_idle, least, Hours(1));
  m.Finish();
}

void ReadLimits(Mapping m, HttpPoolSpec& pool) {
  const auto size = [&m](std::string_view key, std::size_t fallback, std::int64_t low, std::int64_t high) {
    return static_cast<std::size_t>(m.Integer(key, static_cast<std::int64_t>(fallback), low, high));
  };
  pool.connections_max = size("connections", pool.connections_max, 1, 200'000);
  pool.requests_max = size("requests", pool.requests_max, 1, 50'000);
  pool.waiting_max = size("waiting", pool.waiting_max, 1, 50'000);
  pool.header_bytes_max = size("headerBytes", pool.header_bytes_max, 1 << 10, 1 << 20);
  pool.request_keep_max = size("requestKeepBytes", pool.request_keep_max, 0, std::int64_t{1} << 32);
  pool.response_window = size("responseWindowBytes", pool.response_window, 4 << 10, std::int64_t{1} << 30);
  m.Finish();
}

HttpPoolSpec ReadPool(Mapping& spec, const ReadNamedFile& read, Problems& problems) {
  HttpPoolSpec pool;
  pool.listen = spec.Text("listen", pool.listen);
  if (spec.Has("tier")) pool.tier = spec.Name("tier");
  ReadWorkers(spec, read, pool, problems);
  const Duration least = Milliseconds(1);
  pool.deadline = spec.Span("deadline", pool.deadline, least, kLongest);
  pool.service_mean = spec.Span("serviceMean", pool.service_mean, least, kLongest);
  pool.service_bound = spec.Span("serviceBound", pool.service_bound, least, kLongest);
  pool.abandoned_hold = spec.Span("abandonedHold", pool.abandoned_hold, ZeroDuration(), Hours(1));
  if (pool.service_mean > pool.deadline) {
    spec.Report("serviceMean", "at most the deadline", "else no request could ever finish in time");
  }
  ReadStatuses(spec, pool, problems);
  ReadHealth(spec.Child("health"), pool);
  ReadTimeouts(spec.Child("timeouts"), pool);
  ReadLimits(spec.Child("limits"), pool);
  spec.Finish();
  return pool;
}

}  // namespace

absl::StatusOr<HttpPoolSpec> ParseHttpPool(std::string_view text, const std::string& file_name,
                                           const ReadNamedFile& read) {
  Problems problems(file_name);
  const YamlFile file = YamlFile::Parse(text, problems);
  std::vector<Envelope> envelopes = ReadEnvelopes(file, kPoolKinds, problems);
  HttpPoolSpec pool;
  if (envelopes.size() == 1) {
    pool = ReadPool(envelopes[0].spec, read, problems);
  } else if (problems.empty()) {
    problems.Add(
        {{}, "kind", absl::StrCat(envelopes.size(), " documents"), "one document of kind HttpPool", ""});
  }
  if (!problems.empty()) return problems.ToStatus();
  return pool;
}

absl::StatusOr<HttpPoolSpec> LoadHttpPool(const std::string& path) {
  const auto text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return ParseHttpPool(*text, path, [&folder](const std::string& named) {
    const std::filesystem::path relative(named);
    return ReadTextFile(relative.is_absolute() ? named : (folder / relative).string());
  });
}

}  // namespace ringway
