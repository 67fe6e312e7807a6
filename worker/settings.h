// The command line of ringway-worker.
//
// Every flag has a default but the three that say who the worker is. Errors name the flag, what was given and
// what is allowed. The list of backends is here; a new one is a name in kBackends, its flags, and a line in
// MakeBackend.
//
// Threads: called once, before anything starts.
#ifndef RINGWAY_WORKER_SETTINGS_H_
#define RINGWAY_WORKER_SETTINGS_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"
#include "worker/agent.h"
#include "worker/backends/engine.h"
#include "worker/backends/http.h"
#include "worker/backends/synthetic.h"
#include "worker/backends/videos.h"

namespace ringway::worker {

inline constexpr std::array<std::string_view, 3> kBackends = {"synthetic", "http", "engine"};

struct Settings {
  AgentSettings agent;
  std::string listen = "127.0.0.1:0";
  std::string http = "127.0.0.1:0";
  std::string port_file;    // empty: none
  std::string state_dir;    // where the journal is kept; empty: nowhere
  std::string fleet_token;  // of all programs of the fleet; empty: there is none
  bool fleet_token_optional = false;
  SyntheticSettings synthetic;
  HttpSettings upstream;         // of the http backend
  bool videos_upstream = false;  // it speaks the videos API: jobs are submitted, polled and downloaded
  bool videos_json = false;      // and takes them as JSON
  EngineSettings engine;
  runtime::LogLevel log_level = runtime::LogLevel::kInfo;
};

// The settings, or the exit code of a run that is over already (--help, or a mistake, which has been
// printed).
std::variant<Settings, int> ParseCommandLine(int argc, const char* const* argv);

// Errors: InvalidArgument for a name that is not in kBackends; what is wrong with the engine's model, which
// is loaded here.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const Settings& settings, runtime::EventLoop& loop);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_SETTINGS_H_
