// ringway sim compare A B [--seeds N] [--set-a NAME=VALUE] [--set-b NAME=VALUE] [--page FILE]
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/sim/price_options.h"
#include "cli/sim/run_pool.h"
#include "cli/sim/sim_commands.h"
#include "sim/report/page.h"
#include "sim/report/run_report.h"
#include "sim/simulation.h"
#include "sim/study/comparison.h"

namespace ringway::cli {
namespace {

struct CompareOptions {
  std::string a;
  std::string b;
  std::vector<std::string> settings_a;
  std::vector<std::string> settings_b;
  std::size_t seeds = 10;
  double duration_s = 0;
  unsigned threads = 0;
  std::string page;
  PriceOptions prices;
};

std::string Text(const sim::Estimate& e) { return absl::StrFormat("%.5g +- %.2g", e.mean, e.half_width); }

TextTable DifferenceTable(const std::vector<sim::FigureComparison>& rows) {
  const Align right = Align::kRight;
  TextTable table({{"FIGURE"}, {"A", right}, {"B", right}, {"B - A", right}, {"B IS"}});
  for (const sim::FigureComparison& row : rows) {
    const Style style = row.verdict == "better"  ? Style::kGood
                        : row.verdict == "worse" ? Style::kBad
                                                 : Style::kPlain;
    table.Add({std::string(sim::TextOf(row.figure).title), Text(row.a), Text(row.b), Text(row.difference),
               Cell(std::string(row.verdict), style)});
  }
  return table;
}

std::shared_ptr<const sim::Scenario> Seeded(const sim::Scenario& scenario, std::uint64_t seed,
                                            double duration_s) {
  auto copy = std::make_shared<sim::Scenario>(scenario);
  copy->seed = seed;
  if (duration_s > 0) copy->duration_s = duration_s;
  return copy;
}

// Figures by seed, as far as they are known.
using BySeed = std::vector<std::optional<sim::Figures>>;

// Of both sides those seeds that both have run.
std::pair<std::vector<sim::Figures>, std::vector<sim::Figures>> Pairs(const BySeed& a, const BySeed& b) {
  std::pair<std::vector<sim::Figures>, std::vector<sim::Figures>> pairs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i] || !b[i]) continue;
    pairs.first.push_back(*a[i]);
    pairs.second.push_back(*b[i]);
  }
  return pairs;
}

// The two runs that the page shows, each as far as it came.
std::vector<std::string> PageReports(const sim::Scenario& a, const sim::Scenario& b, double duration_s) {
  std::vector<std::string> reports;
  for (const sim::Scenario* scenario : {&a, &b}) {
    const auto seeded = Seeded(*scenario, 1, duration_s);
    sim::Simulation run(seeded);
    sim::Reference reference(*seeded);
    run.Watch(&reference);
    run.Run([](double) { return !Interruption::Noticed(); });
    sim::RunReport report = sim::MakeReport(run, &reference);
    if (a.name == b.name) report.scenario += scenario == &a ? " (A)" : " (B)";
    reports.push_back(sim::ReportJson(report));
  }
  return reports;
}

absl::StatusOr<sim::Scenario> LoadPriced(const std::string& path, const std::vector<std::string>& settings,
                                         const PriceOptions& prices) {
  absl::StatusOr<sim::Scenario> scenario = LoadWithSettings(path, settings);
  if (!scenario.ok()) return scenario;
  if (absl::Status s = SetPrices(prices, *scenario); !s.ok()) return s;
  return scenario;
}

int Compare(Session& session, const CompareOptions& options) {
  const absl::StatusOr<sim::Scenario> a = LoadPriced(options.a, options.settings_a, options.prices);
  if (!a.ok()) return Fail(session, a.status());
  const absl::StatusOr<sim::Scenario> b =
      LoadPriced(options.b.empty() ? options.a : options.b, options.settings_b, options.prices);
  if (!b.ok()) return Fail(session, b.status());
  if (a->prices.has_value() != b->prices.has_value()) {
    session.err << "remark: only " << (a->prices ? "A" : "B")
                << " has prices, so costs are not compared; give both `prices`, or --gpu-hour\n";
  }
  BySeed figures_a(options.seeds), figures_b(options.seeds);
  std::vector<std::string> reports;
  {
    const Interruption interruption;
    if (!options.page.empty()) reports = PageReports(*a, *b, options.duration_s);
    RunAll(
        2 * options.seeds, ThreadsFor(options.threads),
        [&](std::size_t i) { return Seeded(i % 2 == 0 ? *a : *b, i / 2 + 1, options.duration_s); },
        [&](std::size_t i, const sim::Figures& f) { (i % 2 == 0 ? figures_a : figures_b)[i / 2] = f; });
  }
  const auto [left, right] = Pairs(figures_a, figures_b);
  if (left.size() < options.seeds) {
    session.err << "interrupted: " << left.size() << " of " << options.seeds
                << " seeds have run on both sides"
                << (left.size() < 2 ? "; a comparison needs two\n" : "; the comparison is of those\n");
  }
  if (left.size() < 2) return kExitNo;
  const std::vector<sim::FigureComparison> rows = sim::Compare(left, right);
  const std::string json = sim::ComparisonJson(rows);
  if (session.json) {
    session.out << json << "\n";
  } else {
    session.out << "A: " << a->name << "\nB: " << b->name << "\n"
                << left.size() << " seeds, 95 % intervals, differences seed by seed\n\n"
                << DifferenceTable(rows).Render(session.colour);
  }
  if (options.page.empty()) return kExitOk;
  return WriteTo(session, options.page, sim::Page(reports, json)) ? kExitOk : kExitNo;
}

}  // namespace

void AddSimCompare(flags::Command sim, Session& session) {
  flags::Command compare = sim.Subcommand("compare", "what differs between two scenarios, beyond noise");
  const auto options = std::make_shared<CompareOptions>();
  compare.Add("A", options->a, "scenario file").Required();
  compare.Add("B", options->b, "scenario file; left out: A again, with --set-b");
  compare.Add("--set-a", options->settings_a, "NAME=VALUE for A, may be repeated").OneEach();
  compare.Add("--set-b", options->settings_b, "NAME=VALUE for B, may be repeated").OneEach();
  compare.Add("--seeds", options->seeds, "runs of each").In(2, 10'000);
  compare.Add("--duration", options->duration_s, "in virtual seconds, instead of the files'").In(1.0, 3.2e7);
  compare.Add("--threads", options->threads, "default: all cores").In(1, 1024);
  compare.Add("--page", options->page, "write a page with both side by side");
  AddPriceOptions(compare, options->prices);
  compare.OnChosen(
      [&session, options] { session.run = [&session, options] { return Compare(session, *options); }; });
}

}  // namespace ringway::cli
