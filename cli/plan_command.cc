// ringway plan TOPOLOGY SNAPSHOT [--threshold X] [--drain REGION] [--scale REGION=FACTOR]
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/fleet_view.h"
#include "cli/snapshot_file.h"
#include "controller/planner/planner.h"
#include "core/json.h"
#include "proto/table_codec.h"
#include "topology/spelling.h"

namespace ringway::cli {
namespace {

constexpr std::size_t kRegionsListed = 30;

struct PlanOptions {
  std::string topology;
  std::string snapshot;
  std::optional<double> threshold;
  std::vector<std::string> drains;
  std::vector<std::string> scales;  // REGION=FACTOR
};

absl::StatusOr<RegionId> Region(const World& world, std::string_view flag, const std::string& name) {
  if (const std::optional<RegionId> id = world.FindRegion(name)) return *id;
  std::vector<std::string_view> known;
  for (const ringway::Region& region : world.regions) known.push_back(region.name);
  std::string likely = DidYouMean(name, known);
  if (likely.empty()) {
    if (known.size() > kRegionsListed) known.resize(kRegionsListed);
    likely = absl::StrCat(
        "there are: ",
        absl::StrJoin(known, ", ", [](std::string* out, std::string_view region) { *out += region; }));
    if (known.size() < world.regions.size())
      absl::StrAppend(&likely, " and ", world.regions.size() - known.size(), " more");
  }
  return absl::InvalidArgumentError(absl::StrCat(absl::string_view(flag.data(), flag.size()), ": no region ",
                                                 Quoted(name), " in the world; ", likely));
}

// The what-if: drains and demand factors on top of the snapshot.
absl::Status EditSnapshot(const PlanOptions& options, const World& world, TierSnapshot& snapshot) {
  for (const std::string& name : options.drains) {
    const absl::StatusOr<RegionId> region = Region(world, "--drain", name);
    if (!region.ok()) return region.status();
    snapshot.regions[*region].draining = true;
    snapshot.regions[*region].usable_share = 0;
  }
  for (const std::string& scale : options.scales) {
    const std::size_t equals = scale.find('=');
    double factor = 0;
    const bool readable = equals != std::string::npos && absl::SimpleAtod(scale.substr(equals + 1), &factor);
    if (!readable || !(factor >= 0 && factor <= 1e6)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--scale: found ", Quoted(scale), "; allowed: REGION=FACTOR with a factor from 0 to 1000000"));
    }
    const absl::StatusOr<RegionId> region = Region(world, "--scale", scale.substr(0, equals));
    if (!region.ok()) return region.status();
    for (double& rps : snapshot.regions[*region].demand_rps) rps *= factor;
  }
  return absl::OkStatus();
}

v1::RoutingTable EncodePlan(const planner::Plan& plan, const Fleet& fleet) {
  RoutingTable table;
  table.tiers.resize(fleet.tiers.size());
  for (std::size_t t = 0; t < fleet.tiers.size(); ++t) {
    const TierId id(t);
    table.tiers[id] = id == plan.table.tier()
                          ? plan.table
                          : HomeTable(id, fleet.world.regions.size(), fleet.tiers[id].priorities.size());
  }
  v1::RoutingTable message = wire::EncodeTable(table, fleet);
  const v1::TierTable planned = message.tiers(static_cast<int>(plan.table.tier().index()));
  message.clear_tiers();
  *message.add_tiers() = planned;
  return message;
}

TextTable LoadTable(const Fleet& fleet, const TierSnapshot& snapshot, const planner::Plan& plan) {
  const Align right = Align::kRight;
  const double threshold = fleet.tiers[snapshot.tier].route.overload_threshold;
  TextTable table({{"REGION"}, {"DEMAND/S", right}, {"HOME LOAD", right}, {"PLANNED", right}});
  for (std::size_t i = 0; i < snapshot.regions.size(); ++i) {
    const RegionId id(i);
    double demand_rps = 0;
    for (const double rps : snapshot.regions[id].demand_rps) demand_rps += rps;
    table.Add({fleet.world.regions[id].name, absl::StrFormat("%.1f", demand_rps),
               LoadCell(plan.facts.home_load[id], threshold),
               LoadCell(plan.facts.planned_load[id], threshold)});
  }
  return table;
}

std::string FactsText(const planner::PlanFacts& facts) {
  const double demand = std::max(facts.demand_rps, 1e-12);
  std::string text =
      absl::StrFormat("demand %.1f/s, away %s (least possible %s), shed %s, %d moves\n", facts.demand_rps,
                      Percent(facts.away_rps / demand), Percent(facts.away_min_rps / demand),
                      Percent(facts.shed_rps / demand), facts.moves);
  if (facts.rtt_cost_optimal > 0) {
    absl::StrAppendFormat(&text, "RTT cost %.0f (requests/s x ms): %.3fx the optimum; the loop alone %.3fx\n",
                          facts.rtt_cost, facts.rtt_cost / facts.rtt_cost_optimal,
                          facts.rtt_cost_loop / facts.rtt_cost_optimal);
  }
  return text;
}

void PrintPlanJson(Session& session, const Fleet& fleet, const planner::Plan& plan) {
  JsonWriter json;
  json.BeginObject();
  json.Key("demand_rps").Number(plan.facts.demand_rps);
  json.Key("away_rps").Number(plan.facts.away_rps);
  json.Key("away_min_rps").Number(plan.facts.away_min_rps);
  json.Key("shed_rps").Number(plan.facts.shed_rps);
  json.Key("rtt_cost").Number(plan.facts.rtt_cost);
  json.Key("rtt_cost_optimal").Number(plan.facts.rtt_cost_optimal);
  json.Key("regions").BeginArray();
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    json.BeginObject();
    json.Key("region").Text(fleet.world.regions[RegionId(i)].name);
    json.Key("home_load").Number(plan.facts.home_load[RegionId(i)]);
    json.Key("planned_load").Number(plan.facts.planned_load[RegionId(i)]);
    json.End();
  }
  json.End();
  json.Key("findings").BeginArray();
  for (const planner::Finding& finding : plan.findings) json.Text(finding.detail);
  json.End();
  json.Key("table").Raw(MessageJson(EncodePlan(plan, fleet)));
  json.End();
  session.out << json.text() << "\n";
}

int Plan(Session& session, const PlanOptions& options) {
  const absl::StatusOr<Topology> topology = LoadTopology(options.topology);
  if (!topology.ok()) return Fail(session, topology.status());
  const absl::StatusOr<std::string> text = ReadTextFile(options.snapshot);
  if (!text.ok()) return Fail(session, text.status());
  absl::StatusOr<TierSnapshot> snapshot = ParseSnapshot(*text, options.snapshot, *topology);
  if (!snapshot.ok()) return Fail(session, snapshot.status());
  const Fleet& fleet = *topology->fleet;
  if (absl::Status status = EditSnapshot(options, fleet.world, *snapshot); !status.ok()) {
    Fail(session, status);
    return kExitUsage;
  }
  auto tier = std::make_shared<Tier>(fleet.tiers[snapshot->tier]);
  if (options.threshold) tier->route.overload_threshold = *options.threshold;
  const planner::Planner planner(std::make_shared<const World>(fleet.world), tier);
  const planner::Plan plan = planner.Solve(*snapshot);
  if (session.json) {
    PrintPlanJson(session, fleet, plan);
    return kExitOk;
  }
  session.out << LoadTable(fleet, *snapshot, plan).Render(session.colour) << "\n" << FactsText(plan.facts);
  const v1::RoutingTable table = EncodePlan(plan, fleet);
  v1::StatusReply names;  // of the rings, as a controller would tell them
  names.add_tiers()->set_tier(tier->name);
  for (const RingSpec& ring : tier->route.rings) names.mutable_tiers(0)->add_rings(ring.name);
  const TextTable routes = RouteTable(table, table.tiers(0), names);
  session.out << (routes.empty() ? "everything stays home\n" : "\n" + routes.Render(session.colour));
  for (const planner::Finding& finding : plan.findings) {
    session.out << "finding: " << planner::FindingKindName(finding.kind) << ": " << finding.detail << "\n";
  }
  return kExitOk;
}

}  // namespace

void AddPlanCommand(flags::Command app, Session& session) {
  flags::Command plan = app.Subcommand("plan", "what the controller would decide, offline, from files");
  const auto options = std::make_shared<PlanOptions>();
  plan.Add("TOPOLOGY", options->topology, "topology file").Required();
  plan.Add("SNAPSHOT", options->snapshot, "demand and load cost of each region; see docs/cli.md").Required();
  plan.Add("--threshold", options->threshold, "with this overload threshold").In(0.01, 1.0);
  plan.Add("--drain", options->drains, "with this region drained; may be repeated").OneEach();
  plan.Add("--scale", options->scales, "REGION=FACTOR: with this much more demand; may be repeated")
      .OneEach();
  plan.OnChosen(
      [&session, options] { session.run = [&session, options] { return Plan(session, *options); }; });
}

}  // namespace ringway::cli
