// Brings up a small world that stays on this machine: a controller, a router in each region, the workers.
//
// They are the programs that a real fleet runs, on loopback, with the regions' round-trip times emulated
// between the routers; behind the workers is the bundled engine, so that what comes back is a film. Each
// process lives on by itself (runtime/detached_process.h) and is in the record before the next one starts.
// When one does not come up, or somebody interrupts, all that were started are ended again.
//
// The controller, its dashboard, the first router and its videos API have the ports that every command and
// page of the documentation takes for granted; the others take free ones. Blocks until the controller sees
// the whole fleet. Bounds: kRegionsMax, kWorkersMax. Threads: one owner.
#ifndef RINGWAY_CLI_WORLD_RAISE_H_
#define RINGWAY_CLI_WORLD_RAISE_H_

#include <string>

#include "absl/status/statusor.h"
#include "cli/demo/interrupt.h"
#include "cli/session.h"
#include "cli/world/record.h"
#include "core/time.h"

namespace ringway::cli {

struct WorldSettings {
  std::string programs;  // folder of the daemons
  std::string folder = kDefaultWorldFolder;
  std::string topology;            // file
  std::string backend = "engine";  // of the workers: engine, synthetic
  std::string model;               // directory, of the engine; empty: the bundled one
  bool free_ports = false;
};

inline constexpr std::size_t kWorldRegionsMax = 8;
inline constexpr int kWorldWorkersMax = 48;

// Errors: AlreadyExists (a world is up in the folder, or something else lies there), Unavailable (a port is
// taken, a process did not come up), Cancelled (interrupted), what the topology has wrong.
absl::StatusOr<WorldRecord> RaiseWorld(Session& session, const WorldSettings& settings,
                                       demo::Interrupt& interrupt);

struct WorldEnd {
  std::size_t processes = 0;  // that ran until now
  std::size_t killed = 0;     // that had to be
};
// Asks all processes of the record to end, waits a little, kills the rest; each is reached by its own
// identity.
WorldEnd EndProcesses(const WorldRecord& record);
// What `up` has made in the folder, and the folder if nothing else is in it. `logs`: run/ stays.
void RemoveWorldFiles(const std::string& folder, bool logs);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_WORLD_RAISE_H_
