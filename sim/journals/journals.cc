#include "sim/journals/journals.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/check.h"
#include "sim/fleet/routers.h"
#include "sim/simulation.h"
#include "topology/topology_text.h"

namespace ringway::sim {
namespace {

// As the daemons have them for their controller's journal.
constexpr std::uint64_t kControllerSegments = 4;

std::string NameOfWorker(WorkerId worker) { return absl::StrFormat("worker-%06d", worker.value()); }

absl::Status MakeFolder(const std::string& directory) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  const bool empty = !failed && std::filesystem::is_empty(directory, failed);
  if (failed) {
    return absl::FailedPreconditionError(absl::StrCat(
        "--journals: ", directory, " cannot be written: ", failed.message(), "; name a folder that can"));
  }
  if (!empty) {
    return absl::FailedPreconditionError(absl::StrCat("--journals: ", directory,
                                                      " is not empty, and journals of two runs do not mix: "
                                                      "remove what is in it, or name another folder"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Journals>> Journals::Open(const JournalSpec& spec, const Scenario& scenario) {
  std::unique_ptr<Journals> journals(new Journals(spec));
  if (absl::Status s = journals->Choose(scenario); !s.ok()) return s;
  if (absl::Status s = journals->WriteFleets(scenario); !s.ok()) return s;
  if (absl::Status s = MakeFolder(spec.directory); !s.ok()) return s;
  return journals;
}

template <class Recorder>
void Journals::Want(Program<Recorder>& program, std::string name) {
  program.wanted = true;
  program.told.journal = absl::StrCat(spec_.directory, "/", name, "/journal");
  program.told.program = std::move(name);
  ++wanted_;
}

absl::Status Journals::Choose(const Scenario& scenario) {
  const auto routers = Simulation::PlaceRouters(scenario);
  const auto workers = Simulation::PlaceWorkers(scenario, routers);
  while (routers_.size() < routers.size()) routers_.push_back({});
  while (workers_.size() < workers.size()) workers_.push_back({});
  std::vector<bool> met(spec_.only.size(), false);
  const auto chosen = [&](std::string_view name) {
    const auto at = std::find(spec_.only.begin(), spec_.only.end(), name);
    if (at == spec_.only.end()) return spec_.only.empty();
    met[static_cast<std::size_t>(at - spec_.only.begin())] = true;
    return true;
  };
  // Each name is looked for: which ones are met is told.
  const auto choose = [&](auto& program, const std::string& name, std::string_view kind, RegionId region) {
    const bool by_region = chosen(scenario.fleet->world.regions[region].name);
    const bool by_kind = chosen(kind);
    if (chosen(name) || by_region || by_kind) Want(program, name);
  };
  for (RouterId id(0); id != routers.end_id(); id = RouterId(id.index() + 1)) {
    choose(routers_[id], Routers::NameOf(id), kRouters, routers[id]);
  }
  for (WorkerId id(0); id != workers.end_id(); id = WorkerId(id.index() + 1)) {
    choose(workers_[id], NameOfWorker(id), kWorkers, workers[id].region);
  }
  if (scenario.controller && chosen(kController)) Want(controller_, kController);
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (met[i]) continue;
    return absl::InvalidArgumentError(absl::StrFormat(
        "--journal-of: found \"%s\"; allowed: the name of a region, %s, %s, %s, router-000000 to %s, "
        "worker-000000 to %s",
        spec_.only[i], kController, kRouters, kWorkers, Routers::NameOf(RouterId(routers.size() - 1)),
        NameOfWorker(WorkerId(std::max<std::size_t>(workers.size(), 1) - 1))));
  }
  if (wanted_ <= kProgramsMax) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--journals: ", wanted_, " programs are more than the ", kProgramsMax,
                   " that can be recorded; name regions or programs with --journal-of"));
}

absl::Status Journals::WriteFleets(const Scenario& scenario) {
  if (!controller_.wanted) return absl::OkStatus();
  std::vector<std::shared_ptr<const Fleet>> files = {scenario.fleet};
  for (const ScenarioStep& step : scenario.steps) {
    const auto* load = std::get_if<LoadTopology>(&step.fault);
    if (load != nullptr) files.push_back(load->fleet);
  }
  for (const std::shared_ptr<const Fleet>& file : files) {
    absl::StatusOr<std::string> text = TopologyText(*file);
    if (!text.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--journals: the fleet of the scenario cannot be written as a topology, which the controller's "
          "journal begins with; name what else to record with --journal-of: ",
          text.status().message()));
    }
    texts_.emplace_back(file, *std::move(text));
  }
  return absl::OkStatus();
}

const std::string& Journals::TextOf(const std::shared_ptr<const Fleet>& file) const {
  const auto found =
      std::find_if(texts_.begin(), texts_.end(), [&](const auto& entry) { return entry.first == file; });
  RINGWAY_CHECK(found != texts_.end());
  return found->second;
}

// ---- lives ----

void Journals::Born(RouterId router, Time now, const router::RouterSettings& settings,
                    const router::RouterMachine& machine) {
  Program<router::Recorder>& program = routers_[router];
  if (!program.wanted) return;
  ++program.told.lives;
  program.recorder = std::make_unique<router::Recorder>(program.told.journal, spec_.bytes_max, settings,
                                                        machine, log_, journal::DiskPace::kWaits);
  program.recorder->Begin(now);
}

void Journals::Born(WorkerId worker, Time now, const WorkerSettings& settings, const WorkerNode& node) {
  Program<worker::Recorder>& program = workers_[worker];
  if (!program.wanted) return;
  ++program.told.lives;
  program.recorder = std::make_unique<worker::Recorder>(program.told.journal, spec_.bytes_max, settings, node,
                                                        log_, journal::DiskPace::kWaits);
  program.recorder->Begin(now);
}

void Journals::ControllerBorn(const std::shared_ptr<const Fleet>& file) {
  if (!controller_.wanted) return;
  ++controller_.told.lives;
  controller::JournalLimits limits{.total_bytes_max = spec_.bytes_max, .waits = true};
  limits.segment_bytes_max = std::min(limits.segment_bytes_max, limits.total_bytes_max / kControllerSegments);
  controller_.recorder =
      std::make_unique<controller::Recorder>(controller_.told.journal, limits, TextOf(file), log_);
}

void Journals::EndController() {
  if (controller_.recorder == nullptr) return;
  controller_.told.gap = controller_.told.gap || controller_.recorder->failures() > 0;
  controller_.recorder.reset();
}

// ---- steps ----

void Journals::Stepped(RouterId router, Time now, const router::RouterEvent& event,
                       const std::vector<router::RouterAction>& actions) {
  Program<router::Recorder>& program = routers_[router];
  if (program.recorder == nullptr) return;
  ++program.told.events;
  program.recorder->Note(now, event, actions);
  program.told.gap = program.told.gap || !program.recorder->recording();
}

void Journals::Acts(WorkerId worker, const WorkerAction& action) {
  if (workers_[worker].recorder != nullptr) acts_.push_back(action);
}

void Journals::Stepped(WorkerId worker, Time now, const WorkerEvent& event) {
  Program<worker::Recorder>& program = workers_[worker];
  if (program.recorder == nullptr) return;
  ++program.told.events;
  program.recorder->Note(now, event, acts_);
  acts_.clear();
  program.told.gap = program.told.gap || !program.recorder->recording();
}

void Journals::ControllerSteps(Time now, const controller::ControllerEvent& event,
                               const controller::ControllerMachine& machine) {
  if (controller_.recorder == nullptr) return;
  ++controller_.told.events;
  const auto* loaded = std::get_if<controller::TopologyLoaded>(&event);
  if (loaded == nullptr) return controller_.recorder->Event(now, event, machine);
  controller_.recorder->Event(now, controller::TopologyLoaded{loaded->fleet, TextOf(loaded->fleet)}, machine);
}

void Journals::ControllerStepped(Time now, const std::vector<controller::ControllerAction>& actions,
                                 const controller::ControllerMachine& machine) {
  if (controller_.recorder != nullptr) controller_.recorder->Outcomes(now, actions, *machine.fleet());
}

// ---- what there is ----

std::vector<Journals::Recorded> Journals::Programs() const {
  std::vector<Recorded> all;
  const auto add = [&all](const auto& program) {
    if (program.told.lives > 0) all.push_back(program.told);
  };
  add(controller_);
  for (const auto& router : routers_) add(router);
  for (const auto& worker : workers_) add(worker);
  return all;
}

absl::Status Journals::Close() {
  for (auto& router : routers_) router.recorder.reset();
  for (auto& worker : workers_) worker.recorder.reset();
  EndController();
  const std::vector<Recorded> all = Programs();
  const auto gap = [](const Recorded& recorded) { return recorded.gap; };
  const auto gaps = std::count_if(all.begin(), all.end(), gap);
  if (gaps == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("--journals: ", gaps, " of ", all.size(), " journals have gaps, ",
                                          std::find_if(all.begin(), all.end(), gap)->journal,
                                          " among them; is its disk full, or --journal-mib too small?"));
}

}  // namespace ringway::sim
