// Journals of a simulation's routers, workers and controller, as the daemons write them: each program has a
// folder of its name, with `journal/` in it, which `ringway sim replay` lives again.
//
// A program that starts anew goes on in its journal, as a daemon does. Virtual time waits for the disk, so
// nothing is lost because that is slow; what it refuses is a gap, and Close says so. The topology that the
// controller's journal holds is the fleet as text (topology/topology_text.h), for there may have been no
// file.
//
// Bounds: kProgramsMax journals, each with a file open and at most `bytes_max` on disk; a few 10 KiB of
// memory each. Cost: that of the daemons' journals. Errors: of Open: InvalidArgument (a name that is none,
// too many programs, a fleet that no topology file describes), FailedPrecondition (the folder is not empty),
// or why the folder cannot be written; each with its remedy. One owner.
#ifndef RINGWAY_SIM_JOURNALS_JOURNALS_H_
#define RINGWAY_SIM_JOURNALS_JOURNALS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "controller/journal/recorder.h"
#include "router/journal/recorder.h"
#include "runtime/log.h"
#include "sim/fleet/tap.h"
#include "sim/scenario.h"
#include "worker/journal/recorder.h"

namespace ringway::sim {

struct JournalSpec {
  std::string directory;
  std::uint64_t bytes_max = std::uint64_t{64} << 20;  // of each program
  // Programs; kRouters, kWorkers; and regions, for their routers and workers. Empty: all.
  std::vector<std::string> only = {};
};

class Journals final : public Tap {
 public:
  static constexpr std::size_t kProgramsMax = 500;
  static constexpr char kController[] = "controller";
  static constexpr char kRouters[] = "routers";
  static constexpr char kWorkers[] = "workers";

  // For one run of the scenario. Makes the folder.
  static absl::StatusOr<std::unique_ptr<Journals>> Open(const JournalSpec& spec, const Scenario& scenario);

  // What is recorded of one program.
  struct Recorded {
    std::string program;
    std::string journal;  // its folder
    std::uint64_t lives = 0;
    std::uint64_t events = 0;
    bool gap = false;
  };
  // Of all that have lived.
  std::vector<Recorded> Programs() const;
  // After the run: all is on disk. DataLoss: the disk refused something.
  absl::Status Close();

  void Born(RouterId router, Time now, const router::RouterSettings& settings,
            const router::RouterMachine& machine) override;
  void Born(WorkerId worker, Time now, const WorkerSettings& settings, const WorkerNode& node) override;
  void ControllerBorn(const std::shared_ptr<const Fleet>& file) override;
  void Died(RouterId router) override { routers_[router].recorder.reset(); }
  void Died(WorkerId worker) override { workers_[worker].recorder.reset(); }
  void ControllerDied() override { EndController(); }
  void Stepped(RouterId router, Time now, const router::RouterEvent& event,
               const std::vector<router::RouterAction>& actions) override;
  void Acts(WorkerId worker, const WorkerAction& action) override;
  void Stepped(WorkerId worker, Time now, const WorkerEvent& event) override;
  void ControllerSteps(Time now, const controller::ControllerEvent& event,
                       const controller::ControllerMachine& machine) override;
  void ControllerStepped(Time now, const std::vector<controller::ControllerAction>& actions,
                         const controller::ControllerMachine& machine) override;

 private:
  template <class Recorder>
  struct Program {
    bool wanted = false;
    Recorded told = {};
    std::unique_ptr<Recorder> recorder = nullptr;  // of its present life; null: dead, or not wanted
  };

  explicit Journals(const JournalSpec& spec) : spec_(spec) {}
  template <class Recorder>
  void Want(Program<Recorder>& program, std::string name);
  absl::Status Choose(const Scenario& scenario);
  absl::Status WriteFleets(const Scenario& scenario);
  const std::string& TextOf(const std::shared_ptr<const Fleet>& file) const;
  void EndController();

  const JournalSpec spec_;
  const runtime::Logger log_{"sim/journals", runtime::LogLevel::kWarning};
  IdVector<RouterId, Program<router::Recorder>> routers_;
  IdVector<WorkerId, Program<worker::Recorder>> workers_;
  Program<controller::Recorder> controller_;
  std::size_t wanted_ = 0;
  // As text: what the controller is given in this run.
  std::vector<std::pair<std::shared_ptr<const Fleet>, std::string>> texts_;
  std::vector<WorkerAction> acts_;  // of the step under way
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_JOURNALS_JOURNALS_H_
