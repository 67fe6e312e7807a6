#include <signal.h>

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/live/job_call.h"
#include "tests/live/open_loop.h"
#include "tests/live/recovery/backend.h"
#include "tests/live/recovery/fleet.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

constexpr int kWorkersOfRouter = kWorkers / kRouters;

class GrpcFleet final : public Fleet {
 public:
  explicit GrpcFleet(const std::string& mode) : world_(Plan(mode)) {
    // Kept apart from the daemons, which tests end and start while clients knock.
    for (int i = 0; i < kRouters; ++i) doors_[i] = router(i).grpc();
  }

  bool AwaitReady() override { return world_.AwaitReady(); }

  Window Serve(int index, double rps, Duration span, int seed) override {
    OpenLoop load({.routers = {doors_[index]},
                   .tier = kTier,
                   .rps = rps,
                   .span = span,
                   .name = absl::StrCat("r", index, "-", seed),
                   .seed = static_cast<std::uint64_t>(seed)});
    load.Start();
    const std::vector<JobRecord> records = load.Finish();
    std::vector<Duration> took;
    for (const JobRecord& record : records) {
      if (record.done()) took.push_back(record.took);
    }
    return Summarize(std::move(took), records.size(), Failures(records, 3));
  }

  void SendBad(int index, int jobs) override {
    const auto door = world_.Door(RouterName(index));
    for (int i = 0; i < jobs; ++i) {
      JobCall::ToRouter(*door).Send(Header(kTier, absl::StrCat("bad-", i)), "bad").Await();
    }
  }

  void KillWorker(int worker) override { world_.worker(WorkerName(worker)).Kill(); }
  void StartWorker(int worker) override { world_.worker(WorkerName(worker)).StartAgain(); }
  void StopWorker(int worker) override { world_.worker(WorkerName(worker)).Signal(SIGSTOP); }
  void ContinueWorker(int worker) override { world_.worker(WorkerName(worker)).Signal(SIGCONT); }
  DaemonProcess& router(int index) override { return world_.router(RouterName(index)); }
  DaemonProcess& controller() override { return world_.controller(); }
  std::string tier() const override { return kTier; }

 private:
  static std::string RouterName(int index) { return absl::StrCat("oslo-", index); }
  static std::string WorkerName(int worker) {
    return absl::StrCat("oslo-", worker / kWorkersOfRouter, "-w", worker % kWorkersOfRouter);
  }
  WorldPlan Plan(const std::string& mode) {
    WorldPlan plan{.regions = {{"oslo", kRouters, kWorkersOfRouter}},
                   .service_mean_s = ToDoubleSeconds(kService),
                   .dispatch = absl::StrCat("{mode: ", mode, "}")};
    for (int worker = 0; worker < kWorkers; ++worker) {
      plan.flags_of[WorkerName(worker)] = {"--backend", "http", "--http-upstream",
                                           absl::StrCat("http://", backends_[worker].address(), "/")};
    }
    return plan;
  }

  std::array<Backend, kWorkers> backends_;
  SmallWorld world_;
  std::array<std::string, kRouters> doors_;
};

}  // namespace

std::unique_ptr<Fleet> MakeGrpcFleet(const std::string& mode) { return std::make_unique<GrpcFleet>(mode); }

}  // namespace ringway::live
