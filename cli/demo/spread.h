// Routing everywhere, by the controller's own means: pins that spread each region's jobs over all workers.
//
// A pinned row is what an operator would set; the routers follow it like any table. So "global" routing runs
// through exactly the same processes as Ringway's own, and only the table differs. The controller's audit log
// tells that the demo did it, and why.
//
// Threads: one owner. Cost: one admin call a region.
#ifndef RINGWAY_CLI_DEMO_SPREAD_H_
#define RINGWAY_CLI_DEMO_SPREAD_H_

#include "absl/status/status.h"
#include "cli/admin_client.h"
#include "core/fleet.h"

namespace ringway::demo {

// Pins every region's row to shares in proportion to workers, or takes the pins off again.
absl::Status SpreadEverywhere(cli::AdminClient& admin, const Fleet& fleet, TierId tier, bool spread);

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_SPREAD_H_
