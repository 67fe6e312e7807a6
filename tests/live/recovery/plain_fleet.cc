#include <algorithm>
#include <array>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/rng.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/recovery/backend.h"
#include "tests/live/recovery/fleet.h"
#include "tests/router/http/raw_client.h"

namespace ringway::live {
namespace {

constexpr char kPoolTier[] = "http";

class PlainFleet final : public Fleet {
 public:
  explicit PlainFleet(const std::string& mode) : mode_(mode) {
    WriteWorld();
    controller_ = std::make_unique<DaemonProcess>(
        folder_, DaemonSpec{"ringway-controller",
                            "controller",
                            {"--topology", folder_.File("world.yaml"), "--state-dir",
                             folder_.File("controller-state")}});
    for (int i = 0; i < kRouters; ++i) {
      const std::string name = absl::StrCat("oslo-", i);
      // A port of its own that outlives the router, as clients keep knocking at it.
      doors_[i] = http_test::PlainWorker(http_test::Echo()).address();
      WritePool(name, doors_[i]);
      routers_[i] = std::make_unique<DaemonProcess>(
          folder_,
          DaemonSpec{.program = "ringway-router",
                     .name = name,
                     .arguments = {"--name", name, "--region", "oslo", "--pool", folder_.File(name + ".yaml"),
                                   "--controller", controller_->grpc()},
                     .await_ready = false});
    }
  }

  bool AwaitReady() override {
    return Eventually([this] {
      for (int i = 0; i < kRouters; ++i) {
        if (Metric(i, "ringway_router_table_version") < 1 || Usable(i) < kWorkers) return false;
        if (mode_ == "ledger" &&
            Metric(i, absl::StrCat("ringway_router_ledger_reached{tier=\"", kPoolTier, "\"}")) != 1)
          return false;
      }
      return true;
    });
  }

  Window Serve(int index, double rps, Duration span, int seed) override {
    Rng rng(static_cast<std::uint64_t>(seed) * kRouters + static_cast<std::uint64_t>(index));
    std::mutex mutex;
    std::vector<Duration> took;
    std::string failures;
    std::vector<std::thread> clients;
    Time next = absl::Now();
    const Time end = next + span;
    const std::string& door = doors_[index];
    while ((next += Seconds(rng.Exponential() / rps)) < end) {
      absl::SleepFor(next - absl::Now());
      clients.emplace_back([&] {
        const Time sent = absl::Now();
        const auto answer = http_test::Ask(door, "POST", "", "good");
        const std::lock_guard lock(mutex);
        if (answer && answer->status == 200) {
          took.push_back(absl::Now() - sent);
        } else if (failures.size() < 500) {
          absl::StrAppend(&failures, "\n  ",
                          answer ? absl::StrCat(answer->status, " ", answer->body) : "no answer");
        }
      });
    }
    for (std::thread& client : clients) client.join();
    return Summarize(std::move(took), clients.size(), std::move(failures));
  }

  void SendBad(int index, int jobs) override {
    for (int i = 0; i < jobs; ++i) http_test::Ask(doors_[index], "POST", "", "bad");
  }

  void KillWorker(int worker) override { backends_[worker].Kill(); }
  void StartWorker(int worker) override { backends_[worker].Start(); }
  void StopWorker(int worker) override { backends_[worker].Stop(); }
  void ContinueWorker(int worker) override { backends_[worker].Continue(); }
  DaemonProcess& router(int index) override { return *routers_[index]; }
  DaemonProcess& controller() override { return *controller_; }
  std::string tier() const override { return kPoolTier; }

 private:
  double Metric(int index, const std::string& series) {
    return MetricValue(router(index).http(), series).value_or(-1);
  }

  void WriteWorld() const {
    std::ofstream(folder_.File("world.yaml"))
        << "apiVersion: ringway/v1\nkind: World\nmetadata: {name: test}\nspec:\n  regions:\n"
        << "    - {name: oslo, coordinates: {latitudeDeg: 59.9, longitudeDeg: 10.7}}\n"
        << "  rtt: {withinRegionMs: 0.5}\n"
        << "---\napiVersion: ringway/v1\nkind: Tier\nmetadata: {name: " << kPoolTier << "}\nspec:\n"
        << "  serviceMean: 100ms\n  deadline: 10s\n  metrics: [{name: busy, capacityPer: worker}]\n"
        << "  overloadThreshold: 0.9\n  rings: [{name: all, rttMsMax: 1000}]\n"
        << "  guard: {staleAfter: 5s, missingAfter: 15s}\n"
        << "  dispatch: {mode: " << mode_ << "}\n  regions:\n    - {region: oslo, workers: " << kWorkers
        << "}\n";
  }

  void WritePool(const std::string& name, const std::string& door) const {
    std::ofstream file(folder_.File(name + ".yaml"));
    file << "apiVersion: ringway/v1\nkind: HttpPool\nmetadata: {name: oslo}\nspec:\n"
         << "  listen: " << door << "\n  tier: " << kPoolTier
         << "\n  serviceMean: 100ms\n  abandonedHold: 10ms\n"
         << "  workers:\n";
    for (const Backend& backend : backends_) file << "    - " << backend.address() << "\n";
  }

  const std::string mode_;
  ScratchFolder folder_;
  std::array<Backend, kWorkers> backends_;
  std::array<std::string, kRouters> doors_;
  std::unique_ptr<DaemonProcess> controller_;
  std::array<std::unique_ptr<DaemonProcess>, kRouters> routers_;
};

}  // namespace

std::unique_ptr<Fleet> MakePlainFleet(const std::string& mode) { return std::make_unique<PlainFleet>(mode); }

}  // namespace ringway::live
