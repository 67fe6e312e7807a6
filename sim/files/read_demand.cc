#include "sim/files/read_demand.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/files/read_steps.h"
#include "sim/files/read_trace.h"

namespace ringway::sim {
namespace {

constexpr double kRateMax = 1e7;
constexpr Duration kDay = Hours(24);

enum Split : std::size_t { kByPopulation, kByCapacity, kEqual };
const std::vector<std::string_view> kSplits = {"population", "capacity", "equal"};
enum Law : std::size_t { kPoisson, kGamma, kMmpp, kDayCurve, kTrace };
const std::vector<std::string_view> kLaws = {"poisson", "gamma", "mmpp", "dayCurve", "trace"};

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

double CapacityRps(const Scenario& scenario, TierId tier, std::optional<double> service_s) {
  double workers = 0;
  for (const TierRegion& region : scenario.fleet->tiers[tier].regions) workers += region.workers;
  return workers / service_s.value_or(MeanServiceS(scenario.service[tier].law));
}

// Requests per second of the whole item: given, or from a load. `service_s`: that was recorded, if any was.
double ReadRate(Mapping& m, const Scenario& scenario, TierId tier, std::optional<double> service_s,
                std::vector<std::string>& remarks) {
  const bool has_rate = m.Has("rateRps");
  const bool has_load = m.Has("load");
  const double rate = m.Number("rateRps", 0, {0, kRateMax, true});
  const double load = m.Number("load", 0, {0, 100, true});
  if (has_rate == has_load) {
    m.Report("load", "exactly one of rateRps (requests per second) and load (share of the tier's fleet)");
    return 0;
  }
  if (has_rate) return rate;
  const double capacity = CapacityRps(scenario, tier, service_s);
  remarks.push_back(absl::StrFormat("load %.4g of tier %s is %.6g requests per second: %.6g at full capacity",
                                    load, scenario.fleet->tiers[tier].name, load * capacity, capacity));
  return load * capacity;
}

ArrivalLaw ReadMmpp(Mapping& m, double rate) {
  MmppArrivals law;
  const double factor = m.Number("burstFactor", 5, {1, 1000});
  law.calm_mean_s = ToDoubleSeconds(m.Span("calmMean", Seconds(60), Milliseconds(1), kDay));
  law.burst_mean_s = ToDoubleSeconds(m.Span("burstMean", Seconds(5), Milliseconds(1), kDay));
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
  law.day_s = ToDoubleSeconds(m.Span("dayLength", kDay, Seconds(1), kDay * 10));
  law.utc_offset_minutes = region.utc_offset_minutes;
  return law;
}

struct Item {
  TierId tier;  // invalid: a trace names it
  Priority priority = 0;
  RegionSet regions = {};
  std::vector<double> shares = {};
};

// Rows that name no region, and the rate of all, as the demand says it.
Item ReadWhose(Mapping& m, TierId tier_id, const RegionNames& names, const Scenario& scenario,
               Problems& problems) {
  Item item{.tier = tier_id};
  const Tier& tier = scenario.fleet->tiers[tier_id.valid() ? tier_id : TierId(0)];
  item.priority = static_cast<Priority>(
      m.Choice("priority", 0, std::vector<std::string_view>(tier.priorities.begin(), tier.priorities.end())));
  item.regions = ReadRegions(m, "regions", names, problems);
  if (item.regions.empty()) {
    for (std::size_t i = 0; i < scenario.fleet->world.regions.size(); ++i)
      item.regions.push_back(RegionId(i));
  }
  item.shares = Shares(scenario, tier, item.regions, m.Choice("split", kByPopulation, kSplits));
  return item;
}

void RemarkCopies(double rate_rps, const TraceWindow& window, Scenario& scenario) {
  const double copies = rate_rps * window.length_s / static_cast<double>(window.trace.offsets_s.size());
  const std::string how =
      copies > 1
          ? absl::StrFormat(
                "each recorded request is sent %.3g times in all, spread over the trace's mean gap", copies)
          : absl::StrFormat("%.3g of the recorded requests are sent", copies);
  scenario.remarks.push_back(how + "; the trace starts over when it ends");
}

// What the tiers' own service times would hide: planner, routers and slots begin with those.
void RemarkService(const TraceWindow& window, TierId tier, Scenario& scenario) {
  const auto mean_s = RecordedServiceMeanS(window.trace);
  if (!mean_s || !tier.valid()) return;
  const double said_s = ToDoubleSeconds(scenario.fleet->tiers[tier].service_mean);
  scenario.remarks.push_back(absl::StrFormat(
      "recorded service times, %.4g s on average, are used as they are; tier %s says %.4g s, which the fleet "
      "begins with",
      *mean_s, scenario.fleet->tiers[tier].name, said_s));
}

void ReadTraceItem(Mapping& m, const RegionNames& names, const ReadFile& read, Scenario& scenario,
                   Problems& problems) {
  const auto window = ReadTraceWindow(m, read, scenario);
  const bool names_tier = window && !window->trace.tier.of.empty() && !m.Has("tier");
  const TierId tier = names_tier ? TierId() : ReadTierName(m, *scenario.fleet, problems);
  if (!tier.valid() && !names_tier) return;
  Item item = ReadWhose(m, tier, names, scenario, problems);
  TraceDemand demand{.tier = tier,
                     .priority = item.priority,
                     .regions = std::move(item.regions),
                     .shares = std::move(item.shares)};
  if (m.Has("rate")) {
    m.Choice("rate", 0, {"recorded"});
    for (const std::string_view key : {"rateRps", "load"}) {
      if (m.Has(key)) m.Report(key, "left out, as `rate: recorded` says how often requests come");
      m.Raw(key);
    }
  } else if (names_tier && m.Has("load")) {
    m.Report("load", "`rate: recorded` or rateRps, as the trace names its tiers");
    m.Raw("load");
  } else {
    const auto mean_s = window ? RecordedServiceMeanS(window->trace) : std::nullopt;
    demand.rate_rps = ReadRate(m, scenario, tier, mean_s, scenario.remarks);
  }
  if (window) {
    if (demand.rate_rps) RemarkCopies(*demand.rate_rps, *window, scenario);
    if (!demand.rate_rps && scenario.duration_s < window->length_s) {
      scenario.remarks.push_back(absl::StrFormat("the run ends after %.0f s of the %.0f s that were recorded",
                                                 scenario.duration_s, window->length_s));
    }
    RemarkService(*window, tier, scenario);
    const absl::Status added = AddTraceDemand(*window, demand, scenario);
    if (!added.ok()) m.Report("file", "a trace of this fleet", std::string(added.message()));
  }
  m.Finish();
}

void ReadItem(const Place& place, const RegionNames& names, const ReadFile& read, Scenario& scenario,
              Problems& problems) {
  Mapping m(place, problems);
  const std::size_t law = m.Choice("law", kPoisson, kLaws);
  if (law == kTrace) return ReadTraceItem(m, names, read, scenario, problems);
  const TierId tier = ReadTierName(m, *scenario.fleet, problems);
  if (!tier.valid()) return;
  const Item item = ReadWhose(m, tier, names, scenario, problems);
  const double rate = ReadRate(m, scenario, tier, std::nullopt, scenario.remarks);
  for (std::size_t i = 0; i < item.regions.size() && scenario.demand.size() < kDemandsMax; ++i) {
    const double own = rate * item.shares[i];
    if (own <= 0) continue;
    DemandSpec demand{
        .tier = tier, .region = item.regions[i], .priority = item.priority, .law = PoissonArrivals{own}};
    if (law == kGamma) demand.law = GammaArrivals{.rate_rps = own, .cv = m.Number("cv", 2, {0.1, 10})};
    if (law == kMmpp) demand.law = ReadMmpp(m, own);
    if (law == kDayCurve) demand.law = ReadDayCurve(m, own, scenario.fleet->world.regions[item.regions[i]]);
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
