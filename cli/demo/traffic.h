// Which region's next job comes when: the arrival processes of all regions in one order.
//
// Each region has a stream of its own (sim/demand/arrivals.h): a day curve by its UTC offset, compressed to
// kDaySeconds, or a recorded trace turned by the same shift and scaled to the region's rate. Deterministic by
// seed. Times are seconds from the start of the demo. Cost: regions a draw. Threads: one owner.
#ifndef RINGWAY_CLI_DEMO_TRAFFIC_H_
#define RINGWAY_CLI_DEMO_TRAFFIC_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/demo/script.h"
#include "core/fleet.h"
#include "core/rng.h"
#include "sim/demand/arrivals.h"
#include "sim/demand/service_law.h"
#include "sim/demand/trace.h"

namespace ringway::demo {

struct Arrival {
  double at_s = 0;
  RegionId region;
  double service_s = 0;  // 0: whoever serves it draws one
};

class Traffic {
 public:
  // The arrivals of a scenario's demand and their service times, as the simulator draws them from this seed.
  Traffic(const Fleet& fleet, const Script& script, const sim::ServiceLaw& services, std::uint64_t seed);
  // `trace` may be null: the built-in day curve.
  Traffic(const Fleet& fleet, const Script& script, const sim::Trace* trace, std::uint64_t seed);

  // From the beginning of the phase on, its factors hold. Call in the order of the phases.
  void Enter(const Phase& phase);
  const Arrival& next() const { return next_; }
  void Pop();

 private:
  void Choose();

  std::vector<sim::ArrivalStream> streams_;
  std::vector<double> pending_s_;
  std::vector<double> factors_;
  // None: times are not drawn here.
  std::optional<sim::ServiceLaw> services_;
  Rng service_rng_;
  Arrival next_;
};

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_TRAFFIC_H_
