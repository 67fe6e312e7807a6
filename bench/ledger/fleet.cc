#include "bench/ledger/fleet.h"

#include <chrono>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"

namespace ringway::bench {
namespace {

void WriteTier(std::ofstream& file, const char* name, const char* mode) {
  file << "---\napiVersion: ringway/v1\nkind: Tier\nmetadata: {name: " << name << "}\nspec:\n"
       << "  serviceMean: 300ms\n  deadline: 2s\n"
       << "  metrics:\n    - {name: busy, aggregation: sum, capacity: 1, capacityPer: worker, maxAge: 30s}\n"
       << "  overloadThreshold: 0.9\n  rings:\n    - {name: all, rttMsMax: 1000, unlockLoad: 0}\n"
       << "  guard: {staleAfter: 5s, missingAfter: 15s}\n"
       << "  dispatch: {mode: " << mode << "}\n"
       << "  regions:\n    - {region: oslo, workers: " << kWorkers << "}\n";
}

std::string WriteTopology(const live::ScratchFolder& folder) {
  const std::string path = folder.File("world.yaml");
  std::ofstream file(path);
  file << "apiVersion: ringway/v1\nkind: World\nmetadata: {name: bench-ledger}\nspec:\n  regions:\n"
       << "    - {name: oslo, coordinates: {latitudeDeg: 0, longitudeDeg: 0}}\n"
       << "  rtt:\n    withinRegionMs: 0.5\n    pairs: []\n";
  WriteTier(file, kLedgered, "ledger");
  WriteTier(file, kProbed, "probe");
  return path;
}

std::optional<v1::StatusReply> StatusOf(const std::string& controller) {
  const auto admin = v1::Admin::NewStub(runtime::MakeChannel(controller));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
  v1::StatusReply reply;
  if (!admin->Status(&context, v1::StatusRequest(), &reply).ok()) return std::nullopt;
  return reply;
}

double Metric(const live::DaemonProcess& router, const std::string& name) {
  return live::MetricValue(router.http(), absl::StrCat(name, "{tier=\"", kLedgered, "\"}")).value_or(0);
}

}  // namespace

Fleet::Fleet()
    : ledgered_(kLedgered, "oslo", kWorkers, kService), probed_(kProbed, "oslo", kWorkers, kService) {
  controller_ = std::make_unique<live::DaemonProcess>(
      folder_,
      live::DaemonSpec{"ringway-controller",
                       "controller",
                       {"--topology", WriteTopology(folder_), "--state-dir", folder_.File("controller")}});
  for (int r = 0; r < kRouters; ++r) {
    const std::string name = absl::StrCat("oslo-", r);
    std::vector<std::string> flags = {
        "--name",           name,          "--region", "oslo",         "--state-dir",
        folder_.File(name), "--watch-max", "0",        "--controller", controller_->grpc()};
    for (int w = r; w < kWorkers; w += kRouters) {
      flags.insert(flags.end(), {"--worker", ledgered_.addresses()[static_cast<std::size_t>(w)], "--worker",
                                 probed_.addresses()[static_cast<std::size_t>(w)]});
    }
    routers_[name] = std::make_unique<live::DaemonProcess>(
        folder_, live::DaemonSpec{
                     .program = "ringway-router", .name = name, .arguments = flags, .await_ready = false});
  }
}

bool Fleet::AwaitReady() {
  return live::Eventually([this] {
    const auto status = StatusOf(controller_->grpc());
    if (!status || status->routers_size() != kRouters || status->tiers_size() != 2) return false;
    for (const v1::RouterStatus& router : status->routers()) {
      if (router.table_version() == 0) return false;
    }
    for (const v1::TierStatus& tier : status->tiers()) {
      if (tier.regions(0).workers_seen() != kWorkers) return false;
    }
    const Leader leader = LedgerLeader();
    if (leader.router.empty()) return false;
    for (const auto& [name, router] : routers_) {
      if (Metric(*router, "ringway_router_ledger_reached") != 1) return false;
    }
    const auto slots = [&](const char* state) {
      return live::MetricValue(
                 routers_.at(leader.router)->http(),
                 absl::StrCat("ringway_ledger_slots{state=\"", state, "\",tier=\"", kLedgered, "\"}"))
          .value_or(0);
    };
    return slots("idle") + slots("leased") >= kWorkers;
  });
}

Leader Fleet::LedgerLeader() const {
  const auto status = StatusOf(controller_->grpc());
  if (!status) return {};
  for (const v1::TierStatus& tier : status->tiers()) {
    if (tier.tier() != kLedgered || tier.regions_size() != 1) continue;
    return {tier.regions(0).leader(), tier.regions(0).leader_epoch(), tier.regions(0).leader_appointment()};
  }
  return {};
}

bool Fleet::Grants(const std::string& router) const {
  const live::DaemonProcess& process = *routers_.at(router);
  return Metric(process, "ringway_router_ledger_holding") == 1 &&
         Metric(process, "ringway_ledger_grants_total") > 0;
}

std::vector<std::string> Fleet::Doors(const std::string& without) const {
  std::vector<std::string> doors;
  for (const auto& [name, router] : routers_) {
    if (name != without) doors.push_back(router->grpc());
  }
  return doors;
}

}  // namespace ringway::bench
