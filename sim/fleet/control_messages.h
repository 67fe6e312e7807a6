// What routers and the controller of a simulation say to each other, as the other end reads it.
//
// Without a wire that is what was said; only the names in a directory become numbers, as the daemon makes
// them (router/wire/directory_codec.h). With one it is what is left of it (sim/fleet/wire.h).
//
// Complexity: linear in the message. One owner.
#ifndef RINGWAY_SIM_FLEET_CONTROL_MESSAGES_H_
#define RINGWAY_SIM_FLEET_CONTROL_MESSAGES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "controller/fleet/directory.h"
#include "controller/node_event.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "sim/fleet/registries.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/stage.h"

namespace ringway::sim {

class ControlMessages {
 public:
  ControlMessages(const Stage& stage, const Routers& routers, const Workers& workers);

  // To the controller, whose fleet is `map`; `report`: what the router's machine had reported.
  controller::NodeEvent Up(RouterId from, std::int64_t takes_ns, const Fleet& map,
                           controller::ControllerEvent said, const router::SendReport* report) const;
  // To the router. False: it makes nothing of it; `refusal`: why it refuses a table.
  bool Down(RouterId to, std::int64_t takes_ns, const Fleet& map, router::RouterEvent& said,
            std::string& refusal) const;
  // Nothing: it cannot be read.
  std::optional<Listing> Directory(RouterId to, const Fleet& map, const controller::Directory& directory);

 private:
  const router::once::ViewPtr& ViewOf(const controller::Directory& directory);
  std::shared_ptr<const router::DirectoryGiven> GivenTo(RouterId router,
                                                        const controller::Directory& directory);
  router::LeadersGiven LeadersFor(RouterId router, const controller::Directory& directory) const;

  const Stage& stage_;
  const Routers& routers_;
  const Workers& workers_;
  router::once::ViewPtr view_;                               // of the last directory
  absl::flat_hash_map<std::string, RouterId> router_named_;  // looked up only
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_CONTROL_MESSAGES_H_
