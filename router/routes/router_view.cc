#include "router/routes/router_view.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace ringway::router {

void ControllerContact::Welcomed(Time now, Duration report_period) {
  connected_ = true;
  heard_ = now;
  period_ = std::clamp(report_period, Milliseconds(10), Minutes(1));
  reported_ = now;
  report_at_ = now + period_;
}

void ControllerContact::Lost(Time now) {
  if (connected_) heard_ = now;
  connected_ = false;
  report_at_ = InfiniteFuture();
}

SendReport ControllerContact::NextReport(Time now) {
  SendReport report{.sequence = ++sequence_, .period = now - reported_};
  reported_ = now;
  report_at_ = now + period_;
  return report;
}

RouterView::RouterView(RegionId home_region, const std::string& name, std::uint64_t seed,
                       std::shared_ptr<const Fleet> known)
    : home(home_region), rng(seed, 0x726f75746572), region_routers(name), routes(home_region) {
  UseFleet(std::move(known));
}

void RouterView::UseFleet(std::shared_ptr<const Fleet> known) {
  RINGWAY_CHECK(known->world.regions.contains(home));
  RINGWAY_CHECK(fleet == nullptr || known->tiers.size() >= fleet->tiers.size());
  fleet = std::move(known);
  routes.UseFleet(*fleet);
}

void Learn(Turn& turn, const WorkerListed& event) {
  RINGWAY_CHECK(turn.view.fleet->tiers.contains(event.tier));
  turn.view.workers.List(event.worker, event.tier, event.local);
}

void Learn(Turn& turn, const WorkerUnlisted& event) { turn.view.workers.Unlist(event.worker); }

void Learn(Turn& turn, const RouterListed& event) {
  turn.view.peers.List(event.router, event.region);
  if (event.region == turn.view.home) {
    turn.view.region_routers.List(event.router, event.name);
  } else {
    turn.view.region_routers.Unlist(event.router);
  }
}

void Learn(Turn& turn, const RouterUnlisted& event) {
  turn.view.peers.Unlist(event.router);
  turn.view.region_routers.Unlist(event.router);
}

void Learn(Turn& turn, const FleetChanged& event) { turn.view.UseFleet(event.fleet); }

void Learn(Turn& turn, const TableOffered& event) {
  if (!event.from_disk) turn.view.controller.Heard(turn.now);
  TableDecided decided{.version = event.table->version, .from_disk = event.from_disk};
  decided.refusal = turn.view.routes.UseTable(event.table, event.from_disk);
  decided.active = decided.refusal.empty();
  turn.actions.emplace_back(std::move(decided));
}

void Learn(Turn& turn, const ControllerWelcomed& event) {
  turn.view.routes.FollowLeader(event.epoch);
  turn.view.controller.Welcomed(turn.now, event.report_period);
}

void Learn(Turn& turn, const ControllerLost&) { turn.view.controller.Lost(turn.now); }

void Learn(Turn& turn, const DrainChanged& event) { turn.view.draining = event.draining; }

}  // namespace ringway::router
