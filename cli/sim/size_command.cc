// ringway sim size SCENARIO --slo FIGURE>=NUMBER [--tier T] [--seeds N] [--keep SHARE] [--service-mean D]
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/sim/price_options.h"
#include "cli/sim/run_pool.h"
#include "cli/sim/sim_commands.h"
#include "cli/sim/size_runs.h"
#include "cli/text_table.h"
#include "core/json.h"
#include "sim/study/days.h"
#include "sim/study/parameters.h"
#include "sim/study/size_plot.h"
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
  double keep = 0.95;
  double day_s = 86400;
  unsigned threads = 0;
  std::string plot;
  PriceOptions prices;
};

// Of these workers, without what their results cost on the way.
double CostPerHour(const sim::FleetSize& fleet, const sim::Prices& prices) {
  double cost = 0;
  for (std::size_t i = 0; i < fleet.size(); ++i) cost += fleet[RegionId(i)] * prices.gpu_hour[RegionId(i)];
  return cost;
}

std::string SamplesText(const Samples& samples, std::size_t count) {
  return absl::StrCat(count, samples.are_days() ? " recorded days" : " seeds");
}

double GrowthOf(const sim::SizingAnswer& answer, const Samples& samples) {
  return samples.are_days() ? sim::GrowthOf(samples.day_numbers(), answer.needs) : 0;
}

std::string BoundText(const sim::SizingAnswer& answer, const Samples& samples, double keep) {
  if (samples.of_one_recording()) return "that is for this recording; what other days need it cannot tell\n";
  if (!answer.bound) {
    return absl::StrFormat(
        "with 95 %% confidence at most %.0f %% of such days break it; more %s say it of fewer\n",
        100 * sim::BreakingShareMax(samples.fresh()), samples.are_days() ? "days" : "--seeds");
  }
  const sim::KeptBound& bound = *answer.bound;
  const auto [least, most] = std::minmax_element(answer.needs.begin(), answer.needs.end());
  std::string text = absl::StrFormat(
      "alone they need %d to %d workers, %.4g on average (standard deviation %.3g): with 95 %% confidence "
      "%d keep it on %.4g %% of such days (mean + %.3g deviations = %.4g)\n",
      *least, *most, bound.mean, bound.deviation,
      std::accumulate(answer.workers.begin(), answer.workers.end(), 0), 100 * keep, bound.factor,
      bound.workers);
  if (const double growth = GrowthOf(answer, samples); growth > 0) {
    absl::StrAppendFormat(
        &text,
        "the later days need more, by %.2g workers a day: what they keep growing to is in no "
        "bound; size again as they grow\n",
        growth);
  }
  return text;
}

std::string Verdict(const sim::SizingAnswer& answer, const Samples& samples, double keep) {
  const sim::SizingResult& result = answer.found;
  std::string text;
  if (!result.met) {
    text = absl::StrFormat("even this fleet does not meet the objective with each of %s",
                           SamplesText(samples, samples.searched()));
  } else if (result.confirmed) {
    text = absl::StrFormat("%d workers meet the objective with each of %s",
                           std::accumulate(result.workers.begin(), result.workers.end(), 0),
                           SamplesText(samples, samples.all()));
    if (result.added > 0) {
      absl::StrAppendFormat(&text, "; %d workers of it because %s that the search had not seen wanted them",
                            result.added, samples.are_days() ? "days" : "seeds");
    }
  } else {
    text = absl::StrFormat("meets the objective with each of the %s of the search, not confirmed with others",
                           SamplesText(samples, samples.searched()));
  }
  absl::StrAppendFormat(&text, " (%d fleets tried)\n", result.judgements);
  if (result.confirmed) text += BoundText(answer, samples, keep);
  return text;
}

void WriteJson(Session& session, const sim::Scenario& scenario, const sim::SizingAnswer& answer,
               const Samples& samples, double keep) {
  const sim::SizingResult& result = answer.found;
  JsonWriter json;
  json.BeginObject().Key("met").Flag(result.met).Key("complete").Flag(result.complete);
  json.Key("confirmed").Flag(result.confirmed);
  json.Key(samples.are_days() ? "days" : "seeds").Integer(static_cast<std::int64_t>(samples.all()));
  const bool tells = result.confirmed && !samples.of_one_recording();
  json.Key("breaking_share_max").Number(tells ? sim::BreakingShareMax(samples.fresh()) : 1);
  if (answer.bound) {
    json.Key("bound").BeginObject().Key("kept_share").Number(keep).Key("confidence").Number(0.95);
    json.Key("mean").Number(answer.bound->mean).Key("deviation").Number(answer.bound->deviation);
    json.Key("factor").Number(answer.bound->factor).Key("workers").Number(answer.bound->workers);
    json.Key("needs").BeginArray();
    for (const int need : answer.needs) json.Integer(need);
    json.End().Key("growth_per_day").Number(GrowthOf(answer, samples)).End();
  }
  json.Key("judgements").Integer(result.judgements);
  const auto write = [&](std::string_view key, const sim::FleetSize& fleet) {
    json.Key(key).BeginObject();
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      json.Key(scenario.fleet->world.regions[RegionId(i)].name).Integer(fleet[RegionId(i)]);
    }
    json.End();
  };
  write("workers", answer.workers);
  write("workers_of_samples", result.workers);
  if (scenario.prices) json.Key("gpu_cost_per_hour").Number(CostPerHour(answer.workers, *scenario.prices));
  json.End();
  session.out << json.text() << "\n";
}

void Print(Session& session, const sim::Scenario& scenario, const sim::FleetSize& now,
           const sim::SizingAnswer& answer, const Samples& samples, double keep) {
  if (session.json) return WriteJson(session, scenario, answer, samples, keep);
  int before = 0, after = 0;
  const Align right = Align::kRight;
  std::vector<Column> columns = {{"REGION"}, {"NOW", right}, {"ENOUGH", right}};
  if (scenario.prices)
    columns.insert(columns.end(), {{"GPU COST/H NOW", right}, {"GPU COST/H ENOUGH", right}});
  TextTable table(std::move(columns));
  const auto costs = [&](std::vector<Cell> cells, double cost_now, double cost_enough) {
    if (scenario.prices) {
      cells.insert(cells.end(), {absl::StrFormat("%.2f", cost_now), absl::StrFormat("%.2f", cost_enough)});
    }
    return cells;
  };
  for (std::size_t i = 0; i < now.size(); ++i) {
    const RegionId region(i);
    const double price = scenario.prices ? scenario.prices->gpu_hour[region] : 0;
    table.Add(costs({scenario.fleet->world.regions[region].name, absl::StrFormat("%d", now[region]),
                     absl::StrFormat("%d", answer.workers[region])},
                    now[region] * price, answer.workers[region] * price));
    before += now[region];
    after += answer.workers[region];
  }
  table.Add(costs({"all", absl::StrFormat("%d", before), absl::StrFormat("%d", after)},
                  scenario.prices ? CostPerHour(now, *scenario.prices) : 0,
                  scenario.prices ? CostPerHour(answer.workers, *scenario.prices) : 0));
  session.out << table.Render(session.colour) << "\n" << Verdict(answer, samples, keep);
}

void PrintWorst(Session& session, const std::vector<sim::Objective>& objectives,
                const std::vector<sim::Figures>& runs) {
  if (session.json || runs.empty()) return;
  for (const sim::Objective& objective : objectives) {
    session.out << absl::StrFormat("worst of the last %d runs: %s %.4g\n", runs.size(),
                                   std::string(sim::TextOf(objective.figure).name),
                                   sim::Worst(objective, runs));
  }
}

absl::StatusOr<std::vector<sim::Objective>> ReadObjectives(const std::vector<std::string>& texts,
                                                           bool priced) {
  std::vector<sim::Objective> objectives;
  for (const std::string& text : texts) {
    const auto objective = sim::ParseObjective(text);
    if (!objective.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--slo: ", objective.status().message()));
    }
    if (sim::IsOfMoney(objective->figure) && !priced) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--slo: found \"", text, "\" without any price; give --gpu-hour, or `prices` in the scenario"));
    }
    objectives.push_back(*objective);
  }
  return objectives;
}

// The scenario with the service time that was measured.
absl::Status SetServiceMean(double mean_s, TierId tier, sim::Scenario& scenario) {
  if (mean_s <= 0) return absl::OkStatus();
  const double said_s =
      sim::RecordedServiceMeanS(scenario, tier).value_or(sim::MeanServiceS(scenario.service[tier].law));
  return sim::SetParameter("service", mean_s / said_s, scenario);
}

int Size(Session& session, const SizeOptions& options) {
  absl::StatusOr<sim::Scenario> scenario = LoadWithSettings(options.scenario, options.settings);
  if (!scenario.ok()) return Fail(session, scenario.status());
  if (absl::Status s = SetPrices(options.prices, *scenario); !s.ok()) return Fail(session, s);
  std::optional<TierId> tier = TierId(0);
  if (!options.tier.empty()) tier = scenario->fleet->FindTier(options.tier);
  if (!tier) return Fail(session, absl::NotFoundError("no tier is called " + options.tier));
  if (absl::Status s = SetServiceMean(options.service_mean_s, *tier, *scenario); !s.ok()) {
    return Fail(session, s);
  }
  const auto objectives = ReadObjectives(options.slo, scenario->prices.has_value());
  if (!objectives.ok()) return Fail(session, objectives.status());
  if (scenario->warmup_s >= options.day_s && sim::RecordedDays(*scenario, options.day_s) > 1) {
    return Fail(session, absl::InvalidArgumentError("the scenario's warmup is longer than --day-length"));
  }
  const Samples samples(*scenario, *tier, options.seeds, options.day_s);
  sim::FleetSize now;
  for (const TierRegion& region : scenario->fleet->tiers[*tier].regions) now.push_back(region.workers);
  const Interruption interruption;
  SampleJudge judge(samples, *objectives, ThreadsFor(options.threads));
  sim::SizingAnswer answer;
  answer.found = sim::FewestWorkers(
      now, options.factor_max,
      [&](const sim::FleetSize& fleet) { return judge.Judge(fleet, 0, samples.searched()); },
      scenario->prices ? scenario->prices->gpu_hour : sim::WorkerPrices());
  sim::Confirm(answer.found, [&](const sim::FleetSize& fleet) {
    return judge.Judge(fleet, samples.searched(), samples.fresh());
  });
  const bool bounded = sim::EnlargeForOtherDays(
      answer,
      {.all = samples.all(), .fresh = samples.fresh(), .keep = samples.of_one_recording() ? 0 : options.keep},
      [&](const std::vector<sim::Trial>& trials) { return judge.JudgeEach(trials); });
  if (answer.found.met && (!answer.found.complete || !bounded)) {
    session.err << (bounded ? "interrupted: fewer workers may do\n"
                            : "interrupted: how many other days need is not known\n");
  }
  Print(session, *scenario, now, answer, samples, options.keep);
  if (answer.found.confirmed) PrintWorst(session, *objectives, judge.runs());
  const bool drawn = WriteTo(session, options.plot,
                             options.plot.empty() ? "" : sim::SizePlot(*objectives, judge.tried(), answer));
  return answer.found.met && drawn ? kExitOk : kExitNo;
}

}  // namespace

void AddSimSize(flags::Command sim, Session& session) {
  flags::Command size = sim.Subcommand("size", "the fewest workers of each region that meet an objective");
  const auto options = std::make_shared<SizeOptions>();
  size.Add("SCENARIO", options->scenario, "scenario file").Required();
  size.Add("--slo", options->slo, "FIGURE>=NUMBER or FIGURE<=NUMBER, may be repeated").Required().OneEach();
  size.Add("--set", options->settings, "NAME=VALUE, may be repeated").OneEach();
  size.Add("--tier", options->tier, "whose workers; needed if there are several");
  size.Add("--service-mean", options->service_mean_s,
           "seconds that `ringway engine bench` or a live worker measured")
      .In(0.001, 1e5);
  size.Add("--factor-max", options->factor_max, "try at most so many times today's workers").In(1.0, 1000.0);
  size.Add("--seeds", options->seeds,
           "runs behind every judgement, each of which must meet the objective; default: 5")
      .In(1, 1000);
  size.Add("--keep", options->keep,
           "share of all days that the answer is for, with 95 % confidence; 0: only of the runs that "
           "were made; default: 0.95")
      .ZeroOrIn(0.5, 0.999);
  size.Add("--day-length", options->day_s,
           "seconds; where the demand is as recorded for two of these or more, each is a run")
      .In(1.0, 3.2e7);
  size.Add("--threads", options->threads, "default: all cores").In(1, 1024);
  size.Add("--plot", options->plot, "write an SVG: how the fleets that were tried did, by their size");
  AddPriceOptions(size, options->prices);
  size.OnChosen(
      [&session, options] { session.run = [&session, options] { return Size(session, *options); }; });
}

}  // namespace ringway::cli
