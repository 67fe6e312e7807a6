// ringway topology check|show FILE
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/topology_view.h"
#include "topology/topology.h"

namespace ringway::cli {
namespace {

struct TopologyOptions {
  std::string file;
  std::string tier;  // empty: all
  bool all = false;
};

void WriteProblemsJson(const Problems& problems, JsonWriter& json) {
  json.Key("problems").BeginArray();
  for (const Problem& problem : problems.all()) {
    json.BeginObject();
    json.Key("line").Integer(problem.at.line);
    json.Key("column").Integer(problem.at.column);
    json.Key("field").Text(problem.field);
    json.Key("found").Text(problem.found);
    json.Key("allowed").Text(problem.allowed);
    json.Key("hint").Text(problem.hint);
    json.End();
  }
  json.End();
}

int Check(Session& session, const TopologyOptions& options) {
  const absl::StatusOr<std::string> text = ReadTextFile(options.file);
  if (!text.ok()) return Fail(session, text.status());
  Problems problems(options.file);
  const std::optional<Topology> topology = ParseTopology(*text, problems);
  if (session.json) {
    JsonWriter json;
    json.BeginObject();
    json.Key("file").Text(options.file);
    json.Key("sound").Flag(topology.has_value());
    WriteProblemsJson(problems, json);
    json.Key("remarks").Texts(topology ? topology->remarks : std::vector<std::string>());
    json.End();
    session.out << json.text() << "\n";
    return topology ? kExitOk : kExitNo;
  }
  if (!topology) return Fail(session, problems.ToStatus());
  session.out << options.file << ": " << session.Painted("sound", Style::kGood) << ": "
              << topology->fleet->world.regions.size() << " regions, " << topology->fleet->tiers.size()
              << " tiers\n";
  for (const std::string& remark : topology->remarks) session.out << "remark: " << remark << "\n";
  return kExitOk;
}

int Show(Session& session, const TopologyOptions& options) {
  const absl::StatusOr<Topology> topology = LoadTopology(options.file);
  if (!topology.ok()) return Fail(session, topology.status());
  const Fleet& fleet = *topology->fleet;
  if (session.json) {
    JsonWriter json;
    WriteTopologyJson(fleet, topology->remarks, json);
    session.out << json.text() << "\n";
    return kExitOk;
  }
  if (!options.tier.empty() && !fleet.FindTier(options.tier)) {
    return Fail(session,
                absl::InvalidArgumentError("no tier " + Quoted(options.tier) + " in " + options.file));
  }
  session.out << session.Painted("world " + fleet.world.name, Style::kBold) << "\n"
              << RegionTable(fleet.world).Render(session.colour);
  constexpr std::size_t kNamesShown = 4;
  for (const Tier& tier : fleet.tiers) {
    if (!options.tier.empty() && tier.name != options.tier) continue;
    session.out << "\n"
                << session.Painted("tier " + tier.name, Style::kBold) << ", hot above load "
                << tier.route.overload_threshold << "; rings by round-trip time in ms\n"
                << RingTable(fleet.world, tier, options.all ? kNamesShown * 10000 : kNamesShown)
                       .Render(session.colour);
  }
  for (const std::string& remark : topology->remarks) session.out << "\nremark: " << remark << "\n";
  return kExitOk;
}

}  // namespace

void AddTopologyCommand(flags::Command app, Session& session) {
  flags::Command topology = app.Subcommand("topology", "check or show a topology file");
  topology.RequireSubcommand();
  const auto options = std::make_shared<TopologyOptions>();
  flags::Command check = topology.Subcommand("check", "list every mistake of a file");
  check.Add("FILE", options->file, "topology file").Required();
  check.OnChosen(
      [&session, options] { session.run = [&session, options] { return Check(session, *options); }; });
  flags::Command show = topology.Subcommand("show", "regions, and the rings of each region");
  show.Add("FILE", options->file, "topology file").Required();
  show.Add("--tier", options->tier, "only this tier");
  show.AddFlag("--all", options->all, "list every region of a ring");
  show.OnChosen(
      [&session, options] { session.run = [&session, options] { return Show(session, *options); }; });
}

}  // namespace ringway::cli
