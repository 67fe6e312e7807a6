// How a controller daemon of the pair world is started in tests: on free ports of loopback, with quick
// periods and everything that it writes in the folder of the test.
#ifndef RINGWAY_TESTS_CONTROLLER_PAIR_SETTINGS_H_
#define RINGWAY_TESTS_CONTROLLER_PAIR_SETTINGS_H_

#include <fstream>

#include "controller/daemon/settings.h"
#include "core/time.h"
#include "tests/controller/test_router.h"
#include "tests/live/daemon_process.h"

namespace ringway::controller {

// Writes the world's file too.
inline DaemonSettings PairSettings(const live::ScratchFolder& folder) {
  DaemonSettings settings;
  settings.topology = folder.File("world.yaml");
  settings.state_dir = folder.File("state");
  settings.listen = "127.0.0.1:0";
  settings.http = "127.0.0.1:0";
  settings.log_level = runtime::LogLevel::kError;
  settings.controller.epoch_period = Milliseconds(50);
  settings.controller.report_period = Milliseconds(50);
  std::ofstream(settings.topology) << kPairWorld;
  return settings;
}

}  // namespace ringway::controller

#endif  // RINGWAY_TESTS_CONTROLLER_PAIR_SETTINGS_H_
