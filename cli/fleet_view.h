// What a controller tells about its fleet, as tables for a screen.
//
// Loads are coloured by the tier's threshold: above it bad, within a tenth of it a warning. Shares are
// printed in percent, RPS with one decimal. Rows of a routing table that keep everything home are summed up
// in one line, because they are what one does not look for.
//
// Threads: pure functions over messages.
#ifndef RINGWAY_CLI_FLEET_VIEW_H_
#define RINGWAY_CLI_FLEET_VIEW_H_

#include <string>

#include "cli/text_table.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::cli {

TextTable RouterTable(const v1::StatusReply& status);
TextTable RegionLoadTable(const v1::TierStatus& tier);
std::string StatusText(const v1::StatusReply& status, bool colour);

// Every entry that does not stay home, with its ring, the load that opened it and the reason.
TextTable RouteTable(const v1::RoutingTable& table, const v1::TierTable& tier);
std::string RoutingText(const v1::RoutingTable& table, bool colour);

// "us-east-1 1.07" in the colour of how hot that is.
Cell LoadCell(double load, double threshold);
std::string_view ReasonText(v1::RouteReason reason);
// Whether a route of this reason was opened by a load, which Route.unlock_load then is.
bool OpenedByLoad(v1::RouteReason reason);
std::string Percent(double share);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_FLEET_VIEW_H_
