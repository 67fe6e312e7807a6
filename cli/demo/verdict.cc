#include "cli/demo/verdict.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/fleet_view.h"
#include "cli/text_table.h"

namespace ringway::demo {
namespace {

using cli::Align;
using cli::Cell;
using cli::Percent;
using cli::Style;

constexpr double kSuccessMin = 0.99;
constexpr double kHotSuccessMin = 0.98;  // the hot region is overloaded until its table has moved
constexpr double kSpikeSuccessMin = 0.98;
constexpr double kProbesSuccessMin = 0.95;
constexpr double kCalmHomeMin = 0.9;
constexpr double kShareTolerance = 0.12;  // about three standard errors of the jobs in the window
constexpr double kSpreadRttMin = 0.7;     // of what the table says, once the pins have arrived
constexpr double kPinsArriveS = 3;  // after the phase that spreads began; until then the old table stands
constexpr double kOffersMax = 16;   // by probes; without delay and backoff it is a multiple of this
constexpr double kLedgerOffersMax = 1.6;

Check AtLeast(std::string name, double measured, double bound) {
  return {measured >= bound, std::move(name), Percent(measured), absl::StrCat("at least ", Percent(bound))};
}

Check AtMost(std::string name, double measured, double bound) {
  return {measured <= bound, std::move(name), absl::StrFormat("%.2f", measured),
          absl::StrFormat("at most %.2f", bound)};
}

// Mean round trip, in ms, of jobs that are spread over the world by workers; what staying home would not pay.
double SpreadRttMs(const Fleet& fleet, const Script& script) {
  const Tier& tier = fleet.tiers[script.tier];
  double workers = 0, demand = 0, sum = 0;
  for (const TierRegion& region : tier.regions) workers += region.workers;
  for (std::size_t a = 0; a < fleet.world.regions.size(); ++a) {
    const double rps = script.base_rps[RegionId(a)];
    demand += rps;
    for (std::size_t b = 0; b < fleet.world.regions.size(); ++b) {
      if (a != b)
        sum +=
            rps * tier.regions[RegionId(b)].workers / workers * fleet.world.rtt.ms(RegionId(a), RegionId(b));
    }
  }
  return sum / demand;
}

// The part of the jobs that such a spread leaves where they are.
double SpreadHomeShare(const Fleet& fleet, const Script& script) {
  const Tier& tier = fleet.tiers[script.tier];
  double workers = 0, demand = 0, sum = 0;
  for (const TierRegion& region : tier.regions) workers += region.workers;
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    demand += script.base_rps[RegionId(i)];
    sum += script.base_rps[RegionId(i)] * tier.regions[RegionId(i)].workers / workers;
  }
  return sum / demand;
}

// The share of a phase that spreads in which the table before it may still stand: none, if that one spread
// too.
double EarlyShare(const Script& script, std::size_t i) {
  if (i > 0 && script.phases[i - 1].global) return 0;
  return std::min(1.0, kPinsArriveS / script.phases[i].length_s);
}

void JudgePhase(const Fleet& fleet, const Script& script, const Tally& tally, std::size_t i,
                std::vector<Check>& checks) {
  const Phase& phase = script.phases[i];
  if (phase.kind == PhaseKind::kPlayed) return;
  const JobSums& sums = tally.phase(i);
  double success_min = kSuccessMin;
  if (phase.kind == PhaseKind::kHot) success_min = kHotSuccessMin;
  if (phase.kind == PhaseKind::kSpike) success_min = kSpikeSuccessMin;
  if (phase.kind == PhaseKind::kProbes) success_min = kProbesSuccessMin;
  checks.push_back(AtLeast(phase.name + ": success", sums.success(), success_min));
  if (phase.kind == PhaseKind::kSpike || phase.kind == PhaseKind::kProbes) {
    const bool ledger = phase.dispatch == DispatchMode::kLedger;
    checks.push_back(
        AtMost(phase.name + ": offers a job", sums.offers_per_job(), ledger ? kLedgerOffersMax : kOffersMax));
  }
  if (phase.global) {
    const double early = EarlyShare(script, i);
    const double home = SpreadHomeShare(fleet, script);
    const double home_max = std::min(1.0, home + (1 - home) * early + kShareTolerance);
    const double home_min = std::max(0.0, home - kShareTolerance);
    checks.push_back(
        {sums.home_share() >= home_min && sums.home_share() <= home_max, phase.name + ": served home",
         Percent(sums.home_share()),
         absl::StrCat(Percent(home_min), " to ", Percent(home_max), ", the table says ", Percent(home))});
    const double spread_ms = SpreadRttMs(fleet, script);
    const double spread_min_ms = kSpreadRttMin * (1 - early) * spread_ms;
    checks.push_back({sums.network_ms_mean() >= spread_min_ms, phase.name + ": mean round trip",
                      absl::StrFormat("%.0f ms", sums.network_ms_mean()),
                      absl::StrFormat("at least %.0f ms, the table says %.0f", spread_min_ms, spread_ms)});
  } else if (phase.kind == PhaseKind::kCalm) {
    // By how much chance alone may move the share of so many jobs: three standard errors.
    const double error =
        std::sqrt(kCalmHomeMin * (1 - kCalmHomeMin) / std::max(1.0, static_cast<double>(sums.done)));
    checks.push_back(AtLeast(phase.name + ": served home", sums.home_share(), kCalmHomeMin - 3 * error));
  }
}

std::string ComparisonText(const Script& script, const Tally& tally) {
  std::size_t calm = script.phases.size(), global = script.phases.size();
  for (std::size_t i = 0; i < script.phases.size(); ++i) {
    if (script.phases[i].kind == PhaseKind::kCalm && !script.phases[i].global) calm = i;
    if (script.phases[i].kind == PhaseKind::kGlobal) global = i;
  }
  if (calm == script.phases.size() || global == script.phases.size()) return "";
  const JobSums& home = tally.phase(calm);
  const JobSums& spread = tally.phase(global);
  return absl::StrFormat(
      "Routing everywhere against staying home, same traffic: %s instead of %s served home,\n"
      "round trip %.0f ms instead of %.0f ms on average, p50 %+.0f ms, p99 %+.0f ms.\n",
      Percent(spread.home_share()), Percent(home.home_share()), spread.network_ms_mean(),
      home.network_ms_mean(), 1000 * (spread.latency_s.Quantile(0.5) - home.latency_s.Quantile(0.5)),
      1000 * (spread.latency_s.Quantile(0.99) - home.latency_s.Quantile(0.99)));
}

// The same spike by ledger and by probes.
std::string DispatchText(const Script& script, const Tally& tally) {
  std::string text;
  for (std::size_t i = 0; i < script.phases.size(); ++i) {
    const Phase& phase = script.phases[i];
    const bool probes = phase.kind == PhaseKind::kProbes;
    if (!probes && (phase.kind != PhaseKind::kSpike || phase.dispatch != DispatchMode::kLedger)) continue;
    const JobSums& sums = tally.phase(i);
    absl::StrAppendFormat(
        &text, "The spike by %s: %.2f offers a job, wait p50 %.0f ms, p99 %.0f ms, success %s.\n",
        probes ? "probes" : "ledger", sums.offers_per_job(), 1000 * sums.wait_s.Quantile(0.5),
        1000 * sums.wait_s.Quantile(0.99), Percent(sums.success()));
  }
  return text;
}

std::string FailureText(const JobSums& sums) {
  std::string text;
  for (const auto& [outcome, count] : sums.outcomes) {
    if (outcome != "done") absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", outcome);
  }
  return text.empty() ? "-" : text;
}

const char* DispatchName(const Phase& phase) {
  return phase.dispatch == DispatchMode::kLedger ? "ledger" : "probe";
}

cli::TextTable PhaseTable(const Script& script, const Tally& tally) {
  const Align right = Align::kRight;
  cli::TextTable table({{"PHASE"},
                        {"ROUTING"},
                        {"DISPATCH"},
                        {"JOBS", right},
                        {"SUCCESS", right},
                        {"NOT DONE"},
                        {"SERVED HOME", right},
                        {"SPILLED", right},
                        {"ROUND TRIP", right},
                        {"P50", right},
                        {"P99", right},
                        {"OFFERS/JOB", right}});
  for (std::size_t i = 0; i < script.phases.size(); ++i) {
    const Phase& phase = script.phases[i];
    const JobSums& sums = tally.phase(i);
    table.Add({phase.name, phase.global ? "everywhere" : "ringway", DispatchName(phase),
               absl::StrCat(sums.jobs), Percent(sums.success()), FailureText(sums),
               Percent(sums.home_share()), Percent(sums.spilled_share()),
               absl::StrFormat("%.0f ms", sums.network_ms_mean()),
               absl::StrFormat("%.2f s", sums.latency_s.Quantile(0.5)),
               absl::StrFormat("%.2f s", sums.latency_s.Quantile(0.99)),
               absl::StrFormat("%.1f", sums.offers_per_job())});
  }
  return table;
}

void WriteSums(const JobSums& sums, JsonWriter& json) {
  json.Key("jobs").Integer(static_cast<std::int64_t>(sums.jobs));
  json.Key("success_share").Number(sums.success());
  json.Key("home_share").Number(sums.home_share());
  json.Key("spilled_share").Number(sums.spilled_share());
  json.Key("round_trip_ms_mean").Number(sums.network_ms_mean());
  json.Key("latency_p50_s").Number(sums.latency_s.Quantile(0.5));
  json.Key("latency_p99_s").Number(sums.latency_s.Quantile(0.99));
  json.Key("offers_per_job").Number(sums.offers_per_job());
  json.Key("wait_p50_s").Number(sums.wait_s.Quantile(0.5));
  json.Key("wait_p99_s").Number(sums.wait_s.Quantile(0.99));
}

bool OnHints(const DispatchSpec& dispatch) {
  return dispatch.mode == DispatchMode::kLedger && dispatch.spill.idle_hints;
}

}  // namespace

std::vector<Check> Judge(const Fleet& fleet, const Script& script, const Tally& tally,
                         const SettledPlan& plan) {
  std::vector<Check> checks;
  for (std::size_t i = 0; i < script.phases.size(); ++i) JudgePhase(fleet, script, tally, i, checks);
  // With hints a job spills for each idle worker elsewhere. Without them each router earns its spills by the
  // jobs that enter there, so this bound is exact.
  const DispatchSpec& dispatch = fleet.tiers[script.tier].dispatch;
  const double spilled = tally.all().spilled_share();
  if (!OnHints(dispatch)) {
    checks.push_back({spilled <= dispatch.spill.share, "all: spilled beneath the table", Percent(spilled),
                      absl::StrCat("at most ", Percent(dispatch.spill.share))});
  }
  const bool planned = std::any_of(script.phases.begin(), script.phases.end(), [](const Phase& phase) {
    return phase.kind == PhaseKind::kHot && !phase.global;
  });
  if (!planned) return checks;
  const double away = tally.AwayShare(script.hot, plan.from_s, plan.to_s);
  const std::string& hot = fleet.world.regions[script.hot].name;
  // On hints most of it spills, to wherever a worker is idle, and the table's own share is the smaller part.
  const double left = OnHints(dispatch) ? tally.AwayOrSpilledShare(script.hot, plan.from_s, plan.to_s) : away;
  checks.push_back(AtLeast("hot: " + hot + " sends away", left, 0.2));
  // On hints the table's share goes where a worker is idle, so less may go than it says; without, as much as
  // it says.
  const double beyond = away - plan.away_share();
  checks.push_back({OnHints(dispatch) ? beyond <= kShareTolerance : std::abs(beyond) <= kShareTolerance,
                    "hot: the table is followed", Percent(away) + " away",
                    absl::StrCat(Percent(plan.away_share()), " planned, ",
                                 OnHints(dispatch) ? "at most " : "give or take ", Percent(kShareTolerance),
                                 OnHints(dispatch) ? " more" : "")});
  return checks;
}

bool AllOk(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.ok; });
}

std::string SummaryText(const Fleet& fleet, const Script& script, const Tally& tally,
                        const std::vector<Check>& checks, bool colour) {
  std::string text = absl::StrCat(PhaseTable(script, tally).Render(colour), "\n", DispatchText(script, tally),
                                  ComparisonText(script, tally));
  const JobSums all = tally.all();
  absl::StrAppendFormat(&text, "%d jobs in %d regions, success %s, %.2f offers a job.\n\n", all.jobs,
                        fleet.world.regions.size(), Percent(all.success()), all.offers_per_job());
  cli::TextTable table({{""}, {"CHECK"}, {"MEASURED", Align::kRight}, {"BOUND"}});
  for (const Check& check : checks) {
    table.Add({Cell(check.ok ? "ok" : "short", check.ok ? Style::kGood : Style::kBad), check.name,
               check.measured, check.bound});
  }
  return absl::StrCat(text, table.Render(colour));
}

void WriteSummaryJson(const Script& script, const Tally& tally, const std::vector<Check>& checks,
                      JsonWriter& json) {
  json.BeginObject();
  json.Key("phases").BeginArray();
  for (std::size_t i = 0; i < script.phases.size(); ++i) {
    const JobSums& sums = tally.phase(i);
    json.BeginObject();
    json.Key("phase").Text(script.phases[i].name);
    json.Key("routing").Text(script.phases[i].global ? "everywhere" : "ringway");
    json.Key("dispatch").Text(DispatchName(script.phases[i]));
    WriteSums(sums, json);
    json.End();
  }
  json.End();
  JobSums measured;  // without warm-ups
  for (std::size_t i = 0; i < script.phases.size(); ++i) {
    if (script.phases[i].measured) measured.Merge(tally.phase(i));
  }
  json.Key("measured").BeginObject();
  WriteSums(measured, json);
  json.End();
  json.Key("checks").BeginArray();
  for (const Check& check : checks) {
    json.BeginObject();
    json.Key("ok").Flag(check.ok);
    json.Key("name").Text(check.name);
    json.Key("measured").Text(check.measured);
    json.Key("bound").Text(check.bound);
    json.End();
  }
  json.End();
  json.Key("ok").Flag(AllOk(checks));
  json.End();
}

}  // namespace ringway::demo
