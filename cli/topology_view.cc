#include "cli/topology_view.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::cli {
namespace {

std::string UtcOffset(int minutes) {
  return absl::StrFormat("%c%02d:%02d", minutes < 0 ? '-' : '+', std::abs(minutes) / 60,
                         std::abs(minutes) % 60);
}

std::string RingText(const World& world, const std::vector<RingMember>& members, std::size_t names_max) {
  std::string text;
  for (std::size_t i = 0; i < std::min(members.size(), names_max); ++i) {
    const RingMember& member = members[i];
    absl::StrAppendFormat(&text, "%s%s %s%.0f", i > 0 ? ", " : "", world.regions[member.region].name,
                          member.estimated ? "~" : "", member.rtt_ms);
  }
  if (members.size() > names_max) absl::StrAppend(&text, " and ", members.size() - names_max, " more");
  return text.empty() ? "-" : text;
}

void WriteRegionJson(const World& world, RegionId id, JsonWriter& json) {
  const Region& region = world.regions[id];
  json.BeginObject();
  json.Key("name").Text(region.name);
  json.Key("title").Text(region.title);
  json.Key("latitude_deg").Number(region.latitude_deg);
  json.Key("longitude_deg").Number(region.longitude_deg);
  json.Key("utc_offset_minutes").Integer(region.utc_offset_minutes);
  json.Key("population_share").Number(region.population_share);
  json.End();
}

void WriteRingsJson(const World& world, const Tier& tier, RegionId source, JsonWriter& json) {
  json.BeginObject();
  json.Key("region").Text(world.regions[source].name);
  json.Key("workers").Integer(tier.regions[source].workers);
  json.Key("rings").BeginArray();
  const RingMembers rings = RingsOf(world, tier, source);
  for (std::size_t i = 0; i < rings.size(); ++i) {
    json.BeginObject();
    json.Key("ring").Text(tier.route.rings[i].name);
    json.Key("members").BeginArray();
    for (const RingMember& member : rings[i]) {
      json.BeginObject();
      json.Key("region").Text(world.regions[member.region].name);
      json.Key("rtt_ms").Number(member.rtt_ms);
      json.Key("estimated").Flag(member.estimated);
      json.End();
    }
    json.End().End();
  }
  json.End().End();
}

}  // namespace

RingMembers RingsOf(const World& world, const Tier& tier, RegionId source) {
  std::vector<RingMember> nearest;
  for (std::size_t i = 0; i < world.regions.size(); ++i) {
    const RegionId target(i);
    if (target == source || tier.regions[target].workers == 0) continue;
    if (!tier.residency_forbidden.empty()) {
      const std::vector<RegionId>& forbidden = tier.residency_forbidden[source];
      if (std::find(forbidden.begin(), forbidden.end(), target) != forbidden.end()) continue;
    }
    nearest.push_back({target, world.rtt.ms(source, target), world.rtt.estimated(source, target)});
  }
  std::stable_sort(nearest.begin(), nearest.end(),
                   [](const RingMember& a, const RingMember& b) { return a.rtt_ms < b.rtt_ms; });
  RingMembers rings(tier.route.rings.size());
  std::size_t ring = 0;
  for (const RingMember& member : nearest) {
    while (ring < rings.size() && member.rtt_ms > tier.route.rings[ring].rtt_ms_max) ++ring;
    if (ring == rings.size()) break;
    rings[ring].push_back(member);
  }
  return rings;
}

TextTable RegionTable(const World& world) {
  TextTable table({{"REGION"},
                   {"PLACE"},
                   {"LATITUDE", Align::kRight},
                   {"LONGITUDE", Align::kRight},
                   {"UTC", Align::kRight},
                   {"USERS %", Align::kRight}});
  for (const Region& region : world.regions) {
    table.Add({region.name, region.title, absl::StrFormat("%.2f", region.latitude_deg),
               absl::StrFormat("%.2f", region.longitude_deg), UtcOffset(region.utc_offset_minutes),
               absl::StrFormat("%.1f", 100 * region.population_share)});
  }
  return table;
}

TextTable RingTable(const World& world, const Tier& tier, std::size_t names_max) {
  std::vector<Column> columns = {{"REGION"}, {"WORKERS", Align::kRight}};
  for (const RingSpec& ring : tier.route.rings) {
    columns.push_back(
        {absl::StrFormat("%s (%.0f ms, from load %.2f)", ring.name, ring.rtt_ms_max, ring.unlock_load)});
  }
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < world.regions.size(); ++i) {
    const RegionId source(i);
    std::vector<Cell> row = {world.regions[source].name, absl::StrCat(tier.regions[source].workers)};
    for (const auto& members : RingsOf(world, tier, source))
      row.push_back(RingText(world, members, names_max));
    table.Add(std::move(row));
  }
  return table;
}

void WriteTopologyJson(const Fleet& fleet, const std::vector<std::string>& remarks, JsonWriter& json) {
  json.BeginObject();
  json.Key("world").Text(fleet.world.name);
  json.Key("remarks").Texts(remarks);
  json.Key("regions").BeginArray();
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i)
    WriteRegionJson(fleet.world, RegionId(i), json);
  json.End();
  json.Key("tiers").BeginArray();
  for (const Tier& tier : fleet.tiers) {
    json.BeginObject();
    json.Key("tier").Text(tier.name);
    json.Key("overload_threshold").Number(tier.route.overload_threshold);
    json.Key("regions").BeginArray();
    for (std::size_t i = 0; i < fleet.world.regions.size(); ++i)
      WriteRingsJson(fleet.world, tier, RegionId(i), json);
    json.End().End();
  }
  json.End().End();
}

}  // namespace ringway::cli
