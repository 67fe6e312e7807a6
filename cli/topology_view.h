// A topology on a screen: its regions, and for each region which regions its rings hold.
//
// A ring column lists the regions with workers of that tier within the ring's RTT but beyond the ring before,
// nearest first, each with its RTT in milliseconds; `~` marks an estimate. Regions that residency forbids are
// left out. Long lists are cut after `names_max`, with the count of the rest.
//
// Threads: pure functions. Cost: regions^2 log regions a tier.
#ifndef RINGWAY_CLI_TOPOLOGY_VIEW_H_
#define RINGWAY_CLI_TOPOLOGY_VIEW_H_

#include <cstddef>
#include <string>
#include <vector>

#include "cli/text_table.h"
#include "core/fleet.h"
#include "core/json.h"

namespace ringway::cli {

struct RingMember {
  RegionId region;
  double rtt_ms = 0;
  bool estimated = false;
};

// members[i] belongs to ring i of the tier.
using RingMembers = std::vector<std::vector<RingMember>>;
RingMembers RingsOf(const World& world, const Tier& tier, RegionId source);

TextTable RegionTable(const World& world);
TextTable RingTable(const World& world, const Tier& tier, std::size_t names_max);
void WriteTopologyJson(const Fleet& fleet, const std::vector<std::string>& remarks, JsonWriter& json);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_TOPOLOGY_VIEW_H_
