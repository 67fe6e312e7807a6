#include "cli/demo/demo.h"

#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/demo/stage.h"
#include "sim/demand/trace.h"
#include "sim/files/scenario_file.h"
#include "topology/topology.h"

namespace ringway::demo {
namespace {

// A folder that disappears with the object, unless it is kept.
class Folder {
 public:
  explicit Folder(bool keep) : keep_(keep) {
    std::string pattern = (std::filesystem::temp_directory_path() / "ringway-demo-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    if (!keep_ && !path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void Keep() { keep_ = true; }
  bool kept() const { return keep_; }
  const std::string& path() const { return path_; }

 private:
  bool keep_;
  std::string path_;
};

absl::StatusOr<std::optional<sim::Trace>> LoadTrace(const std::string& path) {
  if (path.empty()) return std::optional<sim::Trace>();
  const absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<sim::Trace> trace = sim::ParseTraceCsv(*text, path);
  if (!trace.ok()) return trace.status();
  if (trace->offsets_s.size() < 2)
    return absl::InvalidArgumentError(absl::StrCat(path, ": fewer than two arrivals"));
  return std::optional<sim::Trace>(*std::move(trace));
}

void Introduce(cli::Session& session, const DemoSettings& settings, const Fleet& fleet,
               const Cluster& cluster) {
  session.err << "Ringway demo: " << fleet.world.regions.size() << " regions of " << settings.topology << ", "
              << cluster.processes() << " processes on loopback.\n"
              << "Round trips between regions are emulated: routers hold forwarded messages back by the "
                 "measured RTT.\n"
              << "One machine cannot draw for them all: here workers sleep a drawn service time.\n"
              << "Traffic: "
              << (!settings.scenario.empty() ? "the demand of " + settings.scenario
                  : settings.trace.empty()   ? "a day curve by each region's clock, 24 hours in 10 minutes"
                                             : "the arrivals of " + settings.trace)
              << ".\nWatch and steer it: http://" << cluster.dashboard()
              << "/\nAsk it for a video: curl http://" << cluster.videos()
              << "/v1/videos -F prompt='a boat sways'\n\n";
}

int Summarize(cli::Session& session, const Fleet& fleet, const Script& script, const Stage& stage) {
  const std::vector<Check> checks = Judge(fleet, script, stage.tally(), stage.settled());
  if (session.json) {
    JsonWriter json;
    WriteSummaryJson(script, stage.tally(), checks, json);
    session.out << json.text() << "\n";
  } else {
    session.out << "\n" << SummaryText(fleet, script, stage.tally(), checks, session.colour);
  }
  return AllOk(checks) ? cli::kExitOk : cli::kExitNo;
}

void TellLateness(cli::Session& session, double late_s_max) {
  constexpr double kLate = 0.5;
  session.err << absl::StrFormat("The load generator was at most %.0f ms late.", 1000 * late_s_max);
  if (late_s_max > kLate)
    session.err << " This machine was too busy: do not trust the latencies of this run.";
  session.err << "\n";
}

// What is to be played, and on which fleet.
struct Plan {
  std::shared_ptr<const Fleet> fleet;
  Script script;
  Traffic traffic;
  std::optional<sim::ServiceLaw> service;
};

absl::StatusOr<Plan> OwnPlan(const DemoSettings& settings) {
  const absl::StatusOr<Topology> topology = LoadTopology(settings.topology);
  if (!topology.ok()) return topology.status();
  const Fleet& fleet = *topology->fleet;
  absl::StatusOr<Script> script = MakeScript(
      fleet, {.route = settings.route, .length_s = settings.length_s, .day_curve = settings.trace.empty()});
  if (!script.ok()) return script.status();
  const absl::StatusOr<std::optional<sim::Trace>> trace = LoadTrace(settings.trace);
  if (!trace.ok()) return trace.status();
  Traffic traffic(fleet, *script, trace->has_value() ? &**trace : nullptr, settings.seed);
  return Plan{topology->fleet, *std::move(script), std::move(traffic), std::nullopt};
}

// The scenario says which topology, how long, which seed; there is no picture in it.
absl::StatusOr<Plan> PlanOfFile(DemoSettings& settings) {
  const absl::StatusOr<sim::Scenario> scenario = sim::LoadScenario(settings.scenario);
  if (!scenario.ok()) return scenario.status();
  settings.topology = scenario->topology_file;
  settings.picture.out.clear();
  absl::StatusOr<Script> script = ScriptOf(*scenario);
  if (!script.ok()) return script.status();
  Traffic traffic(*scenario->fleet, *script, scenario->service[TierId(0)].law, scenario->seed);
  return Plan{scenario->fleet, *std::move(script), std::move(traffic), scenario->service[TierId(0)].law};
}

// Plays the script on a running cluster and stops it again; the exit code.
int PlayOn(cli::Session& session, const DemoSettings& settings, const Plan& plan, Cluster& cluster,
           Interrupt& interrupt) {
  const Fleet& fleet = *plan.fleet;
  const Script& script = plan.script;
  int code = cli::kExitNo;
  {
    Stage stage(session, settings, fleet, script, cluster, interrupt);
    absl::Status played = stage.AwaitWholeFleet();
    if (played.ok()) {
      Introduce(session, settings, fleet, cluster);
      played = stage.Play(plan.traffic);
    }
    const bool in_good_order = cluster.Stop();  // before the stage waits for its last calls
    if (!played.ok()) {
      cli::Fail(session, played);
    } else {
      code = Summarize(session, fleet, script, stage);
      TellLateness(session, stage.late_s_max());
      session.err << (in_good_order ? "All processes have ended.\n" : "Some processes had to be killed.\n");
    }
  }
  return code;
}

}  // namespace

int RunDemo(cli::Session& session, const DemoSettings& given) {
  DemoSettings settings = given;
  const absl::StatusOr<Plan> plan = settings.scenario.empty() ? OwnPlan(settings) : PlanOfFile(settings);
  if (!plan.ok()) return cli::Fail(session, plan.status());
  Interrupt interrupt;
  Folder folder(settings.keep);
  if (!settings.picture.out.empty()) {
    const absl::Status drawn = AnimatePicture(session, settings.picture, folder.path() + "/picture");
    if (!drawn.ok()) return cli::Fail(session, drawn);
  }
  absl::StatusOr<Cluster> cluster = Cluster::Start({.programs = settings.programs,
                                                    .folder = folder.path(),
                                                    .topology = settings.topology,
                                                    .tier = plan->script.tier,
                                                    .service = plan->service},
                                                   *plan->fleet);
  int code = cli::kExitNo;
  if (cluster.ok()) {
    code = PlayOn(session, settings, *plan, *cluster, interrupt);
  } else {
    cli::Fail(session, cluster.status());
  }
  if (code != cli::kExitOk && !interrupt.Came()) folder.Keep();
  if (folder.kept()) session.err << "Logs are kept in " << folder.path() << "\n";
  return code;
}

}  // namespace ringway::demo
