// The flags of ringway-controller, checked.
//
// Everything that can be wrong with the command line is found here, before anything starts; messages name the
// flag, what was found and what is allowed. Off loopback the gRPC port needs a token file. Threads: pure
// functions, apart from reading the token.
#ifndef RINGWAY_CONTROLLER_DAEMON_SETTINGS_H_
#define RINGWAY_CONTROLLER_DAEMON_SETTINGS_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "controller/daemon/history_store.h"
#include "controller/daemon/prometheus_source.h"
#include "controller/journal/recorder.h"
#include "controller/settings.h"
#include "runtime/log.h"

namespace ringway::controller {

struct DaemonSettings {
  std::string topology;
  std::string listen = "127.0.0.1:7400";
  std::string http = "127.0.0.1:7401";
  std::string scaler_listen;  // for autoscalers, without a token; empty: no such port
  std::string state_dir = "ringway-controller-state";
  std::string port_file;
  std::string token;         // of operators; empty: none is needed
  std::string router_token;  // of routers; empty: the fleet's or the operators' one
  std::string fleet_token;   // of all programs of the fleet; empty: there is none
  bool fleet_token_optional = false;
  bool dashboard_writes = false;
  std::vector<std::string> dashboard_hosts;
  ControllerSettings controller;
  JournalLimits journal;
  HistoryLimits history;
  std::optional<PrometheusSettings> prometheus;
  runtime::LogLevel log_level = runtime::LogLevel::kInfo;

  // One of these opens the routers' service.
  std::vector<std::string> RouterTokens() const {
    return {fleet_token, router_token.empty() ? token : router_token};
  }
};

// The settings, or the exit code: 0 after --help or --version, 2 after a message on standard error.
std::variant<DaemonSettings, int> ParseCommandLine(int argc, const char* const* argv);

// What every start checks, also one without a command line. Errors: InvalidArgument.
absl::Status Check(const DaemonSettings& settings);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_SETTINGS_H_
