// A fleet at one moment, from a file: what `ringway plan` plans for.
//
// A YAML document of kind Snapshot in the same frame as a topology:
//
//   spec:
//     tier: animate                     needed if there are several
//     regions:
//       - region: us-east-1
//         demandRps: 31.5               or by priority: {interactive: 30, batch: 1.5}
//         loadCost: 0.05                default: serviceMean / workers
//         loadCostLow, loadCostHigh     default: loadCost
//         backgroundLoad: 0, measuredLoad: 0
//         usableShare: 1                default: 1 - reserveShare
//         health: fresh                 or stale, missing
//         draining: false
//
// A region that is not listed has no demand and the defaults. Mistakes are listed as for topologies.
// Threads: pure function over text.
#ifndef RINGWAY_CLI_SNAPSHOT_FILE_H_
#define RINGWAY_CLI_SNAPSHOT_FILE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "core/snapshot.h"
#include "topology/topology.h"

namespace ringway::cli {

absl::StatusOr<TierSnapshot> ParseSnapshot(std::string_view text, std::string_view file_name,
                                           const Topology& topology);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_SNAPSHOT_FILE_H_
