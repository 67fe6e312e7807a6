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
  std::size_t seeds = 5;
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

// Runs fleets with seeds and remembers how the last one did.
class SeedJudge {
 public:
  SeedJudge(const sim::Scenario& scenario, TierId tier, const std::vector<sim::Objective>& objectives,
            unsigned threads)
      : scenario_(scenario), tier_(tier), objectives_(objectives), threads_(threads) {}

  // Whether the fleet meets all objectives with each of the seeds first .. first + count - 1. A seed that
  // does not ends it: no further one can change the verdict. No value: interrupted.
  std::optional<bool> Judge(const sim::FleetSize& fleet, std::size_t first, std::size_t count) {
    runs_.clear();
    while (runs_.size() < count) {
      const std::size_t done = runs_.size();
      const std::size_t wave = std::min<std::size_t>(threads_, count - done);
      runs_.resize(done + wave);
      const bool whole = RunAll(
          wave, threads_, [&](std::size_t i) { return WithFleet(scenario_, tier_, fleet, first + done + i); },
          [&](std::size_t i, const sim::Figures& figures) { runs_[done + i] = figures; });
      if (!whole) return std::nullopt;
      if (!std::all_of(runs_.begin() + static_cast<std::ptrdiff_t>(done), runs_.end(),
                       [&](const sim::Figures& run) { return sim::MeetsAll(objectives_, run); })) {
        return false;
      }
    }
    return true;
  }
  const std::vector<sim::Figures>& runs() const { return runs_; }

 private:
  const sim::Scenario& scenario_;
  const TierId tier_;
  const std::vector<sim::Objective>& objectives_;
  const unsigned threads_;
  std::vector<sim::Figures> runs_;
};

std::string Verdict(const sim::SizingResult& result, std::size_t seeds) {
  std::string text;
  if (!result.met) {
    text = absl::StrFormat("even this fleet does not meet the objective with each of %d seeds", seeds);
  } else if (result.confirmed) {
    text = absl::StrFormat("meets the objective with each of %d seeds", 2 * seeds);
    if (result.added > 0) {
      absl::StrAppendFormat(
          &text, "; %d workers of it because seeds that the search had not seen wanted them", result.added);
    }
  } else {
    text = absl::StrFormat(
        "meets the objective with each of the %d seeds of the search, not confirmed with others", seeds);
  }
  absl::StrAppendFormat(&text, " (%d fleets tried)\n", result.judgements);
  if (result.confirmed) {
    absl::StrAppendFormat(
        &text, "with 95 %% confidence at most %.0f %% of such days break it; more --seeds say it of fewer\n",
        100 * sim::BreakingShareMax(seeds));
  }
  return text;
}

void WriteJson(Session& session, const sim::Scenario& scenario, const sim::SizingResult& result,
               std::size_t seeds) {
  JsonWriter json;
  json.BeginObject().Key("met").Flag(result.met).Key("complete").Flag(result.complete);
  json.Key("confirmed").Flag(result.confirmed).Key("seeds").Integer(static_cast<std::int64_t>(seeds));
  json.Key("breaking_share_max").Number(result.confirmed ? sim::BreakingShareMax(seeds) : 1);
  json.Key("judgements").Integer(result.judgements).Key("workers").BeginObject();
  for (std::size_t i = 0; i < result.workers.size(); ++i) {
    json.Key(scenario.fleet->world.regions[RegionId(i)].name).Integer(result.workers[RegionId(i)]);
  }
  json.End().End();
  session.out << json.text() << "\n";
}

void Print(Session& session, const sim::Scenario& scenario, const sim::FleetSize& now,
           const sim::SizingResult& result, std::size_t seeds) {
  if (session.json) return WriteJson(session, scenario, result, seeds);
  int before = 0, after = 0;
  TextTable table({{"REGION"}, {"NOW", Align::kRight}, {"ENOUGH", Align::kRight}});
  for (std::size_t i = 0; i < now.size(); ++i) {
    const RegionId region(i);
    table.Add({scenario.fleet->world.regions[region].name, absl::StrFormat("%d", now[region]),
               absl::StrFormat("%d", result.workers[region])});
    before += now[region];
    after += result.workers[region];
  }
  table.Add({"all", absl::StrFormat("%d", before), absl::StrFormat("%d", after)});
  session.out << table.Render(session.colour) << "\n" << Verdict(result, seeds);
}

void PrintWorst(Session& session, const std::vector<sim::Objective>& objectives,
                const std::vector<sim::Figures>& runs) {
  if (session.json || runs.empty()) return;
  for (const sim::Objective& objective : objectives) {
    session.out << absl::StrFormat("worst of the last %d seeds: %s %.4g\n", runs.size(),
                                   std::string(sim::TextOf(objective.figure).name),
                                   sim::Worst(objective, runs));
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
  SeedJudge judge(*scenario, *tier, objectives, ThreadsFor(options.threads));
  sim::SizingResult result = sim::FewestWorkers(now, options.factor_max, [&](const sim::FleetSize& fleet) {
    return judge.Judge(fleet, 1, options.seeds);
  });
  sim::Confirm(result, [&](const sim::FleetSize& fleet) {
    return judge.Judge(fleet, options.seeds + 1, options.seeds);
  });
  if (!result.complete && result.met) session.err << "interrupted: fewer workers may do\n";
  Print(session, *scenario, now, result, options.seeds);
  if (result.confirmed) PrintWorst(session, objectives, judge.runs());
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
  size->add_option("--seeds", options->seeds,
                   "runs behind every judgement, each of which must meet the objective; default: 5")
      ->check(CLI::Range(1, 1000));
  size->add_option("--threads", options->threads, "default: all cores")->check(CLI::Range(1, 1024));
  size->callback(
      [&session, options] { session.run = [&session, options] { return Size(session, *options); }; });
}

}  // namespace ringway::cli
