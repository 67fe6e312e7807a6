// ringway sim replay JOURNAL [--edit NAME=VALUE]: what a live controller lived, and what it would have done.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/sim/sim_commands.h"
#include "cli/text_table.h"
#include "controller/journal/replay.h"
#include "core/json.h"
#include "journal/replay.h"
#include "router/journal/recorder.h"
#include "topology/topology.h"
#include "worker/journal/recorder.h"

namespace ringway::cli {
namespace {

// An edited world: other settings for its tiers, other demand for its regions.
struct Edits {
  double threshold = 0;                                // 0: as recorded
  std::vector<std::pair<std::string, double>> demand;  // region or "*", factor
  std::vector<std::pair<std::string, double>> workers;
  bool any() const { return threshold > 0 || !demand.empty() || !workers.empty(); }
};

absl::StatusOr<Edits> ReadEdits(const std::vector<std::string>& texts) {
  Edits edits;
  for (const std::string& text : texts) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
    const std::pair<std::string, std::string> name = absl::StrSplit(parts.first, absl::MaxSplits(':', 1));
    const std::string region = name.second.empty() ? "*" : name.second;
    double value = 0;
    const bool number = absl::SimpleAtod(parts.second, &value);
    if (number && name.first == "threshold" && value > 0 && value <= 1) {
      edits.threshold = value;
    } else if (number && name.first == "demand" && value >= 0 && value <= 1000) {
      edits.demand.emplace_back(region, value);
    } else if (number && name.first == "workers" && value >= 0 && value <= 1000) {
      edits.workers.emplace_back(region, value);
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("--edit: found \"", text,
                       "\"; allowed: threshold=0.01..1, demand=FACTOR, demand:REGION=FACTOR, workers=FACTOR, "
                       "workers:REGION=FACTOR with factors from 0 to 1000"));
    }
  }
  return edits;
}

double FactorOf(const std::vector<std::pair<std::string, double>>& factors, const std::string& region) {
  double factor = 1;
  for (const auto& [name, value] : factors) {
    if (name == "*" || name == region) factor *= value;
  }
  return factor;
}

controller::FleetReader Reader(const Edits& edits) {
  return [edits](const std::string& text) -> absl::StatusOr<std::shared_ptr<const Fleet>> {
    const auto topology = ParseTopology(text, "the journal's topology");
    if (!topology.ok()) return topology.status();
    auto fleet = std::make_shared<Fleet>(*topology->fleet);
    for (Tier& tier : fleet->tiers) {
      if (edits.threshold > 0) tier.route.overload_threshold = edits.threshold;
      for (std::size_t i = 0; i < tier.regions.size(); ++i) {
        const double factor = FactorOf(edits.workers, fleet->world.regions[RegionId(i)].name);
        int& workers = tier.regions[RegionId(i)].workers;
        workers = static_cast<int>(workers * factor + 0.5);
      }
    }
    return std::shared_ptr<const Fleet>(std::move(fleet));
  };
}

// Reports of the edited regions say that so many more had entered.
controller::EventEdit DemandEdit(const Edits& edits) {
  return [edits](controller::ControllerEvent& event, const controller::ControllerMachine& machine) {
    auto* reported = std::get_if<controller::RouterReported>(&event);
    if (reported == nullptr) return;
    const controller::RouterState* router = machine.view().Find(reported->stream);
    if (router == nullptr) return;
    const double factor = FactorOf(edits.demand, machine.fleet()->world.regions[router->hello.region].name);
    for (controller::TierCounts& counts : reported->report.tiers) {
      for (std::uint64_t& entered : counts.entered) {
        entered = static_cast<std::uint64_t>(static_cast<double>(entered) * factor + 0.5);
      }
    }
  };
}

// What its plans came to.
struct Plans {
  std::uint64_t plans = 0;
  std::uint64_t changed = 0;
  double demand_rps = 0, away_rps = 0, shed_rps = 0;
  double hottest = 0;  // the highest planned load of any region, ever

  void Take(const planner::Plan& plan) {
    ++plans;
    changed += plan.changed;
    demand_rps += plan.facts.demand_rps;
    away_rps += plan.facts.away_rps;
    shed_rps += plan.facts.shed_rps;
    for (const double load : plan.facts.planned_load) hottest = std::max(hottest, load);
  }
  double Share(double part) const { return demand_rps > 0 ? part / demand_rps : 0; }
};

struct Lived {
  controller::ReplayReport report;
  Plans plans;
};

absl::StatusOr<Lived> Live(const std::string& journal, const Edits& edits) {
  Lived lived;
  auto report = controller::Replay(
      journal, Reader(edits),
      [&](Time, const controller::ControllerEvent&, const std::vector<controller::ControllerAction>& actions,
          const controller::ControllerMachine&) {
        for (const controller::ControllerAction& action : actions) {
          if (const auto* made = std::get_if<controller::PlanMade>(&action)) lived.plans.Take(*made->plan);
        }
      },
      edits.any() ? DemandEdit(edits) : controller::EventEdit());
  if (!report.ok()) return report.status();
  lived.report = *std::move(report);
  return lived;
}

void AddRow(TextTable& table, const char* name, const Plans& plans, const controller::ReplayReport& report) {
  table.Add({name, absl::StrFormat("%d", plans.plans), absl::StrFormat("%d", plans.changed),
             absl::StrFormat("%.2f %%", 100 * plans.Share(plans.away_rps)),
             absl::StrFormat("%.2f %%", 100 * plans.Share(plans.shed_rps)),
             absl::StrFormat("%.3f", plans.hottest), absl::StrFormat("%d", report.tables_different)});
}

void WriteLife(const char* key, const Lived& lived, JsonWriter& json) {
  json.Key(key).BeginObject();
  json.Key("events").Integer(static_cast<std::int64_t>(lived.report.events));
  json.Key("tables").Integer(static_cast<std::int64_t>(lived.report.tables));
  json.Key("tables_different").Integer(static_cast<std::int64_t>(lived.report.tables_different));
  json.Key("holes").Integer(static_cast<std::int64_t>(lived.report.holes));
  json.Key("plans").Integer(static_cast<std::int64_t>(lived.plans.plans));
  json.Key("plans_changed").Integer(static_cast<std::int64_t>(lived.plans.changed));
  json.Key("away_share").Number(lived.plans.Share(lived.plans.away_rps));
  json.Key("shed_share").Number(lived.plans.Share(lived.plans.shed_rps));
  json.Key("hottest_planned_load").Number(lived.plans.hottest);
  json.End();
}

int Replay(Session& session, const std::string& folder, const std::vector<std::string>& edit_texts) {
  const absl::StatusOr<Edits> edits = ReadEdits(edit_texts);
  if (!edits.ok()) return Fail(session, edits.status());
  const std::string title = journal::TitleOf(folder);
  const bool of_worker = title == worker::kJournalTitle.text;
  if (of_worker || title == router::kJournalTitle.text) {
    if (edits->any()) {
      return Fail(session, absl::InvalidArgumentError(
                               absl::StrCat("--edit changes what a controller saw; this is a ", title)));
    }
    return of_worker ? ReplayWorker(session, folder) : ReplayRouter(session, folder);
  }
  const absl::StatusOr<Lived> life = Live(folder, {});
  if (!life.ok()) return Fail(session, life.status());
  const controller::ReplayReport& report = life->report;
  const bool same = report.tables_different == 0 && report.checkpoints_different == 0;
  absl::StatusOr<Lived> other = life;
  if (edits->any()) other = Live(folder, *edits);
  if (!other.ok()) return Fail(session, other.status());
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("identical").Flag(same);
    WriteLife("recorded", *life, json);
    if (edits->any()) WriteLife("edited", *other, json);
    json.End();
    session.out << json.text() << "\n";
    return same ? kExitOk : kExitNo;
  }
  session.out << absl::StrFormat("%d segments, %d events, %d tables: ", report.segments, report.events,
                                 report.tables)
              << (same ? "every table comes out as it was, byte for byte\n" : report.first_difference + "\n");
  if (report.holes > 0) session.out << report.holes << " segments end in a hole\n";
  const Align right = Align::kRight;
  TextTable table({{"WORLD"},
                   {"PLANS", right},
                   {"CHANGED", right},
                   {"AWAY", right},
                   {"SHED", right},
                   {"HOTTEST", right},
                   {"TABLES THAT DIFFER", right}});
  AddRow(table, "as recorded", life->plans, report);
  if (edits->any()) AddRow(table, "edited", other->plans, other->report);
  session.out << "\n" << table.Render(session.colour);
  return same ? kExitOk : kExitNo;
}

}  // namespace

void AddSimReplay(flags::Command sim, Session& session) {
  flags::Command replay =
      sim.Subcommand("replay",
                     "the journal of a controller, a router or a worker again, as it was; "
                     "a controller's also in another world");
  const auto journal = std::make_shared<std::string>();
  const auto edits = std::make_shared<std::vector<std::string>>();
  replay.Add("JOURNAL", *journal, "the folder journal/ in the program's state folder").Required();
  replay
      .Add("--edit", *edits, "threshold=X, demand[:REGION]=FACTOR, workers[:REGION]=FACTOR; may be repeated")
      .OneEach();
  replay.OnChosen([&session, journal, edits] {
    session.run = [&session, journal, edits] { return Replay(session, *journal, *edits); };
  });
}

}  // namespace ringway::cli
