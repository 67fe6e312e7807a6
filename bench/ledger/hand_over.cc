// How long a freed slot stays empty while jobs wait for it.
//
// One tier is offered 15 % more than it can do, so that there is always somebody in line; each worker writes
// down when its jobs end and when the next ones start. In between lie five messages between processes: the
// worker's word to the leader, the grant to a router, its offer, the worker's acceptance, and the payload.
// The yardstick is a bare round trip to a worker's loop (two messages), taken by another thread at the same
// time.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <thread>

#include "absl/time/clock.h"
#include "bench/ledger/measures.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"
#include "tests/live/open_loop.h"

namespace ringway::bench {
namespace {

constexpr double kOverload = 1.15;
constexpr Duration kWarmUp = Seconds(2);

struct Quantiles {
  double p50_ms = 0;
  double p99_ms = 0;
  std::size_t samples = 0;
};

Quantiles Of(std::vector<double> ms) {
  if (ms.empty()) return {};
  std::sort(ms.begin(), ms.end());
  const auto at = [&](double q) {
    return ms[static_cast<std::size_t>(q * static_cast<double>(ms.size() - 1))];
  };
  return {at(0.5), at(0.99), ms.size()};
}

// Calls a worker every few milliseconds until told to stop. An empty fence changes nothing there.
class RoundTrips {
 public:
  explicit RoundTrips(const std::string& worker) : stub_(v1::Worker::NewStub(runtime::MakeChannel(worker))) {
    thread_ = std::thread([this] { Run(); });
  }
  Quantiles Finish() {
    stop_ = true;
    thread_.join();
    return Of(ms_);
  }

 private:
  void Run() {
    v1::FenceRequest request;
    request.set_upto("L0-0-0");
    while (!stop_) {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
      v1::WorkerState reply;
      const Time sent = runtime::MonotonicNow();
      if (stub_->RaiseFence(&context, request, &reply).ok()) {
        ms_.push_back(ToDoubleMilliseconds(runtime::MonotonicNow() - sent));
      }
      absl::SleepFor(Milliseconds(5));
    }
  }
  std::unique_ptr<v1::Worker::Stub> stub_;
  std::atomic<bool> stop_{false};
  std::vector<double> ms_;
  std::thread thread_;
};

// Between an end and the next start on the same worker, of ends in [from, to).
Quantiles Gaps(const std::vector<Served>& log, Time from, Time to) {
  std::map<std::size_t, Time> ended;
  std::vector<double> ms;
  for (const Served& job : log) {
    const auto last = ended.find(job.worker);
    if (last != ended.end() && last->second >= from && last->second < to) {
      ms.push_back(ToDoubleMilliseconds(job.started - last->second));
    }
    ended[job.worker] = job.ended;
  }
  return Of(std::move(ms));
}

struct Measured {
  Quantiles gap;
  Quantiles round_trip;
  double attempts = 0;
};

Measured Measure(Fleet& fleet, Farm& farm, const char* tier, Duration span) {
  live::OpenLoop load(
      {.routers = fleet.Doors(), .tier = tier, .rps = kOverload * kCapacityRps, .span = span});
  const Time begin = runtime::MonotonicNow();
  load.Start();
  RoundTrips trips(farm.addresses().front());
  const auto records = load.Finish();
  Measured measured;
  measured.round_trip = trips.Finish();
  measured.gap = Gaps(farm.Log(), begin + kWarmUp, begin + span - kService);
  const live::Tally tally = live::Count(records);
  measured.attempts =
      static_cast<double>(tally.attempts) / static_cast<double>(std::max<std::size_t>(1, tally.done));
  return measured;
}

void Print(const char* tier, const Measured& m) {
  std::printf(
      "%-8s hand-over p50 %6.2f ms  p99 %7.2f ms (%zu)   round trip p50 %5.2f ms  p99 %6.2f ms   offers per "
      "done job %.2f\n",
      tier, m.gap.p50_ms, m.gap.p99_ms, m.gap.samples, m.round_trip.p50_ms, m.round_trip.p99_ms, m.attempts);
}

}  // namespace

std::vector<Claim> HandOver(Fleet& fleet, const Run& run) {
  const Duration span = run.quick ? Seconds(6) : Seconds(15);
  const Measured ledger = Measure(fleet, fleet.ledgered(), kLedgered, span);
  const Measured probe = Measure(fleet, fleet.probed(), kProbed, span);
  if (!run.brief) {
    std::printf("a freed slot while jobs wait, %d routers, %d workers:\n", kRouters, kWorkers);
    Print(kLedgered, ledger);
    Print(kProbed, probe);
  }
  // What the hand-over costs a fleet is the share of its time that a busy slot stands empty.
  const double service_ms = ToDoubleMilliseconds(kService);
  return {
      AtMost("hand_over_p50_of_service", ledger.gap.p50_ms / service_ms, 0.02, "ratio"),
      AtMost("hand_over_p99_per_round_trip_p99", ledger.gap.p99_ms / ledger.round_trip.p99_ms, 6, "ratio"),
      AtMost("offers_per_done_job", ledger.attempts, 1.05, "offers"),
      AtMost("offers_of_probing", ledger.attempts / probe.attempts, 1, "ratio")};
}

}  // namespace ringway::bench
