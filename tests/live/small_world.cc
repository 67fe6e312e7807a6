#include "tests/live/small_world.h"

#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"

namespace ringway::live {
namespace {

std::string WorkerName(const std::string& router, int n) { return absl::StrCat(router, "-w", n); }

}  // namespace

SmallWorld::SmallWorld(WorldPlan plan) : plan_(std::move(plan)) {
  const std::string topology = folder_.File("world.yaml");
  WriteTopology(topology);
  if (plan_.controlled) {
    std::vector<std::string> flags = {"--topology", topology, "--state-dir",
                                      folder_.File("controller-state")};
    flags.insert(flags.end(), plan_.controller_flags.begin(), plan_.controller_flags.end());
    controller_ =
        std::make_unique<DaemonProcess>(folder_, DaemonSpec{"ringway-controller", "controller", flags});
  }
  if (::testing::Test::HasFatalFailure()) return;
  for (const RegionPlan& region : plan_.regions) {
    for (int r = 0; r < region.routers; ++r) {
      const std::string router = absl::StrCat(region.name, "-", r);
      for (int w = 0; w < region.workers_per_router; ++w) StartWorker(region, WorkerName(router, w));
      StartRouter(region, router);
    }
  }
}

void SmallWorld::WriteTopology(const std::string& path) const {
  std::ofstream file(path);
  file << "apiVersion: ringway/v1\nkind: World\nmetadata: {name: live-test}\nspec:\n  regions:\n";
  for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
    file << "    - {name: " << plan_.regions[i].name
         << ", coordinates: {latitudeDeg: " << plan_.regions[i].latitude_deg
         << ", longitudeDeg: " << plan_.regions[i].longitude_deg << "}}\n";
  }
  file << "  rtt:\n    withinRegionMs: 0.5\n    pairs:\n";
  for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
    for (std::size_t j = i + 1; j < plan_.regions.size(); ++j) {
      file << "      - {from: " << plan_.regions[i].name << ", to: " << plan_.regions[j].name
           << ", rttMs: " << plan_.rtt_ms << "}\n";
    }
  }
  file << "---\napiVersion: ringway/v1\nkind: Tier\nmetadata: {name: " << kTier << "}\nspec:\n"
       << "  serviceMean: " << plan_.service_mean_s << "s\n  deadline: " << plan_.deadline << "\n"
       << "  metrics:\n    - {name: busy, aggregation: sum, capacity: 1, capacityPer: worker, maxAge: 30s}\n"
       << "  overloadThreshold: 0.9\n  rings:\n    - {name: all, rttMsMax: 1000, unlockLoad: 0}\n"
       << "  guard: " << plan_.guard << "\n"
       << "  dispatch: " << plan_.dispatch << "\n";
  if (!plan_.scaling.empty()) file << "  scaling: " << plan_.scaling << "\n";
  file << "  regions:\n";
  for (const RegionPlan& region : plan_.regions) {
    file << "    - {region: " << region.name << ", workers: " << region.workers()
         << ", importCapShare: " << region.import_cap_share << "}\n";
  }
}

void SmallWorld::StartWorker(const RegionPlan& region, const std::string& name) {
  std::vector<std::string> flags = {"--name",         name,
                                    "--tier",         kTier,
                                    "--region",       region.name,
                                    "--service-law",  plan_.service_law,
                                    "--service-mean", absl::StrCat(plan_.service_mean_s),
                                    "--log-level",    "debug",
                                    "--state-dir",    StateDir(name)};
  flags.insert(flags.end(), plan_.worker_flags.begin(), plan_.worker_flags.end());
  if (const auto own = plan_.flags_of.find(name); own != plan_.flags_of.end()) {
    flags.insert(flags.end(), own->second.begin(), own->second.end());
  }
  workers_[name] = std::make_unique<DaemonProcess>(folder_, DaemonSpec{"ringway-worker", name, flags});
}

void SmallWorld::StartRouter(const RegionPlan& region, const std::string& name) {
  std::vector<std::string> flags = {"--name", name, "--region", region.name, "--state-dir", StateDir(name)};
  if (plan_.controlled) {
    flags.insert(flags.end(), {"--controller", controller_->grpc()});
  } else {
    flags.insert(flags.end(), {"--topology", folder_.File("world.yaml")});
  }
  flags.insert(flags.end(), plan_.router_flags.begin(), plan_.router_flags.end());
  if (const auto own = plan_.flags_of.find(name); own != plan_.flags_of.end()) {
    flags.insert(flags.end(), own->second.begin(), own->second.end());
  }
  for (int w = 0; w < region.workers_per_router; ++w) {
    flags.insert(flags.end(), {"--worker", workers_.at(WorkerName(name, w))->grpc()});
  }
  routers_[name] = std::make_unique<DaemonProcess>(
      folder_,
      DaemonSpec{.program = "ringway-router", .name = name, .arguments = flags, .await_ready = false});
}

std::vector<std::string> SmallWorld::Doors(const std::string& region) const {
  std::vector<std::string> doors;
  for (const auto& [name, router] : routers_) {
    if (absl::StartsWith(name, absl::StrCat(region, "-"))) doors.push_back(router->grpc());
  }
  return doors;
}

std::unique_ptr<v1::Ingress::Stub> SmallWorld::Door(const std::string& router) const {
  return v1::Ingress::NewStub(runtime::MakeChannel(routers_.at(router)->grpc()));
}

std::optional<v1::StatusReply> SmallWorld::Status() const {
  const auto admin = v1::Admin::NewStub(runtime::MakeChannel(controller_->grpc()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
  v1::StatusReply reply;
  if (!admin->Status(&context, v1::StatusRequest(), &reply).ok()) return std::nullopt;
  return reply;
}

bool SmallWorld::AllHoldEpoch(const v1::StatusReply& status, std::uint64_t epoch, std::size_t routers) {
  if (static_cast<std::size_t>(status.routers_size()) != routers) return false;
  for (const v1::RouterStatus& router : status.routers()) {
    if (router.table_epoch() < epoch || router.table_version() == 0) return false;
  }
  return true;
}

bool SmallWorld::RoutersKnowTheirWorkers() const {
  const std::string known = absl::StrCat("ringway_router_workers{tier=\"", kTier, "\"}");
  for (const RegionPlan& region : plan_.regions) {
    for (int r = 0; r < region.routers; ++r) {
      const std::string& address = routers_.at(absl::StrCat(region.name, "-", r))->http();
      const auto page = HttpGet(address, "/readyz");
      if (!page || page->status != 200) return false;
      if (MetricValue(address, known).value_or(0) < region.workers_per_router) return false;
    }
  }
  return true;
}

bool SmallWorld::AwaitReady() {
  if (!plan_.controlled) {
    return Eventually([this] { return RoutersKnowTheirWorkers(); });
  }
  return Eventually([this] {
    const auto status = Status();
    if (!status || status->tiers_size() != 1 || !AllHoldEpoch(*status, status->epoch(), routers_.size()))
      return false;
    int seen = 0, all = 0;
    for (const v1::RegionStatus& region : status->tiers(0).regions()) {
      seen += static_cast<int>(region.workers_seen());
    }
    for (const RegionPlan& region : plan_.regions) all += region.workers();
    return seen == all;
  });
}

int SmallWorld::Completions(const std::string& request_id) const {
  int count = 0;
  for (const auto& [name, worker] : workers_) {
    std::istringstream lines(worker->Log());
    for (std::string line; std::getline(lines, line);) {
      if (absl::EndsWith(line, absl::StrCat("job ", request_id, " is done"))) ++count;
    }
  }
  return count;
}

double SmallWorld::SumOverWorkers(const std::string& series) const {
  double sum = 0;
  for (const auto& [name, worker] : workers_) {
    if (worker->running()) sum += MetricValue(worker->http(), series).value_or(0);
  }
  return sum;
}

}  // namespace ringway::live
