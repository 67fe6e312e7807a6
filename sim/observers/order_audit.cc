#include "sim/observers/order_audit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace ringway::sim {
namespace {

double SecondsOf(Time now) { return ToDoubleSeconds(now - UnixEpoch()); }

}  // namespace

void OrderAudit::OnOrderDone(Time now, RouterId router, const std::string& id) {
  Order& order = orders_[id];
  order.known_to.push_back(router);
  order.done_s = SecondsOf(now);
}

void OrderAudit::OnOrderRecorded(Time, const std::string& id) {
  ++recorded_;
  const auto found = orders_.find(id);
  if (found == orders_.end()) {
    broken_.push_back(absl::StrCat("order ", id, " is recorded, and no router has done it"));
    return;
  }
  if (found->second.recorded) broken_.push_back(absl::StrCat("order ", id, " is recorded twice"));
  found->second.recorded = true;
}

void OrderAudit::OnAuditLost(Time) {
  for (auto& [id, order] : orders_) {
    order.excused = order.excused || order.recorded;
    order.recorded = false;
  }
}

void OrderAudit::OnRouterDied(Time, RouterId router) {
  for (auto& [id, order] : orders_) std::erase(order.known_to, router);
}

void OrderAudit::OnSecond(Time now, Checkers& checkers) {
  if (orders_.empty() && broken_.empty()) return;
  for (const std::string& what : broken_) checkers.Violate(now, what);
  broken_.clear();
  const double now_s = SecondsOf(now);
  if (!recovery_.Calm(now_s) || !recovery_.Directed(now_s)) return;
  for (auto& [id, order] : orders_) {
    if (order.recorded || order.excused || order.known_to.empty()) continue;
    if (now_s - order.done_s < Recovery::kWithinS) continue;
    checkers.Violate(now, absl::StrCat("order ", id, " was carried out by router ",
                                       order.known_to.front().value(), ", and nobody has recorded it"));
    order.excused = true;  // said once
  }
}

}  // namespace ringway::sim
