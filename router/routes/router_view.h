// What a router has been told: the fleet, its workers, the other routers, the table, the controller.
//
// The machines for jobs and keys read it; only events change it (`Learn`), and the jobs' own offers, which
// are part of what is known of a worker.
//
// Invariants: ids of regions and tiers keep their meaning, because a fleet only grows; the home region is in
// every fleet. Complexity: O(1) for most events, linear in the own rows for a table and in the tiers for a
// fleet. One owner thread.
#ifndef RINGWAY_ROUTER_ROUTES_ROUTER_VIEW_H_
#define RINGWAY_ROUTER_ROUTES_ROUTER_VIEW_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/fleet.h"
#include "core/rng.h"
#include "core/state.h"
#include "core/time.h"
#include "router/dispatch/worker_view.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/routes/imports.h"
#include "router/routes/peer_view.h"
#include "router/routes/route_choice.h"

namespace ringway::router {

// The controller, as far as a router knows it, and when it wants to hear from us.
class ControllerContact {
 public:
  void Welcomed(Time now, Duration report_period);
  void Lost(Time now);
  void Heard(Time now) { heard_ = now; }
  // A share that the table sheds is still to be refused.
  bool ShedStands(Time now) const { return connected_ || now <= heard_ + kShedStands; }
  Time report_at() const { return report_at_; }
  // A report begins: number and period are filled in.
  SendReport NextReport(Time now);

  RINGWAY_STATE(connected_, heard_, period_, reported_, report_at_, sequence_)

 private:
  bool connected_ = false;
  Time heard_ = InfinitePast();
  Duration period_ = Seconds(1);
  Time reported_ = InfinitePast();
  Time report_at_ = InfiniteFuture();
  std::uint64_t sequence_ = 0;
};

struct RouterView {
  RouterView(RegionId home_region, const std::string& name, std::uint64_t seed,
             std::shared_ptr<const Fleet> known);

  RegionId home;
  std::shared_ptr<const Fleet> fleet;
  Rng rng;
  dispatch::WorkerView workers;
  PeerView peers;
  RegionRouters region_routers;
  RouteChooser routes;
  ControllerContact controller;
  bool draining = false;

  const std::string& tier_name(TierId tier) const { return fleet->tiers[tier].name; }
  const std::string& region_name(RegionId region) const { return fleet->world.regions[region].name; }
  void UseFleet(std::shared_ptr<const Fleet> known);
  RINGWAY_STATE(rng, workers, peers, region_routers, routes, controller, draining)
};

// One call of the router's Step: its time, what is known, and where its actions go.
struct Turn {
  Time now;
  RouterView& view;
  std::vector<RouterAction>& actions;
};

// ---- events about what is known ----
void Learn(Turn& turn, const WorkerListed& event);
void Learn(Turn& turn, const WorkerUnlisted& event);
void Learn(Turn& turn, const RouterListed& event);
void Learn(Turn& turn, const RouterUnlisted& event);
void Learn(Turn& turn, const FleetChanged& event);
void Learn(Turn& turn, const TableOffered& event);
void Learn(Turn& turn, const ControllerWelcomed& event);
void Learn(Turn& turn, const ControllerLost& event);
void Learn(Turn& turn, const DrainChanged& event);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTES_ROUTER_VIEW_H_
