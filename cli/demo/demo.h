// The demo: a small world of real processes on one machine, with traffic that moves through it, for a minute.
//
//   start processes -> wait until the fleet is whole -> play the script -> wait for the last jobs -> stop
//   everything -> summary
//
// Arrivals are open loop: a job is sent when it is due, whatever became of the ones before. The loop below
// sleeps until the next arrival, end or redraw; everything that could block lives elsewhere (observer.h,
// cli/load/job_client.h).
//
// Threads: runs on the caller's. Ends by itself after the script's length plus the deadline of a job.
#ifndef RINGWAY_CLI_DEMO_DEMO_H_
#define RINGWAY_CLI_DEMO_DEMO_H_

#include <cstdint>
#include <string>

#include "cli/demo/picture_act.h"
#include "cli/demo/script.h"
#include "cli/session.h"

namespace ringway::demo {

struct DemoSettings {
  std::string topology;  // file
  std::string scenario;  // file of the simulator, played instead of the demo's own script; empty: none
  std::string programs;  // folder of the daemons
  std::string trace;     // CSV file; empty: the built-in day curve
  RouteChoice route = RouteChoice::kBoth;
  double length_s = 66;
  std::uint64_t seed = 1;
  PictureSettings picture = {};
  bool keep = false;      // the folder with logs and state
  bool terminal = false;  // draw a panel over itself
};

// The exit code.
int RunDemo(cli::Session& session, const DemoSettings& settings);

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_DEMO_H_
