// What survives a restart of the controller: its epoch, what operators decided, and the last table.
//
// Drains, thresholds, modes and pins, with the terms of those that have one, are kept by name, because a
// restart may load another topology; what no longer exists is dropped when the state is taken over. So is the
// demand of the last day, of tiers that are scaled. The last
// table and directory are kept with the fleet whose ids they speak. Learnt estimates are not durable: they
// start from their priors again, and the step limits of the plan make that harmless.
//
// Plain values; controller/wire/ turns them into the bytes of the state file.
#ifndef RINGWAY_CONTROLLER_DURABLE_STATE_H_
#define RINGWAY_CONTROLLER_DURABLE_STATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/canary/trial.h"
#include "controller/events.h"
#include "controller/fleet/directory.h"
#include "controller/scale/demand_history.h"
#include "controller/tiers/drain_ramp.h"
#include "controller/tiers/timed.h"
#include "core/fleet.h"
#include "core/table.h"

namespace ringway::controller {

struct DurableDrain {
  std::string region;
  DrainRamp ramp;
  Timed<double> order = {};
};

struct DurableThreshold {
  std::string region;
  Timed<std::optional<double>> order;
};

struct PinnedShares {
  std::vector<PinnedRoute> routes;
  double shed_fraction = 0;
};

struct DurablePin {
  std::string region;
  std::string priority;
  Timed<std::optional<PinnedShares>> order;
};

// Of a tier that is scaled: what entered the region in the last day.
struct DurableHistory {
  std::string region;
  scale::DemandHistory::Saved saved;
};

struct DurableTier {
  std::string tier;
  Timed<TierMode> mode = {};
  Timed<std::optional<double>> overload_threshold = {};
  std::vector<DurableThreshold> thresholds = {};
  std::vector<DurableDrain> drains = {};
  std::vector<DurablePin> pins = {};
  std::vector<DurableHistory> histories = {};
};

struct DurableState {
  std::uint64_t epoch = 0;  // the highest ever used or seen
  std::vector<DurableTier> tiers;
  std::shared_ptr<const Fleet> fleet;         // that the next two speak of; may hold names only
  std::shared_ptr<const RoutingTable> table;  // null: none was ever in force
  std::shared_ptr<const Directory> directory;
  canary::TrialState canary = {};  // and the settings in force, where the file asks for canaries
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DURABLE_STATE_H_
