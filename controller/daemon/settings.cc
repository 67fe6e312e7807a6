#include "controller/daemon/settings.h"

#include <iostream>
#include "runtime/flags.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "controller/daemon/build.h"
#include "runtime/address.h"
#include "runtime/bearer_token.h"
#include "runtime/flags.h"

namespace ringway::controller {
namespace {

// What the command line fills in; checked and converted afterwards.
struct Flags {
  std::string epoch_period = "1s";
  std::string report_period = "1s";
  std::string prometheus;
  std::string prometheus_period = "5s";
  std::string prometheus_age = "5s";
  std::string token_file;
  std::string router_token_file;
  std::string fleet_token_file;
  std::string log_level = "info";
  std::uint64_t journal_mb = 256;
  std::uint64_t history_mb = 64;
  int history_days = 7;
};

void AddFlags(flags::Command app, DaemonSettings& s, Flags& f) {
  app.AddVersion(kBuild);
  app.Add("--topology", s.topology, "YAML file with the world and its tiers; SIGHUP reads it again")
      .Required();
  app.Add("--listen", s.listen, "host:port for gRPC; port 0 takes a free one").ShowDefault();
  app.Add("--http", s.http, "host:port for the dashboard, /metrics, /healthz, /readyz").ShowDefault();
  app.Add("--scaler-listen", s.scaler_listen,
          "host:port where KEDA may ask, without a token, how many workers are wanted [none]");
  app.Add("--state-dir", s.state_dir, "folder for state, journal and audit log").ShowDefault();
  app.Add("--name", s.controller.name, "what routers and screens call this controller").ShowDefault();
  app.Add("--epoch-period", f.epoch_period, "how often it plans, for example 500ms or 1s").ShowDefault();
  app.Add("--report-period", f.report_period, "how often routers are asked to report").ShowDefault();
  app.Add("--token-file", f.token_file,
          "file with the token that operators must present; needed off loopback");
  app.Add("--router-token-file", f.router_token_file,
          "file with the token that routers must present [the fleet's or the operators' one]");
  app.Add(runtime::kFleetTokenFlag, f.fleet_token_file, runtime::kFleetTokenHelp);
  app.AddFlag(runtime::kFleetTokenOptionalFlag, s.fleet_token_optional, runtime::kFleetTokenOptionalHelp);
  app.AddFlag("--dashboard-writes", s.dashboard_writes,
              "let the dashboard drain regions and set thresholds; without it, it only shows");
  app.Add("--dashboard-host", s.dashboard_hosts,
          "name by which browsers reach the dashboard, if it is neither an address nor localhost; may be "
          "repeated")
      .OneEach();
  app.Add("--prometheus", f.prometheus, "server for metrics with a promql, for example http://host:9090");
  app.Add("--prometheus-period", f.prometheus_period, "how often it is asked").ShowDefault();
  app.Add("--prometheus-age", f.prometheus_age, "how old its values are taken to be").ShowDefault();
  app.Add("--journal-mb", f.journal_mb, "bound of the journal on disk, MiB").ShowDefault();
  app.Add("--history-mb", f.history_mb, "bound of the history of tables on disk, MiB").ShowDefault();
  app.Add("--history-days", f.history_days, "how long tables are kept there").ShowDefault();
  app.Add("--port-file", s.port_file, "write the addresses here once it serves");
  app.Add("--log-level", f.log_level, "debug, info, warning or error").ShowDefault();
}

absl::Status ReadDuration(const char* flag, const std::string& text, Duration low, Duration high,
                          Duration& out) {
  if (ParseDuration(text, &out) && out >= low && out <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(flag, " is '", text, "': ", absl::FormatDuration(low),
                                                 " to ", absl::FormatDuration(high), " is allowed"));
}

absl::Status ReadToken(const char* flag, const std::string& path, std::string& token) {
  if (path.empty()) return absl::OkStatus();
  auto read = runtime::ReadTokenFile(flag, path);
  if (!read.ok()) return read.status();
  token = *std::move(read);
  return absl::OkStatus();
}

absl::Status Complete(const Flags& f, DaemonSettings& s) {
  const auto millis = Milliseconds(1);
  absl::Status status =
      ReadDuration("--epoch-period", f.epoch_period, 10 * millis, Minutes(10), s.controller.epoch_period);
  status.Update(
      ReadDuration("--report-period", f.report_period, 10 * millis, Minutes(10), s.controller.report_period));
  status.Update(ReadToken("--token-file", f.token_file, s.token));
  status.Update(ReadToken("--router-token-file", f.router_token_file, s.router_token));
  status.Update(ReadToken(runtime::kFleetTokenFlag, f.fleet_token_file, s.fleet_token));
  if (f.journal_mb < 1 || f.journal_mb > (1 << 20)) {
    status.Update(absl::InvalidArgumentError("--journal-mb: 1 to 1048576 is allowed"));
  }
  s.journal.total_bytes_max = f.journal_mb << 20;
  s.journal.segment_bytes_max = std::min(s.journal.segment_bytes_max, s.journal.total_bytes_max / 4);
  if (f.history_mb < 1 || f.history_mb > (1 << 20)) {
    status.Update(absl::InvalidArgumentError("--history-mb: 1 to 1048576 is allowed"));
  }
  if (f.history_days < 1 || f.history_days > 3650) {
    status.Update(absl::InvalidArgumentError("--history-days: 1 to 3650 is allowed"));
  }
  s.history = {.total_bytes_max = f.history_mb << 20, .age_max = f.history_days * Hours(24)};
  const auto level = runtime::ParseLogLevel(f.log_level);
  if (!level) {
    status.Update(absl::InvalidArgumentError(
        absl::StrCat("--log-level is '", f.log_level, "': debug, info, warning and error are allowed")));
  }
  s.log_level = level.value_or(runtime::LogLevel::kInfo);
  if (!f.prometheus.empty()) {
    PrometheusSettings prometheus;
    status.Update(ParsePrometheusUrl(f.prometheus, prometheus));
    status.Update(
        ReadDuration("--prometheus-period", f.prometheus_period, 100 * millis, Hours(1), prometheus.period));
    status.Update(
        ReadDuration("--prometheus-age", f.prometheus_age, ZeroDuration(), Hours(1), prometheus.value_age));
    s.prometheus = std::move(prometheus);
  }
  status.Update(Check(s));
  return status;
}

}  // namespace

absl::Status Check(const DaemonSettings& settings) {
  const auto listen = runtime::ParseAddress(settings.listen);
  if (!listen.ok()) return absl::InvalidArgumentError(absl::StrCat("--listen: ", listen.status().message()));
  const auto http = runtime::ParseAddress(settings.http);
  if (!http.ok()) return absl::InvalidArgumentError(absl::StrCat("--http: ", http.status().message()));
  if (!settings.scaler_listen.empty()) {
    const auto scaler = runtime::ParseAddress(settings.scaler_listen);
    if (!scaler.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--scaler-listen: ", scaler.status().message()));
    }
  }
  if (!runtime::IsLoopback(*listen) && settings.token.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--listen ", settings.listen,
                     " can be reached from other machines, so operators need a token: give one with "
                     "--token-file (make one with: openssl rand -hex 32)"));
  }
  if (settings.controller.name.empty() || settings.controller.name.size() > 256) {
    return absl::InvalidArgumentError("--name: 1 to 256 bytes are allowed");
  }
  return absl::OkStatus();
}

std::variant<DaemonSettings, int> ParseCommandLine(int argc, const char* const* argv) {
  flags::Root app("ringway-controller: plans the traffic between regions and tells the routers");
  DaemonSettings settings;
  Flags flags;
  AddFlags(app, settings, flags);
  if (const auto ending = app.Parse(argc, argv)) return flags::Tell(*ending, "ringway-controller");
  const absl::Status complete = Complete(flags, settings);
  if (complete.ok()) return settings;
  std::cerr << "ringway-controller: " << complete.message() << "\n";
  return 2;
}

}  // namespace ringway::controller
