#include <limits>

#include "controller/screen/documents.h"
#include "controller/screen/held_table.h"
#include "core/json.h"

namespace ringway::controller {
namespace {

struct RouterTally {
  int connected = 0;
  int current = 0;  // of those, with the table in force, or one that was until a moment ago
};

IdVector<RegionId, RouterTally> CountRouters(const ControllerMachine& machine, Time now) {
  IdVector<RegionId, RouterTally> regions(machine.fleet()->world.regions.size());
  const ExpectedTable expected(machine, now);
  for (const auto& [name, router] : machine.view().routers()) {
    if (router.stream == 0) continue;
    RouterTally& tally = regions[router.hello.region];
    ++tally.connected;
    if (expected.HeldBy(name, router)) ++tally.current;
  }
  return regions;
}

void WriteRings(const Tier& tier, JsonWriter& json) {
  json.Key("rings").BeginArray();
  for (const RingSpec& ring : tier.route.rings) {
    json.BeginObject();
    json.Key("name").Text(ring.name);
    json.Key("rtt_ms_max").Number(ring.rtt_ms_max);
    json.Key("unlock_load").Number(ring.unlock_load);
    json.End();
  }
  json.End();
}

void WriteRegion(const RegionStatus& status, const TierLoop& loop, RegionId region, JsonWriter& json) {
  json.BeginObject();
  json.Key("name").Text(loop.fleet().world.regions[region].name);
  json.Key("load").Number(status.load);
  json.Key("planned").Number(status.planned_load);
  json.Key("home").Number(status.home_load);
  json.Key("demand").Number(status.demand_rps);
  json.Key("served").Number(status.served_rps);
  json.Key("away").Number(status.exported_share);
  json.Key("shed").Number(status.shed_share);
  json.Key("workers").Integer(status.workers);
  json.Key("seen").Integer(status.workers_seen);
  json.Key("health").Text(InputHealthName(status.health));
  json.Key("drained").Number(status.drain_share);
  json.Key("drain").Flag(loop.region(region).drain.goal > 0);
  json.Key("pinned").Flag(status.pinned);
  // What its routers really sent, by target; spills and a table that is on its way show here first.
  json.Key("sent").BeginObject();
  for (const TargetRps& cell : loop.region(region).traffic.sent_rps) {
    if (cell.rps > 0) json.Key(loop.fleet().world.regions[cell.target].name).Number(cell.rps);
  }
  json.End().End();
}

// What became of jobs lately. Rates are over the window; means are null where nothing was done.
void WriteOutcomes(const OutcomeSums& sums, JsonWriter& json) {
  const double window_s = ToDoubleSeconds(Outcomes::kWindow);
  const double nothing = std::numeric_limits<double>::quiet_NaN();  // null
  json.Key("outcomes").BeginObject();
  json.Key("window_s").Number(window_s);
  json.Key("done").Number(sums.done / window_s);
  json.Key("failed").Number(sums.failed / window_s);
  json.Key("late").Number(sums.timeouts / window_s);
  json.Key("refused").Number(sums.shed / window_s);
  json.Key("success").Number(sums.judged() > 0 ? sums.done / sums.judged() : nothing);
  json.Key("wait_s").Number(sums.done > 0 ? sums.wait_s / sums.done : nothing);
  json.Key("service_s").Number(sums.done > 0 ? sums.service_s / sums.done : nothing);
  json.Key("offers").Number(sums.ran > 0 ? sums.offers / sums.ran : nothing);
  json.End();
}

void WriteTier(const TierLoop& loop, const TierPicture& picture, const OutcomeSums& outcomes,
               JsonWriter& json) {
  json.BeginObject();
  json.Key("name").Text(loop.tier().name);
  json.Key("mode").Text(TierModeName(loop.mode()));
  json.Key("threshold").Number(loop.tier().route.overload_threshold);
  json.Key("demand").Number(picture.demand_rps);
  json.Key("home").Number(picture.home_rps);
  json.Key("away").Number(picture.away_rps);
  json.Key("shed").Number(picture.shed_rps);
  if (loop.plan() != nullptr) {
    json.Key("rtt_cost").Number(loop.plan()->facts.rtt_cost);
    json.Key("rtt_cost_optimal").Number(loop.plan()->facts.rtt_cost_optimal);
  }
  WriteOutcomes(outcomes, json);
  json.Key("regions").BeginArray();
  for (RegionId id(0); id != picture.regions.end_id(); id = RegionId(id.index() + 1)) {
    WriteRegion(picture.regions[id], loop, id, json);
  }
  json.End().End();
}

}  // namespace

std::string WorldDocument(const ScreenView& view) {
  const Fleet& fleet = *view.machine.fleet();
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("world").Text(fleet.world.name);
  json.Key("regions").BeginArray();
  for (const Region& region : fleet.world.regions) {
    json.BeginObject();
    json.Key("name").Text(region.name);
    json.Key("title").Text(region.title);
    json.Key("latitude").Number(region.latitude_deg);
    json.Key("longitude").Number(region.longitude_deg);
    json.Key("utc_offset_minutes").Integer(region.utc_offset_minutes);
    json.End();
  }
  json.End();
  json.Key("tiers").BeginArray();
  for (const Tier& tier : fleet.tiers) {
    json.BeginObject();
    json.Key("name").Text(tier.name);
    json.Key("priorities").Texts(tier.priorities);
    WriteRings(tier, json);
    json.End();
  }
  json.End().End();
  return json.text();
}

std::string FleetDocument(const ScreenView& view, const FleetPicture& picture, const EventLog& events,
                          const Timeline& timeline, const Outcomes& outcomes, Duration uptime) {
  const ControllerMachine& machine = view.machine;
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("at_ms").Integer(ToUnixMillis(view.wall));
  json.Key("controller").Text(machine.settings().name);
  json.Key("world").Text(machine.fleet()->world.name);
  json.Key("epoch").Integer(static_cast<std::int64_t>(machine.epoch()));
  json.Key("version").Integer(
      static_cast<std::int64_t>(machine.table() != nullptr ? machine.table()->version.version : 0));
  json.Key("settling").Flag(machine.settling());
  json.Key("uptime_s").Number(ToDoubleSeconds(uptime));
  json.Key("epoch_period_s").Number(ToDoubleSeconds(machine.settings().epoch_period));
  json.Key("events").Integer(static_cast<std::int64_t>(events.last()));
  json.Key("steps").Integer(static_cast<std::int64_t>(timeline.ended()));
  json.Key("routers").BeginArray();
  for (const RouterTally& tally : CountRouters(machine, view.now)) {
    json.BeginArray().Integer(tally.connected).Integer(tally.current).End();
  }
  json.End();
  json.Key("tiers").BeginArray();
  for (const TierLoop& loop : machine.tiers())
    WriteTier(loop, picture[loop.id().index()], outcomes.Of(loop.id(), view.now), json);
  json.End().End();
  return json.text();
}

}  // namespace ringway::controller
