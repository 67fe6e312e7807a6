// ringway sim size SCENARIO --slo FIGURE>=NUMBER [--tier T] [--seeds N] [--service-mean D]
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/sim/run_pool.h"
#include "cli/sim/sim_commands.h"
#include "cli/text_table.h"
#include "core/json.h"
#include "sim/study/parameters.h"
#include "sim/study/sizing.h"

namespace ringway::cli {
namespace {

struct SizeOptions {
  std::string scenario;
  std::vector<std::string> slo;
  std::vector<std::string> settings;
  std::string tier;
  double service_mean_s = 0;  // 0: the file's
  double factor_max = 4;
  std::size_t seeds = 2;
  unsigned threads = 0;
};

// The scenario with so many workers in the tier's regions.
std::shared_ptr<const sim::Scenario> WithFleet(const sim::Scenario& scenario, TierId tier,
                                               const sim::FleetSize& size, std::uint64_t seed) {
  auto copy = std::make_shared<sim::Scenario>(scenario);
  auto fleet = std::make_shared<Fleet>(*scenario.fleet);
  for (std::size_t i = 0; i < size.size(); ++i) {
    fleet->tiers[tier].regions[RegionId(i)].workers = size[RegionId(i)];
  }
  copy->fleet = std::move(fleet);
  copy->seed = seed;
  return copy;
}

sim::Figures Mean(const std::vector<sim::Figures>& runs) {
  sim::Figures mean;
  for (std::size_t i = 0; i < sim::kFigures; ++i) {
    const auto figure = static_cast<sim::Figure>(i);
    for (const sim::Figures& run : runs) mean[figure] += run[figure] / static_cast<double>(runs.size());
  }
  return mean;
}

void Print(Session& session, const sim::Scenario& scenario, const sim::FleetSize& now,
           const sim::SizingResult& result) {
  const auto& regions = scenario.fleet->world.regions;
  int before = 0, after = 0;
  TextTable table({{"REGION"}, {"NOW", Align::kRight}, {"ENOUGH", Align::kRight}});
  JsonWriter json;
  json.BeginObject().Key("met").Flag(result.met).Key("complete").Flag(result.complete);
  json.Key("judgements").Integer(result.judgements).Key("workers").BeginObject();
  for (std::size_t i = 0; i < now.size(); ++i) {
    const RegionId region(i);
    table.Add({regions[region].name, absl::StrFormat("%d", now[region]),
               absl::StrFormat("%d", result.workers[region])});
    json.Key(regions[region].name).Integer(result.workers[region]);
    before += now[region];
    after += result.workers[region];
  }
  json.End().End();
  table.Add({"all", absl::StrFormat("%d", before), absl::StrFormat("%d", after)});
  if (session.json) {
    session.out << json.text() << "\n";
  } else {
    session.out << table.Render(session.colour) << "\n"
                << (result.met ? "meets the objective" : "even this fleet does not meet the objective")
                << " (" << result.judgements << " fleets tried)\n";
  }
}

int Size(Session& session, const SizeOptions& options) {
  absl::StatusOr<sim::Scenario> scenario = LoadWithSettings(options.scenario, options.settings);
  if (!scenario.ok()) return Fail(session, scenario.status());
  std::optional<TierId> tier = TierId(0);
  if (!options.tier.empty()) tier = scenario->fleet->FindTier(options.tier);
  if (!tier) return Fail(session, absl::NotFoundError("no tier is called " + options.tier));
  if (options.service_mean_s > 0) {
    const double factor = options.service_mean_s / sim::MeanServiceS(scenario->service[*tier].law);
    if (absl::Status s = sim::SetParameter("service", factor, *scenario); !s.ok()) return Fail(session, s);
  }
  std::vector<sim::Objective> objectives;
  for (const std::string& text : options.slo) {
    const auto objective = sim::ParseObjective(text);
    if (!objective.ok()) {
      return Fail(session, absl::InvalidArgumentError(absl::StrCat("--slo: ", objective.status().message())));
    }
    objectives.push_back(*objective);
  }
  sim::FleetSize now;
  for (const TierRegion& region : scenario->fleet->tiers[*tier].regions) now.push_back(region.workers);
  const Interruption interruption;
  const sim::Judge judge = [&](const sim::FleetSize& fleet) -> std::optional<bool> {
    std::vector<sim::Figures> runs(options.seeds);
    const bool whole = RunAll(
        options.seeds, ThreadsFor(options.threads),
        [&](std::size_t i) { return WithFleet(*scenario, *tier, fleet, i + 1); },
        [&](std::size_t i, const sim::Figures& figures) { runs[i] = figures; });
    if (!whole) return std::nullopt;
    const sim::Figures mean = Mean(runs);
    return std::all_of(objectives.begin(), objectives.end(),
                       [&](const sim::Objective& o) { return o.Met(mean); });
  };
  const sim::SizingResult result = sim::FewestWorkers(now, options.factor_max, judge);
  if (!result.complete && result.met) session.err << "interrupted: fewer workers may do\n";
  Print(session, *scenario, now, result);
  return result.met ? kExitOk : kExitNo;
}

}  // namespace

void AddSimSize(CLI::App& sim, Session& session) {
  CLI::App* size = sim.add_subcommand("size", "the fewest workers of each region that meet an objective");
  const auto options = std::make_shared<SizeOptions>();
  size->add_option("SCENARIO", options->scenario, "scenario file")->required();
  size->add_option("--slo", options->slo, "FIGURE>=NUMBER or FIGURE<=NUMBER, may be repeated")
      ->required()
      ->allow_extra_args(false);
  size->add_option("--set", options->settings, "NAME=VALUE, may be repeated")->allow_extra_args(false);
  size->add_option("--tier", options->tier, "whose workers; needed if there are several");
  size->add_option("--service-mean", options->service_mean_s,
                   "seconds that `ringway engine bench` or a live worker measured")
      ->check(CLI::Range(0.001, 1e5));
  size->add_option("--factor-max", options->factor_max, "try at most so many times today's workers")
      ->check(CLI::Range(1.0, 1000.0));
  size->add_option("--seeds", options->seeds, "runs behind every judgement")->check(CLI::Range(1, 1000));
  size->add_option("--threads", options->threads, "default: all cores")->check(CLI::Range(1, 1024));
  size->callback(
      [&session, options] { session.run = [&session, options] { return Size(session, *options); }; });
}

}  // namespace ringway::cli
