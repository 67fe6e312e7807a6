// The command line of ringway-router.
//
// Every flag has a default but the two that say who the router is. Errors name the flag, what was given and
// what is allowed. How jobs are dispatched is not set here: that is the tier's (docs/router.md), and comes
// with the topology or from the controller.
//
// Threads: called once, before anything starts.
#ifndef RINGWAY_ROUTER_DAEMON_SETTINGS_H_
#define RINGWAY_ROUTER_DAEMON_SETTINGS_H_

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "core/http_pool.h"
#include "core/time.h"
#include "gateway/settings.h"
#include "router/daemon/jobs/job_calls.h"
#include "router/once/record_table.h"
#include "runtime/log.h"

namespace ringway::router {

struct NamedAddress {
  std::string router;
  std::string address;  // host:port of its gRPC
};

struct Settings {
  std::string name;
  std::string region;
  std::string listen = "127.0.0.1:7410";
  std::string advertise;  // empty: what it listens on
  std::string http = "127.0.0.1:0";
  std::string controller;   // empty: none
  std::string token;        // for the controller; empty: the fleet's
  std::string fleet_token;  // of all programs of the fleet; empty: there is none
  bool fleet_token_optional = false;
  std::vector<std::string> workers;  // beside this router
  std::string state_dir;             // empty: nothing is kept
  std::string topology;              // empty: the controller's map, or only what the workers say
  std::string port_file;             // empty: none
  std::string pool_file;             // plain HTTP workers and the listener in front of them; empty: none
  std::optional<HttpPoolSpec> pool;  // as read from it
  std::function<absl::StatusOr<HttpPoolSpec>()> read_pool;  // again, on SIGHUP
  std::optional<NamedAddress> leader;                       // of the pool's ledger; none: see docs/router.md
  CallSettings calls;
  gateway::VideosSettings videos;  // the HTTP API
  once::TableBounds once;          // records of keyed jobs
  std::size_t watch_max = 64;      // workers watched beyond those beside
  Duration offer_limit = Seconds(2);
  Duration drain_grace = Minutes(5);
  std::uint64_t journal_bytes = 0;  // of what the machine is told, in the state folder; 0: none is kept
  std::uint64_t seed = 0;           // 0: drawn from the name
  runtime::LogLevel log_level = runtime::LogLevel::kInfo;
};

// The settings, or the exit code of a run that is over already (--help, or a mistake, which has been
// printed).
std::variant<Settings, int> ParseCommandLine(int argc, const char* const* argv);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_SETTINGS_H_
