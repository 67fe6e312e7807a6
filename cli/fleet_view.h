// What a controller tells about its fleet, as tables for a screen.
//
// Loads are coloured by the tier's threshold: above it bad, within a tenth of it a warning. Shares are
// printed in percent, RPS with one decimal. Rows of a routing table that keep everything home are summed up
// in one line, because they are what one does not look for.
//
// Threads: pure functions over messages.
#ifndef RINGWAY_CLI_FLEET_VIEW_H_
#define RINGWAY_CLI_FLEET_VIEW_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/text_table.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::cli {

// At most this many routers are listed one by one unless all are asked for.
inline constexpr int kRoutersListed = 12;

TextTable RouterTable(const v1::StatusReply& status);
TextTable RegionLoadTable(const v1::TierStatus& tier);
// Regions first, then what is wrong, then the routers: summed up where there are many, with those that follow
// an earlier table or have not reported for long one by one. `all_routers`: each of them.
std::string StatusText(const v1::StatusReply& status, bool all_routers, bool colour);

// Every entry that does not stay home, with its ring, the load that opened it and the reason. `status` names
// the rings.
TextTable RouteTable(const v1::RoutingTable& table, const v1::TierTable& tier, const v1::StatusReply& status);
std::string RoutingText(const v1::RoutingTable& table, const v1::StatusReply& status, bool colour);

// "continent"; "ring 2" where the controller does not tell the names. `ring` counts from 0; below it is home.
std::string RingName(const v1::StatusReply& status, std::string_view tier, int ring);
// "3.41", as `rollback` takes it.
std::string VersionText(std::uint64_t epoch, std::uint64_t version);

// "us-east-1 1.07" in the colour of how hot that is.
Cell LoadCell(double load, double threshold);
std::string_view ReasonText(v1::RouteReason reason);
// Whether a route of this reason was opened by a load, which Route.unlock_load then is.
bool OpenedByLoad(v1::RouteReason reason);
std::string Percent(double share);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_FLEET_VIEW_H_
