// A small world with routers that behave: they follow the table they were sent and report what they did.
//
// Rig drives a ControllerMachine in virtual time. Each region has `routers_each` routers; demand is set by
// region; a router splits its region's demand by the last table that was pushed, and the busy share of a
// region's workers follows from what arrives there (service time / workers). Nothing sleeps.
#ifndef RINGWAY_TESTS_CONTROLLER_RIG_H_
#define RINGWAY_TESTS_CONTROLLER_RIG_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/machine.h"
#include "core/time.h"

namespace ringway::controller {

// The regions of such a world.
inline constexpr RegionId kR0(0), kR1(1), kR2(2);

struct WorldShape {
  int regions = 3;
  int workers = 10;  // in each region
  int priorities = 1;
  int tiers = 1;
  double rtt_ms = 40;  // between neighbours; regions stand in a line
  bool ledger = false;
};

std::shared_ptr<Fleet> MakeFleet(const WorldShape& shape = {});
// Region names "r0", "r1", ...; tier names "t0", ...

class Rig {
 public:
  explicit Rig(std::shared_ptr<const Fleet> fleet, DurableState durable = {}, int routers_each = 2,
               ControllerSettings settings = {});

  // Connects all routers.
  void Connect();
  // One report of every connected router, then one second passes.
  void Second();
  void PassSeconds(int n) {
    for (int i = 0; i < n; ++i) Second();
  }
  // Steps and remembers the actions; takes the tables that are pushed.
  void Send(ControllerEvent event);
  // The answer to an operator.
  CommandAnswered Ask(decltype(OperatorCommand::what) what, Duration lasts = ZeroDuration());

  std::vector<StreamId> StreamsOf(RegionId region) const;
  RouterReport ReportOf(StreamId stream) const;
  // The table that the router was sent last; null: none.
  std::shared_ptr<const RoutingTable> Followed(StreamId stream) const;
  double LoadOf(RegionId region, TierId tier = TierId(0)) const;
  // Of the table in force.
  const Row& RowOf(RegionId source, Priority priority = 0, TierId tier = TierId(0)) const {
    return machine.table()->tiers[tier].at(priority, source);
  }
  double HomeFraction(RegionId source, Priority priority = 0) const;
  template <class Action>
  std::vector<Action> Taken() const {
    std::vector<Action> found;
    for (const ControllerAction& action : actions) {
      if (const auto* one = std::get_if<Action>(&action)) found.push_back(*one);
    }
    return found;
  }

  ControllerMachine machine;
  Time now;
  std::vector<ControllerAction> actions;  // since the last clear()
  std::map<StreamId, RouterHello> routers;
  IdVector<RegionId, double> demand_rps;                  // by region, for tier 0 and priority 0
  IdVector<RegionId, int> dead;                           // workers that are down
  IdVector<RegionId, double> slowness;                    // times the mean service time, 1 as a rule
  bool silent = false;                                    // routers stop reporting
  bool tells_outcomes = true;                             // they tell what came of the jobs that entered
  std::map<std::pair<RegionId, RegionId>, double> trips;  // ms from, to, as the routers there report them
  std::vector<std::pair<Time, ControllerEvent>> lived;
  // Told of each Step, as a shell tells its screens.
  std::function<void(const ControllerEvent&, const std::vector<ControllerAction>&)> stepped;

 private:
  StreamId next_stream_ = 1;
  int routers_each_;
};

// Empty when every row of every tier is sound: fractions and shed in [0, 1], summing to 1, targets distinct,
// with workers and not forbidden.
std::string WhatIsWrong(const RoutingTable& table, const Fleet& fleet);

}  // namespace ringway::controller

#endif  // RINGWAY_TESTS_CONTROLLER_RIG_H_
