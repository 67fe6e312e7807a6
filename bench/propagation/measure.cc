#include "bench/propagation/measure.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "bench/propagation/router_client.h"
#include "controller/daemon/daemon.h"
#include "core/rng.h"
#include "runtime/clock.h"
#include "topology/topology.h"

namespace ringway::bench {
namespace {

constexpr int kRegions = 5;
constexpr int kRoutersEach = 10;
constexpr Duration kEpoch = Milliseconds(500);
constexpr Duration kReportPeriod = kEpoch;
constexpr double kCalmRps = 2;    // of each router: 20 requests/s a region, half of what it can serve
constexpr double kBurstRps = 26;  // of the one router: its region would be at 110 %
constexpr double kEpochsMax = 2;

std::string Topology() {
  std::string text = "apiVersion: ringway/v1\nkind: World\nmetadata: {name: bench}\nspec:\n  regions:\n";
  for (int r = 0; r < kRegions; ++r) {
    absl::StrAppend(&text, "    - {name: r", r, ", coordinates: {latitudeDeg: ", r, ", longitudeDeg: ", r,
                    "}}\n");
  }
  absl::StrAppend(&text, "  rtt:\n    matrixMs:\n");
  for (int r = 0; r < kRegions; ++r) {
    absl::StrAppend(&text, "      - [");
    for (int to = 0; to < kRegions; ++to) absl::StrAppend(&text, to > 0 ? ", " : "", r == to ? 1 : 20);
    absl::StrAppend(&text, "]\n");
  }
  absl::StrAppend(
      &text,
      "---\napiVersion: ringway/v1\nkind: Tier\nmetadata: {name: t}\nspec:\n  serviceMean: 250ms\n"
      "  metrics:\n    - {name: busy, aggregation: sum, capacity: 1, capacityPer: worker}\n"
      "  overloadThreshold: 0.8\n  rings:\n    - {name: near, rttMsMax: 50, unlockLoad: 0.8}\n"
      "  guard: {stepMax: 1}\n  regions:\n");
  for (int r = 0; r < kRegions; ++r) {
    absl::StrAppend(&text, "    - {region: r", r, ", workers: ", kRoutersEach, "}\n");
  }
  return text;
}

// Everyone's reports, spread evenly over the period; the burst is written by the measuring thread.
class Fleet50 {
 public:
  Fleet50(const std::string& controller, const std::shared_ptr<const Fleet>& fleet) {
    for (int r = 0; r < kRegions; ++r) {
      for (int i = 0; i < kRoutersEach; ++i) {
        routers_.push_back(std::make_unique<RouterClient>(controller, absl::StrCat("r", r, "-", i),
                                                          RegionId(static_cast<std::size_t>(r)), fleet));
        routers_.back()->Hello();
      }
    }
    driver_ = std::thread([this] { Drive(); });
  }
  ~Fleet50() {
    stop_ = true;
    driver_.join();
  }

  // Worst over all routers, in epochs; negative if some router never got a table.
  double Round(std::size_t chosen) {
    const Time sent_at = runtime::MonotonicNow();
    burst_ = static_cast<int>(chosen);
    routers_[chosen]->Report(ToDoubleSeconds(kReportPeriod), kBurstRps, 0.5);
    Time last = sent_at;
    for (auto& router : routers_) {
      const auto arrival = router->Await(sent_at, Seconds(20));
      if (!arrival) return -1;
      last = std::max(last, arrival->active_at);
    }
    burst_ = -1;
    return FDivDuration(last - sent_at, kEpoch);
  }
  bool AwaitFirstTable() {
    return std::all_of(routers_.begin(), routers_.end(),
                       [](auto& router) { return router->Await(InfinitePast(), Seconds(20)).has_value(); });
  }
  // Until no new table has come for three epochs.
  void Settle() {
    Time quiet_since = runtime::MonotonicNow();
    std::uint64_t version = 0;
    const Time give_up = quiet_since + Seconds(30);
    while (runtime::MonotonicNow() - quiet_since < 3 * kEpoch && runtime::MonotonicNow() < give_up) {
      const auto newest = routers_[0]->Newest();
      if (newest && newest->version != version) {
        version = newest->version;
        quiet_since = runtime::MonotonicNow();
      }
      absl::SleepFor(Milliseconds(10));
    }
  }
  std::size_t size() const { return routers_.size(); }

 private:
  void Drive() {
    const Duration gap = kReportPeriod / static_cast<std::int64_t>(routers_.size());
    Time next = runtime::MonotonicNow();
    for (std::size_t i = 0; !stop_; i = (i + 1) % routers_.size()) {
      const bool bursts = burst_ == static_cast<int>(i);
      routers_[i]->Report(ToDoubleSeconds(kReportPeriod), bursts ? kBurstRps : kCalmRps, 0.5);
      next += gap;
      absl::SleepFor(next - runtime::MonotonicNow());
    }
  }

  std::vector<std::unique_ptr<RouterClient>> routers_;
  std::atomic<int> burst_{-1};
  std::atomic<bool> stop_{false};
  std::thread driver_;
};

struct Outcome {
  std::vector<double> epochs;  // sorted
  int lost = 0;
};

absl::StatusOr<Outcome> Measure(int rounds, const std::string& folder) {
  controller::DaemonSettings settings;
  settings.topology = folder + "/bench.yaml";
  std::ofstream(settings.topology) << Topology();
  settings.listen = settings.http = "127.0.0.1:0";
  settings.state_dir = folder + "/state";
  settings.log_level = runtime::LogLevel::kError;
  settings.controller.epoch_period = kEpoch;
  settings.controller.report_period = kReportPeriod;
  auto daemon = controller::ControllerDaemon::Start(settings);
  if (!daemon.ok()) return daemon.status();
  auto topology = LoadTopology(settings.topology);
  if (!topology.ok()) return topology.status();
  Fleet50 fleet((*daemon)->grpc_address(), topology->fleet);
  if (!fleet.AwaitFirstTable()) return absl::DeadlineExceededError("no first table within 20 s");
  Rng rng(1);
  Outcome outcome;
  for (int round = 0; round < rounds; ++round) {
    fleet.Settle();
    absl::SleepFor(kEpoch * rng.Uniform());
    const double epochs = fleet.Round(rng.Below(fleet.size()));
    if (epochs < 0) {
      ++outcome.lost;
    } else {
      outcome.epochs.push_back(epochs);
    }
  }
  std::sort(outcome.epochs.begin(), outcome.epochs.end());
  return outcome;
}

double Quantile(const std::vector<double>& sorted, double q) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(q * static_cast<double>(sorted.size())))];
}

}  // namespace

int RunPropagation(bool quick, bool brief) {
  std::string folder = (std::filesystem::temp_directory_path() / "ringway-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 2;
  const int rounds = quick ? 12 : 100;
  const auto outcome = Measure(rounds, folder);
  std::filesystem::remove_all(folder);
  if (!outcome.ok() || outcome->epochs.empty()) {
    std::fprintf(stderr, "bench_propagation: %s\n",
                 outcome.ok() ? "no round succeeded" : outcome.status().ToString().c_str());
    return 2;
  }
  const double p99 = Quantile(outcome->epochs, 0.99);
  const bool holds = p99 <= kEpochsMax && outcome->lost == 0;
  if (!brief) {
    std::printf("report -> table active at the last of %d routers, %d rounds, epoch and report period %s\n",
                kRegions * kRoutersEach, rounds, absl::FormatDuration(kEpoch).c_str());
    std::printf("  epochs: p50 %.2f  p90 %.2f  p99 %.2f  max %.2f   rounds without a table: %d\n",
                Quantile(outcome->epochs, 0.5), Quantile(outcome->epochs, 0.9), p99, outcome->epochs.back(),
                outcome->lost);
  }
  std::printf("%s propagation_p99_epochs %.2f %.2f\n", holds ? "ok" : "short", p99, kEpochsMax);
  return holds ? 0 : 1;
}

}  // namespace ringway::bench
