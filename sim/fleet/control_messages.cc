#include "sim/fleet/control_messages.h"

#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "core/check.h"
#include "sim/fleet/wire.h"

namespace ringway::sim {

ControlMessages::ControlMessages(const Stage& stage, const Routers& routers, const Workers& workers)
    : stage_(stage), routers_(routers), workers_(workers) {
  for (std::size_t i = 0; i < routers.places().size(); ++i) {
    router_named_[Routers::NameOf(RouterId(i))] = RouterId(i);
  }
}

controller::NodeEvent ControlMessages::Up(RouterId from, std::int64_t takes_ns, const Fleet& map,
                                          controller::ControllerEvent said,
                                          const router::SendReport* report) const {
  if (stage_.wire == nullptr) return said;
  const Way way = WayOf(stage_, takes_ns, stage_.releases.routers[from], stage_.releases.controller);
  return stage_.wire->ToController(way, from, map, std::move(said), report);
}

bool ControlMessages::Down(RouterId to, std::int64_t takes_ns, const Fleet& map, router::RouterEvent& said,
                           std::string& refusal) const {
  if (stage_.wire == nullptr) return true;
  const Way way = WayOf(stage_, takes_ns, stage_.releases.controller, stage_.releases.routers[to]);
  if (auto* welcomed = std::get_if<router::ControllerWelcomed>(&said)) {
    return stage_.wire->Carry(way, *welcomed);
  }
  if (auto* changed = std::get_if<router::FleetChanged>(&said)) return stage_.wire->Carry(way, to, *changed);
  auto* offered = std::get_if<router::TableOffered>(&said);
  return offered == nullptr || stage_.wire->Carry(way, to, map, *offered, refusal);
}

std::optional<Listing> ControlMessages::Directory(RouterId to, const Fleet& map,
                                                  const controller::Directory& directory) {
  if (stage_.wire == nullptr) {
    return Listing{.epoch = directory.version.epoch,
                   .given = GivenTo(to, directory),
                   .leaders = LeadersFor(to, directory)};
  }
  Listing listing;
  const Way way = WayOf(stage_, 0, stage_.releases.controller, stage_.releases.routers[to]);
  if (!stage_.wire->Carry(way, to, map, directory, listing)) return std::nullopt;
  return listing;
}

const router::once::ViewPtr& ControlMessages::ViewOf(const controller::Directory& directory) {
  const TableVersion known = view_ ? TableVersion{view_->id.epoch, view_->id.version} : TableVersion();
  if (directory.view.version == 0) {
    view_ = nullptr;
  } else if (!view_ || known != directory.view) {
    std::vector<std::string> names;
    for (const controller::RouterEntry& entry : directory.routers) names.push_back(entry.name);
    std::vector<router::once::KnownView> before;
    for (const controller::PastView& past : directory.before) {
      before.push_back({.view = router::once::MakeView(past.number, past.routers), .left = past.left});
    }
    view_ = router::once::MakeView(directory.view, std::move(names), std::move(before));
  }
  return view_;
}

std::shared_ptr<const router::DirectoryGiven> ControlMessages::GivenTo(
    RouterId router, const controller::Directory& directory) {
  auto given = std::make_shared<router::DirectoryGiven>();
  given->partial = directory.partial;
  given->view = ViewOf(directory);
  for (const controller::RouterEntry& entry : directory.routers) {
    const auto found = router_named_.find(entry.name);
    if (found != router_named_.end()) given->routers.push_back({found->second, entry.region, entry.name});
  }
  const RegionId region = routers_.places()[router];
  if (!directory.workers.contains(region)) return given;
  const std::string name = Routers::NameOf(router);
  for (const controller::WorkerEntry& entry : directory.workers[region]) {
    std::size_t number = 0;
    RINGWAY_CHECK(absl::SimpleAtoi(entry.name.substr(entry.name.find('/') + 1), &number));
    given->workers.push_back(
        {workers_.InRegion(WorkerId(number)), entry.tier, entry.router == name, entry.draining});
  }
  return given;
}

router::LeadersGiven ControlMessages::LeadersFor(RouterId router,
                                                 const controller::Directory& directory) const {
  router::LeadersGiven leaders;
  const RegionId region = routers_.places()[router];
  if (directory.leaders.contains(region)) {
    for (const controller::LeaderEntry& entry : directory.leaders[region]) {
      const auto leader = router_named_.find(entry.router);
      const RouterId named = leader != router_named_.end() ? leader->second : RouterId();
      leaders.here.push_back({entry.tier,
                              {.router = named,
                               .self = named == router,
                               .incarnation = entry.incarnation,
                               .address = {},
                               .fence = entry.fence,
                               .fresh = entry.fresh}});
    }
  }
  for (RegionId r(0); r != directory.leaders.end_id(); r = RegionId(r.index() + 1)) {
    if (r == region) continue;
    for (const controller::LeaderEntry& entry : directory.leaders[r]) {
      const auto leader = router_named_.find(entry.router);
      if (leader != router_named_.end())
        leaders.elsewhere.push_back({entry.tier, {.region = r, .router = leader->second}});
    }
  }
  return leaders;
}

}  // namespace ringway::sim
