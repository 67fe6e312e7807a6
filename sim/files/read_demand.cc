#include "sim/files/read_demand.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/files/read_steps.h"
#include "sim/trace.h"

namespace ringway::sim {
namespace {

constexpr double kRateMax = 1e7;
constexpr absl::Duration kDay = absl::Hours(24);

enum Split : std::size_t { kByPopulation, kByCapacity, kEqual };
const std::vector<std::string_view> kSplits = {"population", "capacity", "equal"};
enum Law : std::size_t { kPoisson, kMmpp, kDayCurve, kTrace };
const std::vector<std::string_view> kLaws = {"poisson", "mmpp", "dayCurve", "trace"};

// Share of each region in the demand; sums to 1 over `regions`.
std::vector<double> Shares(const Scenario& scenario, const Tier& tier, const RegionSet& regions,
                           std::size_t split) {
  std::vector<double> shares;
  double sum = 0;
  for (const RegionId region : regions) {
    double share = 1;
    if (split == kByPopulation) share = scenario.fleet->world.regions[region].population_share;
    if (split == kByCapacity) share = tier.regions[region].workers;
    shares.push_back(share);
    sum += share;
  }
  for (double& share : shares) share = sum > 0 ? share / sum : 1.0 / static_cast<double>(shares.size());
  return shares;
}

double CapacityRps(const Scenario& scenario, TierId tier) {
  double workers = 0;
  for (const TierRegion& region : scenario.fleet->tiers[tier].regions) workers += region.workers;
  return workers / MeanServiceS(scenario.service[tier].law);
}

// Requests per second of the whole item: given, or from a load.
double ReadRate(Mapping& m, const Scenario& scenario, TierId tier, std::vector<std::string>& remarks) {
  const bool has_rate = m.Has("rateRps");
  const bool has_load = m.Has("load");
  const double rate = m.Number("rateRps", 0, {0, kRateMax, true});
  const double load = m.Number("load", 0, {0, 100, true});
  if (has_rate == has_load) {
    m.Report("load", "exactly one of rateRps (requests per second) and load (share of the tier's fleet)");
    return 0;
  }
  if (has_rate) return rate;
  const double capacity = CapacityRps(scenario, tier);
  remarks.push_back(absl::StrFormat("load %.4g of tier %s is %.6g requests per second: %.6g at full capacity",
                                    load, scenario.fleet->tiers[tier].name, load * capacity, capacity));
  return load * capacity;
}

ArrivalLaw ReadMmpp(Mapping& m, double rate) {
  MmppArrivals law;
  const double factor = m.Number("burstFactor", 5, {1, 1000});
  law.calm_mean_s =
      absl::ToDoubleSeconds(m.Duration("calmMean", absl::Seconds(60), absl::Milliseconds(1), kDay));
  law.burst_mean_s =
      absl::ToDoubleSeconds(m.Duration("burstMean", absl::Seconds(5), absl::Milliseconds(1), kDay));
  const double cycle_s = law.calm_mean_s + law.burst_mean_s;
  law.calm_rps = rate * cycle_s / (law.calm_mean_s + factor * law.burst_mean_s);
  law.burst_rps = law.calm_rps * factor;
  return law;
}

ArrivalLaw ReadDayCurve(Mapping& m, double rate, const Region& region) {
  DayCurveArrivals law;
  law.mean_rps = rate;
  law.swing = m.Number("swing", 0.6, {0, 1});
  law.peak_local_hour = m.Number("peakLocalHour", 20, {0, 24});
  law.start_utc_hour = m.Number("startUtcHour", 0, {0, 24});
  law.day_s = absl::ToDoubleSeconds(m.Duration("dayLength", kDay, absl::Seconds(1), kDay * 10));
  law.utc_offset_minutes = region.utc_offset_minutes;
  return law;
}

std::shared_ptr<const std::vector<double>> ReadTrace(Mapping& m, const ReadFile& read, Scenario& scenario) {
  m.Require("file", "the path of a CSV file, relative to this one");
  const std::string path = m.Text("file", "");
  const std::string column = m.Text("column", "");
  const auto unit =
      static_cast<TraceUnit>(m.Choice("unit", 0, {std::begin(kTraceUnits), std::end(kTraceUnits)}));
  if (path.empty()) return nullptr;
  const auto text = read(path);
  if (!text.ok()) {
    m.Report("file", "a CSV file that can be read", std::string(text.status().message()));
    return nullptr;
  }
  auto trace = ParseTraceCsv(*text, path, column, unit);
  if (!trace.ok()) {
    m.Report("file", "a trace with a time column", std::string(trace.status().message()));
    return nullptr;
  }
  scenario.remarks.push_back(absl::StrFormat(
      "trace %s: %d requests in %.1f s (times read as %s), coefficient of variation of the gaps "
      "%.2f; it starts over when it ends",
      path, trace->offsets_s.size(), trace->offsets_s.back(),
      trace->unit == TraceUnit::kFound ? "dates" : kTraceUnits[static_cast<std::size_t>(trace->unit)],
      trace->GapCv()));
  return std::make_shared<const std::vector<double>>(std::move(trace->offsets_s));
}

void ReadItem(const Place& place, const RegionNames& names, const ReadFile& read, Scenario& scenario,
              Problems& problems) {
  Mapping m(place, problems);
  const TierId tier_id = ReadTierName(m, *scenario.fleet, problems);
  if (!tier_id.valid()) return;
  const Tier& tier = scenario.fleet->tiers[tier_id];
  const std::vector<std::string_view> priorities(tier.priorities.begin(), tier.priorities.end());
  const auto priority = static_cast<Priority>(m.Choice("priority", 0, priorities));
  const std::size_t law = m.Choice("law", kPoisson, kLaws);
  const double rate = ReadRate(m, scenario, tier_id, scenario.remarks);
  RegionSet regions = ReadRegions(m, "regions", names, problems);
  if (regions.empty()) {
    for (std::size_t i = 0; i < scenario.fleet->world.regions.size(); ++i) regions.push_back(RegionId(i));
  }
  const std::vector<double> shares =
      Shares(scenario, tier, regions, m.Choice("split", kByPopulation, kSplits));
  const auto offsets = law == kTrace ? ReadTrace(m, read, scenario) : nullptr;
  if (offsets != nullptr && offsets->back() > 0) {
    const double copies = rate * offsets->back() / static_cast<double>(offsets->size());
    scenario.remarks.push_back(absl::StrFormat(
        copies > 1 ? "each recorded request is sent %.3g times in all, spread over the trace's mean gap"
                   : "%.3g of the recorded requests are sent",
        copies));
  }
  for (std::size_t i = 0; i < regions.size() && scenario.demand.size() < kDemandsMax; ++i) {
    const double own = rate * shares[i];
    if (own <= 0) continue;
    DemandSpec demand{
        .tier = tier_id, .region = regions[i], .priority = priority, .law = PoissonArrivals{own}};
    if (law == kMmpp) demand.law = ReadMmpp(m, own);
    if (law == kDayCurve) demand.law = ReadDayCurve(m, own, scenario.fleet->world.regions[regions[i]]);
    if (law == kTrace && offsets != nullptr) {
      const double length_s = offsets->back() > 0 ? offsets->back() : 1;
      const double trace_rps = static_cast<double>(offsets->size()) / length_s;
      demand.law = TraceArrivals{
          .offsets_s = offsets, .scale = own / trace_rps, .length_s = length_s, .shared = rate > trace_rps};
    }
    scenario.demand.push_back(std::move(demand));
  }
  m.Finish();
}

}  // namespace

void ReadDemand(Mapping& spec, const RegionNames& names, const ReadFile& read, Scenario& scenario,
                Problems& problems) {
  if (!spec.Require("demand", "a list of arrival processes")) return;
  for (const Place& place : spec.List("demand", kDemandsMax))
    ReadItem(place, names, read, scenario, problems);
}

}  // namespace ringway::sim
