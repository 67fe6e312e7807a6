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

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/fleet.h"
#include "core/ids.h"
#include "router/ledger_session.h"
#include "router/router_event.h"
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
// The newest directory.
struct DirectoryHeard {
  DirectoryGiven given;
  LeadersGiven leaders;
};

// The fleet has changed. `tiers`: of every worker whose tier anybody has named, what that is now.
// `directory`: the newest, read anew, since it may name what this fleet has and the last one had not.
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

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_NODE_EVENT_H_
