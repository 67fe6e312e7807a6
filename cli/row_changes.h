// What a dry run would change in a routing table, as a table for a screen.
//
// One line for each source, priority and target whose share would change, with the share now, the share then,
// and why it goes there; the lines of the largest traffic first. A row for which nobody asks now is counted
// and left out unless all are wanted. A row that a table does not hold means: stay home.
//
// Threads: pure functions over messages. Cost: n log n in the routes.
#ifndef RINGWAY_CLI_ROW_CHANGES_H_
#define RINGWAY_CLI_ROW_CHANGES_H_

#include <string_view>

#include "cli/text_table.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::cli {

struct RowChanges {
  TextTable table;
  int idle_rows = 0;  // left out
};

// Of the demand.
struct Shares {
  double away = 0;  // served in another region
  double shed = 0;
};
// Under the rows of `tier`, at the demand that the regions tell; 0 where nobody asks.
Shares SharesOf(const v1::RoutingTable& table, const v1::TierTable& tier,
                const google::protobuf::RepeatedPtrField<v1::RegionStatus>& regions);

// The tier's rows in the table; empty: it does not hold them.
v1::TierTable TierOf(const v1::RoutingTable& table, std::string_view tier);

// `now`: the table in force, of the same tier; empty: everything stays home. `status` names the rings.
RowChanges ChangesBetween(const v1::RoutingTable& now, const v1::DryRunReply& then,
                          const v1::StatusReply& status, bool all);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_ROW_CHANGES_H_
