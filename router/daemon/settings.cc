#include "router/daemon/settings.h"

#include <functional>
#include <iostream>
#include "runtime/flags.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "router/daemon/videos_flags.h"
#include "runtime/address.h"
#include "runtime/bearer_token.h"
#include "runtime/flags.h"

namespace ringway::router {
namespace {

constexpr std::size_t kMebi = std::size_t{1} << 20;
constexpr std::size_t kWorkersMax = 256;

// What the command line fills in; checked and converted afterwards.
struct Flags {
  double payload_mib_max = 64;
  double payload_total_mib_max = 1024;
  double jobs_max = 8192;
  double upload_idle_s = 30;
  double upload_s = 120;
  double uploads_late_max = 1024;
  double watch_max = 64;
  double drain_grace_s = 300;
  double offer_limit_s = 2;
  double once_records_max = 65536;
  double once_keep_s = 600;
  double journal_mib = 0;
  std::string token_file;
  std::string fleet_token_file;
  std::string log_level = "info";
  std::string leader;
  VideosFlags videos;
};

void AddFlags(flags::Command app, Settings& s, Flags& f) {
  app.Add("--name", s.name, "unique name of this router").Required();
  app.Add("--region", s.region, "region where it stands").Required();
  app.Add("--listen", s.listen, "host:port for gRPC; port 0 takes a free one").ShowDefault();
  app.Add("--advertise", s.advertise, "host:port where other routers reach it [what it listens on]");
  app.Add("--http", s.http, "host:port for /metrics, /healthz, /readyz").ShowDefault();
  app.Add("--controller", s.controller, "host:port of the controller; without it: local first");
  app.Add("--token-file", f.token_file,
          "file with the token that the controller wants from routers [the fleet's]");
  app.Add(runtime::kFleetTokenFlag, f.fleet_token_file, runtime::kFleetTokenHelp);
  app.AddFlag(runtime::kFleetTokenOptionalFlag, s.fleet_token_optional, runtime::kFleetTokenOptionalHelp);
  app.Add("--worker", s.workers, "host:port of a worker beside this router; repeatable");
  app.Add("--state-dir", s.state_dir, "folder for the last good table; without it nothing is kept");
  app.Add("--topology", s.topology, "topology file, to run without a controller");
  app.Add("--pool", s.pool_file, "pool file: plain HTTP workers and where their clients knock");
  app.Add(
      "--leader", f.leader,
      "NAME=HOST:PORT of the router that holds the pool's ledger [the controller's choice; alone: itself]");
  app.Add("--port-file", s.port_file, "write the addresses here once it serves");
  app.AddFlag("--emulate-rtt", s.calls.emulate_rtt,
              "hold forwarded messages back by the RTT of the regions; for demos on one machine");
  app.Add("--seed", s.seed, "of its random choices [from the name]");
  app.Add("--log-level", f.log_level, "debug, info, warning or error").ShowDefault();
  const char* bounds = "bounds";
  app.Add("--jobs-max", f.jobs_max, "jobs held at a time").Group(bounds).ShowDefault();
  app.Add("--upload-secs", f.upload_s, "how long a payload may take to arrive, whatever the deadline")
      .Group(bounds)
      .ShowDefault();
  app.Add("--upload-idle-secs", f.upload_idle_s, "how long nothing of a payload may come")
      .Group(bounds)
      .ShowDefault();
  app.Add("--uploads-late-max", f.uploads_late_max,
          "payloads of one client address that take longer than two seconds, at a time")
      .Group(bounds)
      .ShowDefault();
  app.Add("--payload-keep-mib", f.payload_mib_max, "payload kept of a job, so that it can be sent again")
      .Group(bounds)
      .ShowDefault();
  app.Add("--payload-total-mib", f.payload_total_mib_max, "payload kept of all jobs")
      .Group(bounds)
      .ShowDefault();
  app.Add("--offer-limit-secs", f.offer_limit_s, "a worker that does not answer an offer for so long hangs")
      .Group(bounds)
      .ShowDefault();
  app.Add("--once-records-max", f.once_records_max, "keys of jobs that are remembered")
      .Group(bounds)
      .ShowDefault();
  app.Add("--once-keep-secs", f.once_keep_s, "how long a key is remembered after its job has ended")
      .Group(bounds)
      .ShowDefault();
  app.Add("--journal-mib", f.journal_mib,
          "record every event in the state folder, at most so much, for `ringway sim replay`; 0: off")
      .Group(bounds)
      .ShowDefault();
  app.Add("--watch-max", f.watch_max, "workers watched that are not beside it").Group(bounds).ShowDefault();
  app.Add("--shutdown-grace-period-secs", f.drain_grace_s, "how long jobs may still run after SIGTERM")
      .Group(bounds)
      .ShowDefault();
}

absl::Status CheckAddresses(const Settings& s) {
  std::vector<std::pair<const char*, std::string>> addresses = {{"--listen", s.listen}, {"--http", s.http}};
  if (!s.advertise.empty()) addresses.push_back({"--advertise", s.advertise});
  if (!s.controller.empty()) addresses.push_back({"--controller", s.controller});
  for (const std::string& worker : s.workers) addresses.push_back({"--worker", worker});
  for (const auto& [flag, text] : addresses) {
    const auto parsed = runtime::ParseAddress(text);
    if (!parsed.ok()) return absl::InvalidArgumentError(absl::StrCat(flag, ": ", parsed.status().message()));
  }
  if (s.workers.size() > kWorkersMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("--worker is given ", s.workers.size(), " times; allowed are ", kWorkersMax));
  }
  return absl::OkStatus();
}

absl::Status ReadLeader(const std::string& text, Settings& s) {
  if (text.empty()) return absl::OkStatus();
  const std::size_t equals = text.find('=');
  const bool named = equals != std::string::npos && equals > 0;
  if (!named || !runtime::ParseAddress(text.substr(equals + 1)).ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--leader is '", text, "'; allowed is NAME=HOST:PORT, for example edge-1=10.0.0.5:7410"));
  }
  if (s.pool_file.empty()) {
    return absl::InvalidArgumentError("--leader is about the pool's ledger; give --pool too");
  }
  if (absl::Status status = HeaderText::CheckName("--leader's name", text.substr(0, equals)); !status.ok()) {
    return status;
  }
  s.leader = NamedAddress{text.substr(0, equals), text.substr(equals + 1)};
  return absl::OkStatus();
}

absl::Status CheckRanges(const Flags& f) {
  const struct {
    const char* flag;
    double value, low, high;
  } ranges[] = {{"--jobs-max", f.jobs_max, 1, 100000},
                {"--upload-secs", f.upload_s, 0.1, 7 * 24 * 3600},
                {"--upload-idle-secs", f.upload_idle_s, 0.1, 7 * 24 * 3600},
                {"--uploads-late-max", f.uploads_late_max, 1, 100000},
                {"--payload-keep-mib", f.payload_mib_max, 0.25, 4096},
                {"--payload-total-mib", f.payload_total_mib_max, 1, 1 << 20},
                {"--watch-max", f.watch_max, 0, 4096},
                {"--offer-limit-secs", f.offer_limit_s, 0.05, 600},
                {"--once-records-max", f.once_records_max, 16, 4e6},
                {"--journal-mib", f.journal_mib, 0, 1 << 20},
                {"--once-keep-secs", f.once_keep_s, 1, 7 * 24 * 3600},
                {"--shutdown-grace-period-secs", f.drain_grace_s, 0, 7 * 24 * 3600}};
  for (const auto& r : ranges) {
    if (r.value >= r.low && r.value <= r.high) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(r.flag, " is ", r.value, "; allowed are ", r.low, " to ", r.high));
  }
  return absl::OkStatus();
}

absl::Status ReadTokens(const Flags& f, Settings& s) {
  auto fleet = runtime::ReadFleetToken(f.fleet_token_file, s.listen);
  if (!fleet.ok()) return fleet.status();
  s.token = s.fleet_token = *std::move(fleet);
  if (f.token_file.empty()) return absl::OkStatus();
  auto token = runtime::ReadTokenFile("--token-file", f.token_file);
  if (!token.ok()) return token.status();
  s.token = *std::move(token);
  return absl::OkStatus();
}

absl::Status Complete(const Flags& f, Settings& s) {
  if (absl::Status status = HeaderText::CheckName("--name", s.name); !status.ok()) return status;
  if (absl::Status status = HeaderText::CheckName("--region", s.region); !status.ok()) return status;
  if (absl::Status status = CheckAddresses(s); !status.ok()) return status;
  if (absl::Status status = CheckRanges(f); !status.ok()) return status;
  if (absl::Status status = ReadLeader(f.leader, s); !status.ok()) return status;
  const auto level = runtime::ParseLogLevel(f.log_level);
  if (!level) {
    return absl::InvalidArgumentError(
        absl::StrCat("--log-level is '", f.log_level, "'; allowed are debug, info, warning, error"));
  }
  s.log_level = *level;
  if (absl::Status status = ReadTokens(f, s); !status.ok()) return status;
  s.calls.router = s.name;
  s.calls.jobs_max = static_cast<std::size_t>(f.jobs_max);
  s.calls.upload.idle_max = Seconds(f.upload_idle_s);
  s.calls.upload.whole_max = Seconds(f.upload_s);
  s.calls.upload.late_max = static_cast<std::size_t>(f.uploads_late_max);
  s.calls.payload_keep_max = static_cast<std::size_t>(f.payload_mib_max * kMebi);
  s.calls.payload_total_max = static_cast<std::size_t>(f.payload_total_mib_max * kMebi);
  s.watch_max = static_cast<std::size_t>(f.watch_max);
  s.drain_grace = Seconds(f.drain_grace_s);
  s.offer_limit = Seconds(f.offer_limit_s);
  s.once.records_max = static_cast<std::size_t>(f.once_records_max);
  s.once.keep = Seconds(f.once_keep_s);
  if (absl::Status status = CompleteVideos(f.videos, s); !status.ok()) return status;
  if (f.journal_mib > 0 && s.state_dir.empty()) {
    return absl::InvalidArgumentError("--journal-mib needs --state-dir, where the journal is kept");
  }
  s.journal_bytes = static_cast<std::uint64_t>(f.journal_mib * kMebi);
  // Routers that start together must not draw the same numbers.
  if (s.seed == 0) s.seed = std::hash<std::string>()(s.name) | 1;
  return absl::OkStatus();
}

}  // namespace

std::variant<Settings, int> ParseCommandLine(int argc, const char* const* argv) {
  flags::Root app("ringway-router: takes jobs to free workers, here or in another region");
  app.AddVersion("ringway-router " RINGWAY_BUILD);
  Settings settings;
  Flags flags;
  AddFlags(app, settings, flags);
  AddVideosFlags(app, settings.videos, flags.videos);
  if (const auto ending = app.Parse(argc, argv)) return flags::Tell(*ending, "ringway-router");
  const absl::Status complete = Complete(flags, settings);
  if (complete.ok()) return settings;
  std::cerr << "ringway-router: " << complete.message() << "\n";
  return 2;
}

}  // namespace ringway::router
