// What may be asked for, as GET /v1/models tells it: the names of tiers, and of what their workers hold.
//
// The list is written when the fleet changes and not for each client: SDKs and probes ask for it again and
// again. Complexity: linear in the names for Use, one look-up for One. One owner thread.
//
// Source: the OpenAI API, "list models" and "retrieve model"; created and owned_by are of no meaning here.
#ifndef RINGWAY_GATEWAY_MODEL_LIST_H_
#define RINGWAY_GATEWAY_MODEL_LIST_H_

#include <set>
#include <string>

#include "gateway/fleet_summary.h"

namespace ringway::gateway {

class ModelList {
 public:
  ModelList() { Write(); }

  void Use(const FleetSummary& summary);
  bool Has(const std::string& name) const { return names_.contains(name); }
  // JSON: all of them, and the one of that name.
  const std::string& all() const { return all_; }
  static std::string One(const std::string& name);
  // For a message to somebody who asked for another one.
  std::string Names() const;

 private:
  void Write();

  std::set<std::string> names_;
  std::string all_;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_MODEL_LIST_H_
