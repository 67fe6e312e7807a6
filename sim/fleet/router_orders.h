// Orders that operators give at routers of a simulation, and the way of their records to the controller.
//
// As `ringway` does it (cli/operations_client.h) an order has a name and goes to all routers of a region, or
// to all there are: to drain workers, each those that it speaks for, or to cancel a job, which two of them
// may hold. What a router has done of it is kept with the daemon's class (router/order_records.h), goes with
// its reports, and is told again until the controller's answer has come; it is lost with the router's
// process.
//
// Nothing of it exists for a router that was never given an order. Complexity: O(workers of the order x its
// routers) an order. One owner.
#ifndef RINGWAY_SIM_FLEET_ROUTER_ORDERS_H_
#define RINGWAY_SIM_FLEET_ROUTER_ORDERS_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "controller/node_event.h"
#include "core/ids.h"
#include "router/order_records.h"
#include "sim/fleet/registries.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/stage.h"

namespace ringway::sim {

class RouterOrders {
 public:
  RouterOrders(Stage& stage, Routers& routers, Workers& workers, const Registries& registries);

  // An operator has the region's routers tell these workers to take nothing new, or to serve again. A worker
  // for which no router speaks is told to serve again by itself, as the operator sees that nobody does it.
  void Drain(RegionId region, const std::vector<WorkerId>& workers, bool drain);
  // Up to so many jobs at the region's routers are cancelled, each by an order of its own to all routers.
  void Cancel(RegionId region, int jobs);

  // What goes with the router's next report.
  std::vector<controller::OrderTold> Told(RouterId router) const;
  // The controller, which is there, says that it has recorded orders.
  void Acknowledge(RouterId router, const controller::SendRecorded& sent, RegionId there);

  // ---- the controller's audit log, of what routers had done ----
  // `kept`: it is on disk before anybody is told so (controller/daemon/audit_log.h).
  void Audit(const controller::AuditEntry& entry, bool kept);
  // As the next life of the controller reads it.
  const std::deque<std::string>& ReadAudit();
  void WipeAudit();

  // ---- from the queue ----
  void OnOrdered(RouterId router, std::uint32_t detail);
  void OnDrain(WorkerId worker, bool drain) { workers_.Drain(worker, drain); }
  void OnRecorded(RouterId router, std::uint32_t detail);
  void RouterDied(RouterId router) { records_[router].reset(); }

 private:
  // To a router.
  struct Order {
    std::string name;
    std::vector<WorkerId> workers;
    bool drain = false;
    JobSerial cancelled = 0;  // 0: it is about workers
  };
  struct Recorded {
    Life life = 0;
    controller::StreamId stream = 0;
    std::uint64_t number = 0;
  };

  std::string NewName();
  void Give(RouterId router, const Order& order);
  // False: it has no such job.
  bool CancelAt(RouterId router, JobSerial serial);
  void Keep(RouterId router, router::OrderGiven given);

  Stage& stage_;
  Routers& routers_;
  Workers& workers_;
  const Registries& registries_;
  IdVector<RouterId, std::optional<router::OrderRecords>> records_;
  std::deque<std::string> audit_;  // ids, the newest last
  bool audit_lost_ = false;        // entries of it, since it was read
  MessagePool<Order> orders_;
  MessagePool<Recorded> recorded_;
  std::uint64_t last_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_ROUTER_ORDERS_H_
