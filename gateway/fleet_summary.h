// What the videos front must know of the fleet, as a value: which tiers are served, and who the other routers
// are.
//
// The router's agent makes one on each beat; the front, on a thread of its own, keeps the newest. Threads:
// values.
#ifndef RINGWAY_GATEWAY_FLEET_SUMMARY_H_
#define RINGWAY_GATEWAY_FLEET_SUMMARY_H_

#include <string>
#include <vector>

#include "core/model_set.h"
#include "core/picture_terms.h"

namespace ringway::gateway {

struct FleetSummary {
  struct Tier {
    std::string name;
    bool has_backend = false;    // some worker, here or in another region, can be reached
    ModelSet models = {};        // of the workers of this region
    PictureTerms pictures = {};  // likewise
    friend bool operator==(const Tier&, const Tier&) = default;
  };
  struct Peer {
    std::string name;
    std::string region;
    std::string address;  // host:port of its gRPC
    friend bool operator==(const Peer&, const Peer&) = default;
  };
  std::vector<Tier> tiers;
  std::vector<Peer> peers;  // in the newest directory, this router not among them
  friend bool operator==(const FleetSummary&, const FleetSummary&) = default;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_FLEET_SUMMARY_H_
