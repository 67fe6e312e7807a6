// The running part of the demo: sends what is due, collects what ended, follows the phases.
//
// Play() returns when the script is over and the last jobs have ended, or when it was interrupted, or when a
// process died. It owns no process; the cluster outlives it. Screen output goes through the session: a panel
// on a terminal, else a line every few seconds.
//
// Threads: one owner. Bounds: JobClient's, and one entry in `sent_` for each job of the run (some thousand).
#ifndef RINGWAY_CLI_DEMO_STAGE_H_
#define RINGWAY_CLI_DEMO_STAGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/demo/cluster.h"
#include "cli/demo/demo.h"
#include "cli/demo/interrupt.h"
#include "cli/demo/observer.h"
#include "cli/demo/tally.h"
#include "cli/demo/traffic.h"
#include "cli/demo/verdict.h"
#include "cli/load/job_client.h"

namespace ringway::demo {

class Stage {
 public:
  Stage(cli::Session& session, const DemoSettings& settings, const Fleet& fleet, const Script& script,
        Cluster& cluster, Interrupt& interrupt);

  // Until every router and worker has reported. Errors: DeadlineExceeded, Cancelled (interrupted).
  absl::Status AwaitWholeFleet();
  // Errors: Cancelled (interrupted), Internal (a process died).
  absl::Status Play(Traffic traffic);
  const Tally& tally() const { return tally_; }
  const SettledPlan& settled() const { return settled_; }
  // The longest that a job was sent after it was due: above a moment, the machine was too busy for this.
  double late_s_max() const { return late_s_max_; }

 private:
  struct Sent {
    std::size_t phase;
    RegionId source;
    double due_s;
  };

  double Now() const;
  Time At(double time_s) const;
  absl::Status EnterPhase(std::size_t phase, Traffic& traffic);
  void Send(const Arrival& arrival);
  void Collect(Time until);
  // Once a second: the screen, the plan of the hot region, dead processes.
  absl::Status Tick();
  void NotePlan(const Observation& seen);
  void Draw(const Observation& seen);

  cli::Session& session_;
  const DemoSettings& settings_;
  const Fleet& fleet_;
  const Script& script_;
  Cluster& cluster_;
  Interrupt& interrupt_;
  cli::AdminClient admin_;
  Observer observer_;
  Tally tally_;
  SettledPlan settled_;
  std::vector<Sent> sent_;  // by ticket
  Time began_;
  std::size_t phase_ = 0;
  double next_tick_s_ = 0;
  double late_s_max_ = 0;
  int lines_drawn_ = 0;
  std::string payload_;
  load::JobClient jobs_;  // last: its calls end before anything they use
};

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_STAGE_H_
