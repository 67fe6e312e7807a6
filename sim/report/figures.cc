#include "sim/report/figures.h"

#include <algorithm>
#include <limits>

#include "sim/report/cost.h"

namespace ringway::sim {
namespace {

constexpr std::array<FigureText, kFigures> kTexts = {{
    {"submitted", "jobs submitted", false, 0},
    {"served_share", "served", true, 1},
    {"shed_share", "shed", true, -1},
    {"too_late_share", "too late", true, -1},
    {"failed_share", "failed", true, -1},
    {"home_share", "served home", true, 1},
    {"wait_mean_s", "mean wait, s", false, -1},
    {"wait_p50_s", "median wait, s", false, -1},
    {"wait_p99_s", "p99 wait, s", false, -1},
    {"latency_p50_s", "median latency, s", false, -1},
    {"latency_p99_s", "p99 latency, s", false, -1},
    {"offers_per_served", "offers a served job", false, -1},
    {"busy_share", "workers busy", true, 0},
    {"wasted_share", "GPU time wasted", true, -1},
    {"tables_per_minute", "tables a router and minute", false, -1},
    {"violations", "broken rules", false, -1},
    {"served_jobs", "jobs served", false, 0},
    {"gpu_hours", "GPU hours", false, 0},
    {"gpu_cost", "cost of GPU hours", false, -1},
    {"egress_cost", "cost of egress", false, -1},
    {"cost_per_1000_served", "cost of 1000 served jobs", false, -1},
}};

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

const FigureText& TextOf(Figure figure) { return kTexts[static_cast<std::size_t>(figure)]; }

std::optional<Figure> FigureNamed(std::string_view name) {
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (kTexts[i].name == name) return static_cast<Figure>(i);
  }
  return std::nullopt;
}

void Figures::SetCosts(double gpu, double egress) {
  priced_ = true;
  const double served = (*this)[Figure::kServedJobs];
  (*this)[Figure::kGpuCost] = gpu;
  (*this)[Figure::kEgressCost] = egress;
  (*this)[Figure::kCostPer1000] =
      served > 0 ? 1000 * (gpu + egress) / served : std::numeric_limits<double>::infinity();
}

bool InDemand(const Scenario& scenario, TierId tier) {
  return std::any_of(scenario.demand.begin(), scenario.demand.end(),
                     [tier](const DemandSpec& demand) { return demand.tier == tier; });
}

int WorkersInDemand(const Scenario& scenario, RegionId region) {
  int workers = 0;
  for (std::size_t t = 0; t < scenario.fleet->tiers.size(); ++t) {
    if (InDemand(scenario, TierId(t))) workers += scenario.fleet->tiers[TierId(t)].regions[region].workers;
  }
  return workers;
}

Figures FiguresOf(const RunResult& run) {
  const Totals& t = run.totals;
  const auto ended = static_cast<double>(t.ended_all() + t.still_waiting);
  const auto served = static_cast<double>(t.served());
  const auto of = [&t](Outcome outcome) {
    return static_cast<double>(t.ended[static_cast<std::size_t>(outcome)]);
  };
  const double measured_s = std::max(1.0, run.now_s - run.scenario->warmup_s);
  double workers = 0;
  for (std::size_t r = 0; r < run.scenario->fleet->world.regions.size(); ++r) {
    workers += WorkersInDemand(*run.scenario, RegionId(r));
  }
  Figures figures;
  figures[Figure::kSubmitted] = static_cast<double>(t.submitted);
  figures[Figure::kServedShare] = Share(served, ended);
  figures[Figure::kShedShare] = Share(of(Outcome::kShed), ended);
  figures[Figure::kTooLateShare] = Share(of(Outcome::kTimeout), ended);
  figures[Figure::kFailedShare] = Share(of(Outcome::kFailed), ended);
  figures[Figure::kHomeShare] = Share(static_cast<double>(t.served_at_home), served);
  figures[Figure::kWaitMeanS] = t.wait.mean();
  figures[Figure::kWaitP50S] = t.wait.Quantile(0.5);
  figures[Figure::kWaitP99S] = t.wait.Quantile(0.99);
  figures[Figure::kLatencyP50S] = t.latency.Quantile(0.5);
  figures[Figure::kLatencyP99S] = t.latency.Quantile(0.99);
  figures[Figure::kOffersPerServed] = Share(static_cast<double>(t.offers), served);
  figures[Figure::kBusyShare] = Share(t.busy_s, measured_s * workers);
  figures[Figure::kWastedShare] = Share(t.wasted_s, t.busy_s);
  figures[Figure::kTablesPerMinute] =
      Share(static_cast<double>(t.tables) * 60, measured_s * static_cast<double>(run.routers));
  figures[Figure::kViolations] = static_cast<double>(run.violations.size());
  const RunCost cost = CostOfAll(CostsOf(run));
  figures[Figure::kServedJobs] = served;
  figures[Figure::kGpuHours] = cost.gpu_hours;
  if (run.scenario->prices) figures.SetCosts(cost.gpu, cost.egress);
  return figures;
}

}  // namespace ringway::sim
