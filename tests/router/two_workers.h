// A directory of two workers and a fleet of one tier and two regions, for whoever needs names but no sockets.
#ifndef RINGWAY_TESTS_ROUTER_TWO_WORKERS_H_
#define RINGWAY_TESTS_ROUTER_TWO_WORKERS_H_

#include <string_view>

#include "router/wire/ledger_codec.h"

namespace ringway::router {

class TwoWorkers final : public WorkerNames {
 public:
  WorkerId FindWorker(std::string_view address) const override {
    if (address == "a:1") return WorkerId(0);
    return address == "b:2" ? WorkerId(1) : WorkerId();
  }
  std::string_view AddressOf(WorkerId worker) const override { return worker == WorkerId(0) ? "a:1" : "b:2"; }
};

inline Fleet FleetOfTwo() {
  Fleet fleet;
  for (const char* name : {"here", "there"}) {
    Region region;
    region.name = name;
    fleet.world.regions.push_back(region);
  }
  fleet.world.rtt = RttMatrix(2);
  Tier tier;
  tier.name = "animate";
  tier.priorities = {"interactive", "batch"};
  fleet.tiers.push_back(tier);
  return fleet;
}

}  // namespace ringway::router

#endif  // RINGWAY_TESTS_ROUTER_TWO_WORKERS_H_
