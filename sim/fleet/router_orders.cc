#include "sim/fleet/router_orders.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/controller_node.h"
#include "sim/observers/observer.h"

namespace ringway::sim {

RouterOrders::RouterOrders(Stage& stage, Routers& routers, Workers& workers, const Registries& registries)
    : stage_(stage), routers_(routers), workers_(workers), registries_(registries) {
  while (records_.size() < routers.places().size()) records_.push_back(std::nullopt);
}

std::string RouterOrders::NewName() { return absl::StrCat("order-", ++last_); }

void RouterOrders::Give(RouterId router, const Order& order) {
  const int times = stage_.network.Repeats() ? 2 : 1;
  for (int i = 0; i < times; ++i) {
    stage_.After(stage_.network.HereNs(routers_.places()[router]), Happening::kRouterOrdered, router.value(),
                 orders_.Put(order));
  }
}

void RouterOrders::Drain(RegionId region, const std::vector<WorkerId>& workers, bool drain) {
  Order order{.name = NewName(), .workers = {}, .drain = drain};
  for (const WorkerId worker : workers) {
    if (workers_.plain(worker)) continue;  // it takes no orders
    const auto speaks = [&](std::size_t i) {
      return registries_.SpeaksFor(RouterId(i), workers_.InRegion(worker));
    };
    bool known = false;
    for (std::size_t i = 0; i < routers_.places().size() && !known; ++i) {
      known = routers_.places()[RouterId(i)] == region && speaks(i);
    }
    if (known) {
      order.workers.push_back(worker);
    } else if (!drain) {
      workers_.Drain(worker, false);
    }
  }
  for (std::size_t i = 0; i < routers_.places().size(); ++i) {
    if (routers_.places()[RouterId(i)] == region) Give(RouterId(i), order);
  }
}

void RouterOrders::Cancel(RegionId region, int jobs) {
  std::vector<JobSerial> found;
  for (std::size_t i = 0; i < routers_.places().size(); ++i) {
    if (routers_.places()[RouterId(i)] != region) continue;
    routers_.ForJobs(RouterId(i), [&](JobId, JobSerial serial, bool forwarded) {
      if (!forwarded && found.size() < static_cast<std::size_t>(jobs)) found.push_back(serial);
    });
  }
  for (const JobSerial serial : found) {
    const Order order{.name = NewName(), .workers = {}, .cancelled = serial};
    for (std::size_t i = 0; i < routers_.places().size(); ++i) Give(RouterId(i), order);
  }
}

// As the daemon does it (router/daemon/operations/operations.cc): whom it concerns is asked first, and an
// order that concerns nobody is no order.
void RouterOrders::OnOrdered(RouterId router, std::uint32_t detail) {
  const Order order = orders_.Take(detail);
  if (!routers_.alive(router)) return;
  using Part = router::OrderGiven::Part;
  router::OrderGiven given{.who = "scenario", .why = "order", .name = order.name};
  if (order.cancelled != 0) {
    if (!CancelAt(router, order.cancelled)) return;
    for (Observer* observer : stage_.observers) observer->OnJobCancelled(stage_.Now(), order.cancelled);
    given.part = Part::kSameEverywhere;
    given.action = absl::StrCat("cancel job ", order.cancelled);
    return Keep(router, std::move(given));
  }
  std::size_t ordered = 0;
  for (const WorkerId worker : order.workers) {
    if (!registries_.SpeaksFor(router, workers_.InRegion(worker))) continue;
    ++ordered;
    const WorkerPlace& place = workers_.places()[worker];
    stage_.After(place.local == router ? stage_.network.LocalNs() : stage_.network.HereNs(place.region),
                 Happening::kDrainReaches, worker.value(), order.drain ? 1 : 0);
  }
  if (ordered == 0) return;
  given.action = absl::StrCat(order.drain ? "drain " : "undrain ", ordered, " workers");
  Keep(router, std::move(given));
}

// To the machine it is a job that nobody waits for any more, but the router that forwarded it
// (router/daemon/jobs/job_orders.cc).
bool RouterOrders::CancelAt(RouterId router, JobSerial serial) {
  std::vector<std::pair<JobId, bool>> named;
  routers_.ForJobs(router, [&](JobId job, JobSerial of, bool forwarded) {
    if (of == serial) named.emplace_back(job, forwarded);
  });
  for (const auto& [job, forwarded] : named) {
    if (forwarded) {
      routers_.Step(router, router::JobWithdrawn{job});
    } else {
      routers_.Step(router, router::ClientGone{job});
    }
  }
  routers_.Rest(router);
  return !named.empty();
}

void RouterOrders::Keep(RouterId router, router::OrderGiven given) {
  std::optional<router::OrderRecords>& records = records_[router];
  if (!records) {
    records.emplace(Routers::NameOf(router), routers_.life(router), /*controlled=*/true);
    records->Welcomed(true);  // as every controller of a simulation says
  }
  records->Add(std::move(given), stage_.Now());
  for (Observer* observer : stage_.observers) {
    observer->OnOrderDone(stage_.Now(), router, records->orders().back().id);
  }
}

std::vector<controller::OrderTold> RouterOrders::Told(RouterId router) const {
  if (!records_[router]) return {};
  std::vector<controller::OrderTold> told;
  for (router::OrderDone& order : records_[router]->Told()) {
    told.push_back({.number = order.number,
                    .id = std::move(order.id),
                    .at = order.at,
                    .who = std::move(order.who),
                    .why = std::move(order.why),
                    .action = std::move(order.action)});
  }
  return told;
}

// One that is lost is not missed: the router tells the orders again.
void RouterOrders::Acknowledge(RouterId router, const controller::SendRecorded& sent, RegionId there) {
  if (!routers_.alive(router)) return;
  const auto delay = stage_.network.DelayNs(there, routers_.places()[router]);
  if (!delay) return;
  stage_.After(*delay, Happening::kOrdersRecorded, router.value(),
               recorded_.Put({routers_.life(router), sent.stream, sent.number}));
}

void RouterOrders::OnRecorded(RouterId router, std::uint32_t detail) {
  const Recorded recorded = recorded_.Take(detail);
  const bool stands = recorded.stream == routers_.control_stream(router);
  if (!stands || !routers_.alive(router) || routers_.life(router) != recorded.life) return;
  if (records_[router]) records_[router]->Recorded(recorded.number);
}

// ---- the audit log ----

void RouterOrders::Audit(const controller::AuditEntry& entry, bool kept) {
  if (entry.order.empty()) return;
  for (Observer* observer : stage_.observers) observer->OnOrderRecorded(stage_.Now(), entry.order);
  if (kept) {
    audit_.push_back(entry.order);
    if (audit_.size() > controller::ControllerNode::kOrdersKnown) audit_.pop_front();
  } else {
    audit_lost_ = true;
  }
}

const std::deque<std::string>& RouterOrders::ReadAudit() {
  if (std::exchange(audit_lost_, false)) {
    for (Observer* observer : stage_.observers) observer->OnAuditLost(stage_.Now());
  }
  return audit_;
}

void RouterOrders::WipeAudit() {
  audit_lost_ = audit_lost_ || !audit_.empty();
  audit_.clear();
}

}  // namespace ringway::sim
