#include "cli/demo/cluster.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "runtime/clock.h"
#include "runtime/port_file.h"

namespace ringway::demo {
namespace {

constexpr Duration kStartLimit = Seconds(30);
constexpr Duration kStopLimit = Seconds(4);

}  // namespace

absl::StatusOr<Cluster> Cluster::Start(const ClusterSettings& settings, const Fleet& fleet) {
  Cluster cluster(settings);
  cluster.workers_.resize(fleet.world.regions.size());
  cluster.routers_.resize(fleet.world.regions.size());
  if (absl::Status status = cluster.StartController(); !status.ok()) return status;
  if (absl::Status status = cluster.StartWorkers(fleet); !status.ok()) return status;
  if (absl::Status status = cluster.StartRouters(fleet); !status.ok()) return status;
  return cluster;
}

absl::Status Cluster::StartMember(const std::string& program, const std::string& name,
                                  std::vector<std::string> flags) {
  const std::string path = absl::StrCat(settings_.programs, "/", program);
  if (!std::filesystem::exists(path)) {
    return absl::NotFoundError(absl::StrCat(path, " is not there; build it first: ./dev build ", program));
  }
  const std::string file = absl::StrCat(settings_.folder, "/", name);
  const std::string port_file = file + ".ports";
  std::vector<std::string> arguments = {path,          "--listen",    "127.0.0.1:0", "--http",
                                        "127.0.0.1:0", "--port-file", port_file};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  absl::StatusOr<runtime::ChildProcess> process = runtime::ChildProcess::Start(arguments, file + ".log");
  if (!process.ok()) return process.status();
  members_.push_back({name, file + ".log", port_file, *std::move(process)});
  return absl::OkStatus();
}

absl::StatusOr<std::string> Cluster::AwaitAddress(Member& member, const std::string& door) {
  const Time limit = runtime::MonotonicNow() + kStartLimit;
  while (runtime::MonotonicNow() < limit) {
    if (const auto ports = runtime::ReadPortFile(member.port_file); ports.ok()) {
      const auto address = ports->find(door);
      if (address != ports->end()) return address->second;
    }
    if (member.process.Poll()) {
      return absl::InternalError(absl::StrCat(member.name, " ended while starting; its log: ", member.log));
    }
    absl::SleepFor(Milliseconds(10));
  }
  return absl::DeadlineExceededError(absl::StrCat(
      member.name, " did not serve within ", absl::FormatDuration(kStartLimit), "; its log: ", member.log));
}

absl::Status Cluster::Dispatch(DispatchMode mode) {
  const std::string from = mode == DispatchMode::kProbe ? "mode: ledger" : "mode: probe";
  const std::string to = mode == DispatchMode::kProbe ? "mode: probe" : "mode: ledger";
  for (std::size_t at = topology_.find(from); at != std::string::npos; at = topology_.find(from, at)) {
    topology_.replace(at, from.size(), to);
  }
  if (absl::Status written = WriteWorld(); !written.ok()) return written;
  members_.front().process.Signal(SIGHUP);  // the controller
  return absl::OkStatus();
}

absl::Status Cluster::WriteWorld() {
  std::ofstream file(WorldFile(), std::ios::trunc);
  file << topology_ << std::flush;
  return file ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("cannot write ", WorldFile()));
}

absl::Status Cluster::StartController() {
  std::ifstream file(settings_.topology);
  topology_.assign(std::istreambuf_iterator<char>(file), {});
  if (absl::Status written = WriteWorld(); !written.ok()) return written;
  const std::string state = settings_.folder + "/controller.state";
  std::filesystem::create_directories(state);
  absl::Status started = StartMember("ringway-controller", "controller",
                                     {"--topology", WorldFile(), "--state-dir", state, "--dashboard-writes"});
  if (!started.ok()) return started;
  absl::StatusOr<std::string> address = AwaitAddress(members_.back());
  if (!address.ok()) return address.status();
  controller_ = *std::move(address);
  absl::StatusOr<std::string> dashboard = AwaitAddress(members_.back(), "http");
  if (!dashboard.ok()) return dashboard.status();
  dashboard_ = *std::move(dashboard);
  return absl::OkStatus();
}

std::vector<std::string> Cluster::BackendFlags(const Tier& tier, std::size_t n) const {
  if (!settings_.worker_flags.empty()) return settings_.worker_flags;
  const sim::ServiceLaw law =
      settings_.service.value_or(sim::LogNormalService{ToDoubleSeconds(tier.service_mean), 0.3});
  std::vector<std::string> flags = {"--backend",      "synthetic",
                                    "--seed",         absl::StrCat(n + 1),
                                    "--service-mean", absl::StrCat(sim::MeanServiceS(law)),
                                    "--service-law"};
  if (const auto* normal = std::get_if<sim::LogNormalService>(&law)) {
    flags.insert(flags.end(), {"lognormal", "--service-cv", absl::StrCat(normal->cv)});
  } else {
    flags.push_back(std::holds_alternative<sim::FixedService>(law) ? "fixed" : "exponential");
  }
  return flags;
}

absl::Status Cluster::StartWorkers(const Fleet& fleet) {
  const Tier& tier = fleet.tiers[settings_.tier];
  const std::size_t first = members_.size();
  std::vector<RegionId> places;
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    for (int n = 0; n < tier.regions[RegionId(i)].workers; ++n) {
      const std::string& region = fleet.world.regions[RegionId(i)].name;
      std::vector<std::string> flags = {"--name",          absl::StrCat(region, "/gpu", n),
                                        "--tier",          tier.name,
                                        "--region",        region,
                                        "--drain-timeout", "1",
                                        "--log-level",     "warning"};
      const std::vector<std::string> backend = BackendFlags(tier, places.size());
      flags.insert(flags.end(), backend.begin(), backend.end());
      absl::Status started =
          StartMember("ringway-worker", absl::StrCat("worker-", region, "-", n), std::move(flags));
      if (!started.ok()) return started;
      places.push_back(RegionId(i));
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    absl::StatusOr<std::string> address = AwaitAddress(members_[first + i]);
    if (!address.ok()) return address.status();
    workers_[places[i]].push_back(*std::move(address));
  }
  return absl::OkStatus();
}

absl::Status Cluster::StartRouters(const Fleet& fleet) {
  const std::size_t first = members_.size();
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    const std::string& region = fleet.world.regions[RegionId(i)].name;
    for (int n = 0; n < kRoutersPerRegion; ++n) {
      const std::string name = absl::StrCat("router-", region, "-", n);
      std::vector<std::string> flags = {
          "--name",
          absl::StrCat(region, "/router", n),
          "--region",
          region,
          "--controller",
          controller_,
          "--topology",
          settings_.topology,
          "--log-level",
          "warning",
          "--seed",
          absl::StrCat(first + i * kRoutersPerRegion + static_cast<std::size_t>(n)),
          "--emulate-rtt",
          "--shutdown-grace-period-secs",
          "1",
          "--videos-listen",
          "127.0.0.1:0",
          "--videos-store",
          absl::StrCat(settings_.folder, "/", name, "-videos")};
      const std::vector<std::string>& local = workers_[RegionId(i)];
      for (std::size_t w = static_cast<std::size_t>(n); w < local.size(); w += kRoutersPerRegion) {
        flags.insert(flags.end(), {"--worker", local[w]});
      }
      absl::Status started = StartMember("ringway-router", name, std::move(flags));
      if (!started.ok()) return started;
    }
  }
  for (std::size_t i = 0; i < fleet.world.regions.size() * kRoutersPerRegion; ++i) {
    absl::StatusOr<std::string> address = AwaitAddress(members_[first + i]);
    if (!address.ok()) return address.status();
    routers_[RegionId(i / kRoutersPerRegion)].push_back(*std::move(address));
  }
  absl::StatusOr<std::string> videos = AwaitAddress(members_[first], "videos");
  if (!videos.ok()) return videos.status();
  videos_ = *std::move(videos);
  return absl::OkStatus();
}

absl::Status Cluster::Check() {
  for (Member& member : members_) {
    if (!member.process.Poll()) continue;
    return absl::InternalError(absl::StrCat(member.name, " ended by itself; its log: ", member.log));
  }
  return absl::OkStatus();
}

bool Cluster::Stop() {
  // Routers first, then workers and the controller: nobody complains about peers that leave.
  for (auto it = members_.rbegin(); it != members_.rend(); ++it) it->process.Signal(SIGTERM);
  const Time limit = runtime::MonotonicNow() + kStopLimit;
  bool in_good_order = true;
  for (Member& member : members_) {
    const Duration left = std::max(ZeroDuration(), limit - runtime::MonotonicNow());
    if (!member.process.WaitFor(left)) in_good_order = false;
  }
  members_.clear();  // kills and reaps what is left
  return in_good_order;
}

}  // namespace ringway::demo
