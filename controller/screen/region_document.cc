#include <algorithm>
#include <vector>

#include "controller/orders/commands.h"
#include "controller/screen/documents.h"
#include "core/json.h"

namespace ringway::controller {
namespace {

struct Neighbour {
  RegionId region;
  double rtt_ms;
};

// Everybody else, nearest first.
std::vector<Neighbour> Neighbours(const World& world, RegionId source) {
  std::vector<Neighbour> others;
  for (RegionId id(0); id != world.regions.end_id(); id = RegionId(id.index() + 1)) {
    if (id != source) others.push_back({id, world.rtt.ms(source, id)});
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Neighbour& a, const Neighbour& b) { return a.rtt_ms < b.rtt_ms; });
  return others;
}

// The first ring that holds it; -1: none does.
int RingOf(const Tier& tier, double rtt_ms) {
  if (tier.route.rings.empty()) return -1;
  for (std::size_t r = 0; r < tier.route.rings.size(); ++r) {
    if (rtt_ms <= tier.route.rings[r].rtt_ms_max) return static_cast<int>(r);
  }
  return -1;
}

bool Forbidden(const Tier& tier, RegionId source, RegionId target) {
  if (!tier.residency_forbidden.contains(source)) return false;
  const std::vector<RegionId>& forbidden = tier.residency_forbidden[source];
  return std::find(forbidden.begin(), forbidden.end(), target) != forbidden.end();
}

}  // namespace

absl::StatusOr<std::string> RegionDocument(const ScreenView& view, std::string_view tier_name,
                                           std::string_view region_name) {
  const Fleet& fleet = *view.machine.fleet();
  const auto tier_id = FindTier(fleet, tier_name);
  if (!tier_id.ok()) return tier_id.status();
  const auto region = FindRegion(fleet, region_name);
  if (!region.ok()) return region.status();
  const TierLoop& loop = view.machine.tiers()[tier_id->index()];
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("tier").Text(loop.tier().name);
  json.Key("region").Text(fleet.world.regions[*region].name);
  json.Key("neighbours").BeginArray();
  for (const Neighbour& other : Neighbours(fleet.world, *region)) {
    json.BeginObject();
    json.Key("name").Text(fleet.world.regions[other.region].name);
    json.Key("rtt_ms").Number(other.rtt_ms);
    json.Key("estimated").Flag(fleet.world.rtt.estimated(*region, other.region));
    json.Key("measured").Flag(fleet.world.rtt.source(*region, other.region) == RttSource::kMeasured);
    json.Key("topology_ms").Number(view.machine.loaded_fleet()->world.rtt.ms(*region, other.region));
    json.Key("ring").Integer(RingOf(loop.tier(), other.rtt_ms));
    json.Key("forbidden").Flag(Forbidden(loop.tier(), *region, other.region));
    json.End();
  }
  json.End();
  json.Key("lines").Texts(ExplainRegion(loop, *region, view.now));
  json.End();
  return json.text();
}

}  // namespace ringway::controller
