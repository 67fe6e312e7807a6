#include "sim/report/run_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "sim/report/step_text.h"

namespace ringway::sim {
namespace {

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// One bin: the seconds [first, last).
void AddBin(const std::vector<SecondTally>& seconds, std::size_t first, std::size_t last,
            const std::vector<RegionReport>& regions, std::size_t routers, Series& series) {
  double submitted = 0, served = 0, unserved = 0, offers = 0, wait_s = 0, latency_s = 0, tables = 0;
  std::vector<double> busy(regions.size(), 0);
  for (std::size_t i = first; i < last; ++i) {
    double served_now = 0;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const RegionSecond& region = seconds[i].regions[r];
      submitted += region.submitted;
      served_now += region.served;
      unserved += region.unserved;
      busy[r] += static_cast<double>(region.busy);
    }
    served += served_now;
    offers += seconds[i].offers;
    wait_s += served_now * static_cast<double>(seconds[i].wait_mean_s);
    latency_s = std::max(latency_s, static_cast<double>(seconds[i].latency_p99_s));
    tables += seconds[i].tables;
  }
  const auto span_s = static_cast<double>(last - first);
  series.submitted.push_back(submitted / span_s);
  series.served.push_back(served / span_s);
  series.unserved.push_back(unserved / span_s);
  series.offers_per_served.push_back(Ratio(offers, served));
  series.wait_mean_s.push_back(Ratio(wait_s, served));
  series.latency_p99_s.push_back(latency_s);
  series.tables.push_back(60 * tables / span_s / static_cast<double>(std::max<std::size_t>(routers, 1)));
  for (std::size_t r = 0; r < regions.size(); ++r) {
    series.busy[r].push_back(Ratio(busy[r] / span_s, regions[r].workers));
  }
}

// Said, because the topology names more workers than the report counts.
std::vector<std::string> TiersLeftOut(const Scenario& scenario) {
  std::vector<std::string> remarks;
  for (std::size_t t = 0; t < scenario.fleet->tiers.size(); ++t) {
    if (InDemand(scenario, TierId(t))) continue;
    const Tier& tier = scenario.fleet->tiers[TierId(t)];
    int workers = 0;
    for (const TierRegion& region : tier.regions) workers += region.workers;
    remarks.push_back(
        absl::StrFormat("tier %s has no demand here: its %d workers are not counted", tier.name, workers));
  }
  return remarks;
}

Series MakeSeries(const RunResult& run, const std::vector<RegionReport>& regions) {
  const std::vector<SecondTally>& seconds = run.seconds;
  const std::size_t whole = seconds.size() - 1;  // the last one is not over
  const std::size_t width = std::max<std::size_t>(1, (whole + kBinsMax - 1) / kBinsMax);
  Series series;
  series.bin_s = static_cast<double>(width);
  series.busy.resize(regions.size());
  for (std::size_t first = 0; first < whole; first += width) {
    AddBin(seconds, first, std::min(first + width, whole), regions, run.routers, series);
  }
  return series;
}

std::vector<RegionReport> MakeRegions(const RunResult& run) {
  const Fleet& fleet = *run.scenario->fleet;
  const auto& flows = run.flows;
  const auto& seconds = run.seconds;
  const auto warm = static_cast<std::size_t>(run.scenario->warmup_s);
  std::vector<RegionReport> regions;
  for (std::size_t r = 0; r < flows.size(); ++r) {
    const Region& region = fleet.world.regions[RegionId(r)];
    RegionReport out{.name = region.name,
                     .title = region.title,
                     .latitude_deg = region.latitude_deg,
                     .longitude_deg = region.longitude_deg,
                     .workers = WorkersInDemand(*run.scenario, RegionId(r))};
    double busy = 0;
    for (std::size_t i = warm; i + 1 < seconds.size(); ++i) {
      busy += static_cast<double>(seconds[i].regions[r].busy);
    }
    const double measured_s = static_cast<double>(seconds.size()) - 1 - static_cast<double>(warm);
    out.busy_share = Ratio(busy, measured_s * out.workers);
    for (std::size_t other = 0; other < flows.size(); ++other) {
      out.served += flows[r][other];
      if (other != r) out.served_guest += flows[other][r];
    }
    out.served_home = flows[r][r];
    regions.push_back(std::move(out));
  }
  return regions;
}

}  // namespace

RunReport MakeReport(const RunResult& run, const Reference* reference) {
  const Scenario& scenario = *run.scenario;
  const Totals& totals = run.totals;
  RunReport report;
  report.scenario = scenario.name;
  report.seed = scenario.seed;
  report.complete = run.complete;
  report.duration_s = run.now_s;
  report.warmup_s = scenario.warmup_s;
  report.events = run.events;
  report.figures = FiguresOf(run);
  report.outcomes.assign(totals.ended.begin(), totals.ended.end());
  for (const double q : kQuantilesShown) {
    report.wait_s.push_back(totals.wait.Quantile(q));
    report.latency_s.push_back(totals.latency.Quantile(q));
  }
  report.regions = MakeRegions(run);
  if (scenario.prices) {
    const IdVector<RegionId, RunCost> costs = CostsOf(run);
    report.cost = CostOfAll(costs);
    for (std::size_t r = 0; r < costs.size(); ++r) report.regions[r].cost = costs[RegionId(r)];
  }
  report.flows = run.flows;
  for (const ScenarioStep& step : scenario.steps) {
    report.steps.push_back({TextOf(step.fault, *scenario.fleet), step.at_s, step.lasts_s});
  }
  report.series = MakeSeries(run, report.regions);
  for (const Tier& tier : scenario.fleet->tiers) report.tier_names.push_back(tier.name);
  if (reference != nullptr) {
    for (const TierReference& tier : reference->Figures(run.now_s)) report.references.push_back(tier);
  }
  report.plan_cost_over_optimum = Ratio(run.rtt_cost, run.rtt_cost_optimal);
  report.still_waiting = totals.still_waiting;
  report.still_running = totals.still_running;
  report.remarks = scenario.remarks;
  for (std::string& remark : TiersLeftOut(scenario)) report.remarks.push_back(std::move(remark));
  if (run.scaling) {
    const ScalingTotals& scaled = run.scaling->totals;
    report.remarks.push_back(
        absl::StrFormat("the autoscaler paid for %.2f GPU hours: %u workers started, %u stopped, %u of these "
                        "within ten minutes "
                        "of their start",
                        scaled.worker_s / 3600, scaled.starts, scaled.stops, scaled.thrash));
  }
  report.violations = run.violations;
  return report;
}

}  // namespace ringway::sim
