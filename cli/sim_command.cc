// ringway sim run SCENARIO [--seed N] [--duration D] [--series]
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/commands.h"
#include "cli/fleet_view.h"
#include "cli/json.h"
#include "cli/text_table.h"
#include "runtime/clock.h"
#include "sim/files/scenario_file.h"
#include "sim/simulation.h"

namespace ringway::cli {
namespace {

struct SimOptions {
  std::string scenario;
  std::uint64_t seed = 0;  // 0: the file's
  double duration_s = 0;   // 0: the file's
  bool series = false;
};

// Set by Ctrl-C: the run stops at the next virtual second and still reports.
volatile std::sig_atomic_t interrupted = 0;

class StopOnInterrupt {
 public:
  StopOnInterrupt() : before_(std::signal(SIGINT, [](int) { interrupted = 1; })) { interrupted = 0; }
  ~StopOnInterrupt() { std::signal(SIGINT, before_); }

 private:
  void (*before_)(int);
};

double Share(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

int WorkersIn(const Fleet& fleet, RegionId region) {
  int workers = 0;
  for (const Tier& tier : fleet.tiers) workers += tier.regions[region].workers;
  return workers;
}

// Mean busy workers of a region after the warm-up.
double MeanBusy(const sim::Simulation& run, std::size_t region) {
  const auto& seconds = run.tally().seconds();
  const auto first = static_cast<std::size_t>(run.scenario().warmup_s);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = first; i + 1 < seconds.size(); ++i, ++count) sum += seconds[i].regions[region].busy;
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

TextTable RegionTable(const sim::Simulation& run) {
  const Fleet& fleet = *run.scenario().fleet;
  const Align right = Align::kRight;
  TextTable table({{"REGION"},
                   {"WORKERS", right},
                   {"BUSY", right},
                   {"USERS' JOBS", right},
                   {"AT HOME", right},
                   {"SERVED FOR OTHERS", right}});
  const auto& flows = run.tally().flows();
  for (std::size_t r = 0; r < flows.size(); ++r) {
    std::uint64_t own = 0, imported = 0;
    for (std::size_t other = 0; other < flows.size(); ++other) {
      own += flows[r][other];
      if (other != r) imported += flows[other][r];
    }
    const int workers = WorkersIn(fleet, RegionId(r));
    table.Add({fleet.world.regions[RegionId(r)].name, absl::StrFormat("%d", workers),
               Percent(workers > 0 ? MeanBusy(run, r) / workers : 0), absl::StrFormat("%d", own),
               Percent(Share(flows[r][r], own)), absl::StrFormat("%d", imported)});
  }
  return table;
}

std::string Summary(const sim::Simulation& run, double wall_s) {
  const sim::Totals& t = run.tally().totals();
  const auto of = [&t](Outcome outcome) { return t.ended[static_cast<std::size_t>(outcome)]; };
  std::string text;
  absl::StrAppendFormat(&text, "jobs submitted   %d (%d users)\n", t.submitted, t.first);
  absl::StrAppendFormat(&text, "served           %s, %s of them at home\n",
                        Percent(Share(t.served(), t.ended_all())),
                        Percent(Share(t.served_at_home, t.served())));
  absl::StrAppendFormat(&text, "not served       %d shed, %d too late, %d failed, %d cancelled\n",
                        of(Outcome::kShed), of(Outcome::kTimeout), of(Outcome::kFailed),
                        of(Outcome::kCancelled));
  absl::StrAppendFormat(&text, "wait             mean %.3f s, p50 %.3f s, p99 %.3f s\n", t.wait.mean(),
                        t.wait.Quantile(0.5), t.wait.Quantile(0.99));
  absl::StrAppendFormat(&text, "latency          p50 %.3f s, p99 %.3f s\n", t.latency.Quantile(0.5),
                        t.latency.Quantile(0.99));
  absl::StrAppendFormat(&text, "offers a job     %.2f\n", Share(t.offers, t.served()));
  absl::StrAppendFormat(&text, "wasted GPU time  %s\n", Percent(t.busy_s > 0 ? t.wasted_s / t.busy_s : 0));
  absl::StrAppendFormat(&text, "simulated        %d events in %.1f s\n", run.events(), wall_s);
  return text;
}

void WriteSeries(const sim::Simulation& run, JsonWriter& json) {
  json.Key("seconds").BeginArray();
  for (const sim::SecondTally& second : run.tally().seconds()) {
    std::uint64_t submitted = 0, served = 0, unserved = 0;
    json.BeginObject().Key("busy").BeginArray();
    for (const sim::RegionSecond& region : second.regions) {
      submitted += region.submitted;
      served += region.served;
      unserved += region.unserved;
      json.Number(region.busy);
    }
    json.End();
    json.Key("submitted").Integer(static_cast<std::int64_t>(submitted));
    json.Key("served").Integer(static_cast<std::int64_t>(served));
    json.Key("unserved").Integer(static_cast<std::int64_t>(unserved));
    json.Key("offers").Integer(second.offers);
    json.Key("wait_mean_s").Number(second.wait_mean_s);
    json.Key("latency_p99_s").Number(second.latency_p99_s);
    json.End();
  }
  json.End();
}

std::string ReportJson(const sim::Simulation& run, bool series) {
  const sim::Totals& t = run.tally().totals();
  const Fleet& fleet = *run.scenario().fleet;
  JsonWriter json;
  json.BeginObject();
  json.Key("scenario").Text(run.scenario().name);
  json.Key("seed").Integer(static_cast<std::int64_t>(run.scenario().seed));
  json.Key("complete").Flag(run.finished());
  json.Key("remarks").Texts(run.scenario().remarks);
  json.Key("submitted").Integer(static_cast<std::int64_t>(t.submitted));
  json.Key("served_share").Number(Share(t.served(), t.ended_all()));
  json.Key("home_share").Number(Share(t.served_at_home, t.served()));
  json.Key("outcomes").BeginObject();
  for (std::size_t i = 0; i < sim::kOutcomes; ++i) {
    json.Key(OutcomeName(static_cast<Outcome>(i))).Integer(static_cast<std::int64_t>(t.ended[i]));
  }
  json.End();
  json.Key("wait_mean_s").Number(t.wait.mean());
  json.Key("wait_p99_s").Number(t.wait.Quantile(0.99));
  json.Key("latency_p50_s").Number(t.latency.Quantile(0.5));
  json.Key("latency_p99_s").Number(t.latency.Quantile(0.99));
  json.Key("offers_per_served").Number(Share(t.offers, t.served()));
  json.Key("wasted_share").Number(t.busy_s > 0 ? t.wasted_s / t.busy_s : 0);
  json.Key("violations").Texts(run.checkers().violations());
  json.Key("regions").BeginArray();
  for (const Region& region : fleet.world.regions) json.Text(region.name);
  json.End();
  json.Key("flows").BeginArray();
  for (const auto& row : run.tally().flows()) {
    json.BeginArray();
    for (const std::uint64_t count : row) json.Integer(static_cast<std::int64_t>(count));
    json.End();
  }
  json.End();
  if (series) WriteSeries(run, json);
  json.End();
  return json.text();
}

int Run(Session& session, const SimOptions& options) {
  absl::StatusOr<sim::Scenario> loaded = sim::LoadScenario(options.scenario);
  if (!loaded.ok()) return Fail(session, loaded.status());
  if (options.seed != 0) loaded->seed = options.seed;
  if (options.duration_s > 0) {
    loaded->duration_s = options.duration_s;
    loaded->warmup_s = std::min(loaded->warmup_s, options.duration_s / 10);
  }
  const auto scenario = std::make_shared<const sim::Scenario>(*std::move(loaded));
  for (const std::string& remark : scenario->remarks) session.err << "remark: " << remark << "\n";
  const bool progress = isatty(STDERR_FILENO) != 0;
  const absl::Time started = runtime::MonotonicNow();
  sim::Simulation run(scenario);
  {
    const StopOnInterrupt stop;
    run.Run([&](double now_s) {
      if (progress && static_cast<long>(now_s) % 10 == 0) {
        session.err << absl::StrFormat("\r%5.1f %%", 100 * now_s / scenario->duration_s) << std::flush;
      }
      return interrupted == 0;
    });
  }
  if (progress) session.err << "\r        \r";
  if (!run.finished()) session.err << "interrupted: the report covers what was simulated so far\n";
  if (session.json) {
    session.out << ReportJson(run, options.series) << "\n";
  } else {
    session.out << RegionTable(run).Render(session.colour) << "\n"
                << Summary(run, absl::ToDoubleSeconds(runtime::MonotonicNow() - started));
  }
  for (const std::string& violation : run.checkers().violations()) {
    session.err << "VIOLATION (seed " << scenario->seed << ") " << violation << "\n";
  }
  return run.checkers().violations().empty() ? kExitOk : kExitNo;
}

}  // namespace

void AddSimCommand(CLI::App& app, Session& session) {
  CLI::App* sim = app.add_subcommand("sim", "what if: simulate a fleet with the production decisions");
  sim->require_subcommand(1);
  CLI::App* run = sim->add_subcommand("run", "simulate one scenario and report");
  const auto options = std::make_shared<SimOptions>();
  run->add_option("SCENARIO", options->scenario, "scenario file; see docs/simulating.md")->required();
  run->add_option("--seed", options->seed, "instead of the file's")->check(CLI::Range(1, 1 << 30));
  run->add_option("--duration", options->duration_s, "in virtual seconds, instead of the file's")
      ->check(CLI::Range(1.0, 3.2e7));
  run->add_flag("--series", options->series, "with --json: figures for each virtual second");
  run->callback(
      [&session, options] { session.run = [&session, options] { return Run(session, *options); }; });
}

}  // namespace ringway::cli
