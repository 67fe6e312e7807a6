// What operators had routers do comes into the controller's audit log once: a judge of every run.
//
// Of each order that a router has carried out:
//   * the controller records it no second time, however often and by whomever it is told;
//   * thirty seconds after it, when all is calm (sim/observers/recovery.h) and the controller reaches the
//     routers, it is recorded, as long as a router that has done it still runs: what a router knows that
//     ends is lost with it;
// and nothing is recorded that no router has done. A controller that has found old entries on its disk, or
// none, is excused for what it had recorded before.
//
// Sees everything and changes nothing. Memory: the orders of a run. Complexity: O(orders) a calm second.
#ifndef RINGWAY_SIM_OBSERVERS_ORDER_AUDIT_H_
#define RINGWAY_SIM_OBSERVERS_ORDER_AUDIT_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/time.h"
#include "sim/observers/checkers.h"
#include "sim/observers/observer.h"
#include "sim/observers/recovery.h"

namespace ringway::sim {

class OrderAudit : public Observer {
 public:
  explicit OrderAudit(const Recovery& recovery) : recovery_(recovery) {}
  // Reports what is broken.
  void OnSecond(Time now, Checkers& checkers);
  void OnOrderDone(Time now, RouterId router, const std::string& id) override;
  void OnOrderRecorded(Time now, const std::string& id) override;
  void OnAuditLost(Time now) override;
  void OnRouterDied(Time now, RouterId router) override;
  std::size_t recorded() const { return recorded_; }

 private:
  struct Order {
    std::vector<RouterId> known_to;  // that have done it, and run
    double done_s = 0;               // by the last of them
    bool recorded = false;
    bool excused = false;
  };

  const Recovery& recovery_;
  std::map<std::string, Order> orders_;  // by id
  std::vector<std::string> broken_;      // since the last second
  std::size_t recorded_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_OBSERVERS_ORDER_AUDIT_H_
