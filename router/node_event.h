// What can happen to a router as a whole, as values: the input of its node (router_node.h).
//
// What concerns one part alone has that part's own event: jobs, tables and keys are the machine's
// (router_event.h), what passes over the streams of a tier's ledger the session's (ledger_session.h), pools
// and health checks the registry's (worker_registry.h). Here is what concerns several parts, which the node
// tells one after the other. Names have become numbers already, and the numbers are the shell's.
//
// Shells give concrete events. The variant is for whoever has to keep one until the turn is over, and for
// tests. Threads: values.
#ifndef RINGWAY_ROUTER_NODE_EVENT_H_
#define RINGWAY_ROUTER_NODE_EVENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/fleet.h"
#include "core/ids.h"
#include "router/router_event.h"
#include "router/session/ledger_session.h"
#include "router/worker_registry.h"

namespace ringway::router {

// It is time, as NextWake said.
struct NodeWake {};

// A worker over its watch stream. What it numbered anew is for leaders of ledgers, too.
struct WatchHeard {
  WorkerSaid said;
  std::optional<ledger::Announce> announce = std::nullopt;
};

struct TierLeader {
  TierId tier;
  LeaderNamed leader;
};
struct TierLeaderElsewhere {
  TierId tier;
  LeaderElsewhere leader;
};
// Who leads the ledgers of this router's region, and of the others. Of several for one tier the first counts.
struct LeadersGiven {
  std::vector<TierLeader> here;
  std::vector<TierLeaderElsewhere> elsewhere;
};
// The newest directory of a controller, whose epoch this is; or, from disk, one that is in force already and
// is not judged a second time.
struct DirectoryHeard {
  std::uint64_t epoch = 0;
  bool from_disk = false;
  DirectoryGiven given;
  LeadersGiven leaders;
};

// The fleet has changed. `tiers`: of every worker whose tier anybody has named, what that is now.
// `directory`: the one on disk, read anew, since it may name what this fleet has and the last one had not.
struct FleetHeard {
  std::shared_ptr<const Fleet> fleet;
  std::vector<TierResolved> tiers;
  std::optional<DirectoryHeard> directory = std::nullopt;
};

// What a session hears over the streams of its tier's ledger, or its leader's name from an operator.
struct TierHeard {
  TierId tier;
  SessionEvent event;
};

using NodeEvent = std::variant<NodeWake, RouterEvent, LocalWorkerNamed, PoolGiven, PoolWorkerChecked,
                               WatchHeard, WatchEnded, DirectoryHeard, FleetHeard, TierHeard>;

// ---- what the node itself wants; what its parts want is theirs (router_action.h, ledger_session.h,
// worker_registry.h) ----

// Told before any part hears of the directory, so that a shell takes over nothing from one that is refused.
struct DirectoryDecided {
  std::uint64_t epoch = 0;
  std::uint64_t epoch_seen_max = 0;  // of the controllers that this router has heard of
  bool active = false;               // else it is of an earlier leader, and changes nothing
  bool store = false;                // it takes the place of the one on disk
};
// For the log: the controller that welcomed this router cannot have had a predecessor of epoch `seen`.
struct EpochForgotten {
  std::uint64_t seen = 0;
  std::uint64_t leader = 0;
};
using NodeAction = std::variant<DirectoryDecided, EpochForgotten>;

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_NODE_EVENT_H_
