// ringway sim run SCENARIO [--seed N] [--duration D] [--set NAME=VALUE] [--page FILE] [--csv FILE] [--slices
// N] [--journals DIR]
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/sim/price_options.h"
#include "cli/sim/run_pool.h"
#include "cli/sim/sim_commands.h"
#include "cli/sim/slice_runs.h"
#include "runtime/huge_pages.h"
#include "sim/files/scenario_file.h"
#include "sim/journals/journals.h"
#include "sim/report/page.h"
#include "sim/study/parameters.h"
#include "sim/study/slice_merge.h"
#include "sim/study/slice_plan.h"

namespace ringway::cli {
namespace {

struct RunOptions {
  std::string scenario;
  std::uint64_t seed = 0;  // 0: the file's
  double duration_s = 0;   // 0: the file's
  std::vector<std::string> settings;
  std::string page;
  std::string csv;
  std::size_t slices = 1;
  std::optional<double> slice_warmup_s;
  unsigned threads = 0;
  PriceOptions prices;
  sim::JournalSpec journals;  // no folder: none
  double journal_mib = 64;
};

int Tell(Session& session, const RunOptions& options, const sim::RunReport& report) {
  if (!report.complete) session.err << "interrupted: the report covers what was simulated so far\n";
  const std::string json = sim::ReportJson(report);
  session.out << (session.json ? json + "\n" : ReportText(report, session.colour));
  bool written = WriteTo(session, options.page, options.page.empty() ? "" : sim::Page({json}, ""));
  written = WriteTo(session, options.csv, options.csv.empty() ? "" : sim::SeriesCsv(report)) && written;
  for (const std::string& violation : report.violations) {
    session.err << "VIOLATION (seed " << report.seed << ", ringway " << RINGWAY_VERSION << ") " << violation
                << "\n";
  }
  return report.violations.empty() && written ? kExitOk : kExitNo;
}

int RunSlices(Session& session, const RunOptions& options,
              const std::shared_ptr<const sim::Scenario>& scenario) {
  const absl::StatusOr<sim::SlicePlan> plan =
      sim::PlanSlices(*scenario, options.slices, options.slice_warmup_s);
  if (!plan.ok()) return Fail(session, plan.status());
  std::vector<sim::SlicePlayed> played = PlaySlices(scenario, *plan, ThreadsFor(options.threads));
  if (played.empty()) {
    session.err << "interrupted: no slice was over, so there is nothing to report\n";
    return kExitNo;
  }
  const sim::SlicedRun run = sim::MergeSlices(*plan, std::move(played));
  // The scenario's own have been told.
  for (std::size_t i = scenario->remarks.size(); i < run.report.remarks.size(); ++i) {
    session.err << "remark: " << run.report.remarks[i] << "\n";
  }
  const int code = Tell(session, options, run.report);
  return run.seams.within() ? code : kExitNo;
}

void TellJournals(Session& session, const sim::Journals& journals, const std::string& directory) {
  const std::vector<sim::Journals::Recorded> programs = journals.Programs();
  std::uint64_t lives = 0, events = 0;
  for (const sim::Journals::Recorded& program : programs) {
    lives += program.lives;
    events += program.events;
  }
  session.err << absl::StrFormat("written: %s, %d journals of %d lives with %d events", directory,
                                 programs.size(), lives, events);
  if (!programs.empty()) session.err << "; one is for: ringway sim replay " << programs.front().journal;
  session.err << "\n";
}

int RunRecorded(Session& session, const RunOptions& options,
                const std::shared_ptr<const sim::Scenario>& scenario) {
  sim::JournalSpec spec = options.journals;
  spec.bytes_max = static_cast<std::uint64_t>(options.journal_mib * (1 << 20));
  const auto journals = sim::Journals::Open(spec, *scenario);
  if (!journals.ok()) return Fail(session, journals.status());
  const int code = Tell(session, options, RunOnce(session, scenario, journals->get()));
  const absl::Status closed = (*journals)->Close();
  TellJournals(session, **journals, spec.directory);
  return closed.ok() ? code : Fail(session, closed);
}

int Run(Session& session, const RunOptions& options) {
  absl::StatusOr<sim::Scenario> loaded = LoadWithSettings(options.scenario, options.settings);
  if (!loaded.ok()) return Fail(session, loaded.status());
  if (absl::Status s = SetPrices(options.prices, *loaded); !s.ok()) return Fail(session, s);
  if (options.seed != 0) loaded->seed = options.seed;
  if (options.duration_s > 0) {
    loaded->duration_s = options.duration_s;
    loaded->warmup_s = std::min(loaded->warmup_s, options.duration_s / 10);
  }
  const auto scenario = std::make_shared<const sim::Scenario>(*std::move(loaded));
  for (const std::string& remark : scenario->remarks) session.err << "remark: " << remark << "\n";
  if (options.slices > 1) return RunSlices(session, options, scenario);
  if (!options.journals.directory.empty()) return RunRecorded(session, options, scenario);
  return Tell(session, options, RunOnce(session, scenario));
}

void AddJournalOptions(flags::Command run, RunOptions& options, flags::Option slices) {
  const flags::Option journals =
      run.Add("--journals", options.journals.directory,
              "write the journal of each program to this folder, new or empty, for sim replay")
          .Excludes(slices);
  run.Add("--journal-of", options.journals.only,
          "controller, routers, workers, a region, or one program such as router-000000, to write the "
          "journals of; may be repeated; default: all")
      .OneEach()
      .Needs(journals);
  run.Add("--journal-mib", options.journal_mib, "bound of each journal on disk; the last is kept")
      .ShowDefault()
      .In(0.25, 1024.0 * 1024)
      .Needs(journals);
}

}  // namespace

absl::StatusOr<sim::Scenario> LoadWithSettings(const std::string& path,
                                               const std::vector<std::string>& settings) {
  absl::StatusOr<sim::Scenario> scenario = sim::LoadScenario(path);
  if (!scenario.ok()) return scenario;
  for (const std::string& setting : settings) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(setting, absl::MaxSplits('=', 1));
    double value = 0;
    if (!absl::SimpleAtod(parts.second, &value)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--set: found \"", setting, "\"; allowed: NAME=NUMBER with one of\n", sim::ParameterHelp()));
    }
    if (absl::Status s = sim::SetParameter(parts.first, value, *scenario); !s.ok()) return s;
  }
  return scenario;
}

sim::RunReport RunOnce(Session& session, std::shared_ptr<const sim::Scenario> scenario, sim::Tap* tap) {
  const bool progress = isatty(STDERR_FILENO) != 0;
  const Interruption interruption;
  sim::Simulation run(scenario, {}, nullptr, tap);
  sim::Reference reference(*scenario);
  run.Watch(&reference);
  bool gathered = false;
  run.Run([&](double now_s) {
    // The memory of a large fleet has all been touched once by then.
    if (now_s >= scenario->warmup_s && !std::exchange(gathered, true)) runtime::UseHugePages();
    if (progress && static_cast<long>(now_s) % 10 == 0) {
      session.err << absl::StrFormat("\r%5.1f %%", 100 * now_s / scenario->duration_s) << std::flush;
    }
    return !Interruption::Noticed();
  });
  if (progress) session.err << "\r        \r";
  return sim::MakeReport(run, &reference);
}

bool WriteTo(Session& session, const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) {
    session.err << "written: " << path << "\n";
    return true;
  }
  session.err << "ringway: cannot write " << path << "; does its folder exist, and is there room?\n";
  return false;
}

void AddSimRun(flags::Command sim, Session& session) {
  flags::Command run = sim.Subcommand("run", "simulate one scenario and report");
  const auto options = std::make_shared<RunOptions>();
  run.Add("SCENARIO", options->scenario, "scenario file; see docs/simulating.md").Required();
  run.Add("--seed", options->seed, "instead of the file's").In(1, 1 << 30);
  run.Add("--duration", options->duration_s, "in virtual seconds, instead of the file's").In(1.0, 3.2e7);
  run.Add("--set", options->settings, "NAME=VALUE, may be repeated; parameters:\n" + sim::ParameterHelp())
      .OneEach();
  run.Add("--page", options->page, "write a self-contained HTML page with plots");
  run.Add("--csv", options->csv, "write the series, one line a point in time");
  const flags::Option slices =
      run.Add("--slices", options->slices,
              "cut the time into so many slices, played side by side; see docs/simulating.md")
          .In(1, 10'000);
  run.Add("--slice-warmup", options->slice_warmup_s,
          "virtual seconds that a slice plays before its window; default: from the scenario")
      .In(0.0, 3.2e7)
      .Needs(slices);
  run.Add("--threads", options->threads, "for slices; default: all cores").In(1, 1024).Needs(slices);
  AddJournalOptions(run, *options, slices);
  AddPriceOptions(run, options->prices);
  run.OnChosen([&session, options] { session.run = [&session, options] { return Run(session, *options); }; });
}

}  // namespace ringway::cli
