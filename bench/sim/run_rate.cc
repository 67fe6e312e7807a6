#include "bench/sim/run_rate.h"

#include <sys/resource.h>

#include <memory>

#include "runtime/huge_pages.h"
#include "sim/simulation.h"

namespace ringway::bench {
namespace {

double PeakGib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);
}

}  // namespace

RunRate MeasureRun(const BigFleetSize& size) {
  const auto scenario = BigFleet(size);
  const auto run = std::make_unique<sim::Simulation>(scenario);
  RunRate rate;
  double cpu_at_warm_s = 0;
  double events_at_warm = 0;
  double warm_s = 0;
  run->Run([&](double now_s) {
    if (now_s >= scenario->warmup_s && warm_s == 0) {
      runtime::UseHugePages();
      warm_s = now_s;
      cpu_at_warm_s = CpuSeconds();
      events_at_warm = static_cast<double>(run->events());
    }
    return true;
  });
  const sim::Totals& totals = run->tally().totals();
  rate.cpu_s = CpuSeconds() - cpu_at_warm_s;
  rate.requests = static_cast<double>(totals.submitted);
  rate.events = static_cast<double>(run->events()) - events_at_warm;
  rate.pending = static_cast<double>(run->pending());
  rate.served_share = static_cast<double>(totals.served()) / static_cast<double>(totals.ended_all());
  rate.virtual_s = scenario->duration_s - warm_s;
  rate.memory_gib = PeakGib();
  rate.sound = run->checkers().violations().empty();
  return rate;
}

}  // namespace ringway::bench
