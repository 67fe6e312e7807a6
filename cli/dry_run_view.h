// What a dry run found, as text for a screen: loads of regions, what leaves home, what has no room, and the
// rows of the table that would change.
//
// The rows are compared with the table in force, and one that a table does not hold stays home
// (row_changes.h). Threads: DryRunText is a pure function; the rest is one blocking call after another by one
// owner.
#ifndef RINGWAY_CLI_DRY_RUN_VIEW_H_
#define RINGWAY_CLI_DRY_RUN_VIEW_H_

#include <string>

#include "cli/admin_client.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::cli {

// What a dry run is compared with.
struct InForce {
  v1::RoutingTable table;  // of the tier; empty: everything at home
  v1::StatusReply status;  // names the rings
};
// What the controller does not answer stays empty: before the first table everything is at home.
InForce AskInForce(AdminClient& admin, const std::string& tier);

// `all`: also rows for which nobody asks now.
std::string DryRunText(const v1::DryRunReply& then, const InForce& now, bool all, bool colour);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_DRY_RUN_VIEW_H_
