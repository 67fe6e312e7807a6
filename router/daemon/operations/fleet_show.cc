#include "router/daemon/operations/fleet_show.h"

#include <utility>

#include "core/header_text.h"

namespace ringway::router {
namespace {

constexpr std::size_t kTypeBytesMax = 64;

PictureNeed NeedOf(v1::PictureNeed need) {
  if (need == v1::PICTURE_NEED_NONE) return PictureNeed::kNone;
  if (need == v1::PICTURE_NEED_OPTIONAL) return PictureNeed::kOptional;
  if (need == v1::PICTURE_NEED_REQUIRED) return PictureNeed::kRequired;
  return PictureNeed::kUnsaid;  // by a later release, perhaps
}

// The types stand in answers to clients: those that are no names, or too many, say nothing.
PictureTerms TermsOf(const v1::WorkerState& state) {
  PictureTerms terms{.need = NeedOf(state.picture_need()), .pixels_max = state.picture_pixels_max()};
  for (const std::string& type : state.picture_types()) {
    if (terms.types.size() == PictureTerms::kTypesMax || !HeaderText::Parse(type, kTypeBytesMax)) {
      terms.types.clear();
      break;
    }
    terms.types.push_back(type);
  }
  return terms;
}

// Workers of this region that have said what they are.
template <typename Each>
void ForEachSpoken(const KnownFleet& fleet, const AddressTable& addresses, const WorkerRegistry& registry,
                   const Each& each) {
  for (WorkerId id(0); id != addresses.workers().end_id(); id = WorkerId(id.index() + 1)) {
    const KnownWorker& worker = *addresses.workers()[id];
    const bool known = registry.local(id) || registry.in_region(id);
    if (!known || worker.state.wire_version() == 0) continue;
    if (const auto tier = fleet.fleet->FindTier(worker.tier)) each(*tier, worker.state);
  }
}

gateway::FleetSummary SummaryOf(const KnownFleet& known, const AddressTable& addresses,
                                const dispatch::WorkerView& workers) {
  gateway::FleetSummary summary;
  const Fleet& fleet = *known.fleet;
  IdVector<RegionId, bool> reached(fleet.world.regions.size(), false);
  for (RouterId id(0); id != addresses.routers().end_id(); id = RouterId(id.index() + 1)) {
    const KnownRouter& router = *addresses.routers()[id];
    if (!router.listed) continue;
    summary.peers.push_back({router.name, router.region, router.address});
    if (const auto region = fleet.world.FindRegion(router.region)) reached[*region] = true;
  }
  for (TierId t(0); t != fleet.tiers.end_id(); t = TierId(t.index() + 1)) {
    if (known.retired.contains(t) && known.retired[t]) continue;
    const Tier& tier = fleet.tiers[t];
    bool has_backend = workers.listed_workers(t) > 0;
    for (RegionId r(0); r != fleet.world.regions.end_id(); r = RegionId(r.index() + 1)) {
      if (reached[r] && tier.regions.contains(r) && tier.regions[r].workers > 0) has_backend = true;
    }
    summary.tiers.push_back({tier.name, has_backend, known.models[t], known.pictures[t]});
  }
  return summary;
}

}  // namespace

IdVector<TierId, ModelSet> ModelsHeard(const KnownFleet& fleet, const AddressTable& addresses,
                                       const WorkerRegistry& registry) {
  IdVector<TierId, ModelSet> models(fleet.fleet->tiers.size(), ModelSet());
  ForEachSpoken(fleet, addresses, registry,
                [&models](TierId tier, const v1::WorkerState& state) { models[tier].Add(state.model()); });
  return models;
}

IdVector<TierId, PictureTerms> PicturesHeard(const KnownFleet& fleet, const AddressTable& addresses,
                                             const WorkerRegistry& registry) {
  IdVector<TierId, PictureTerms> pictures(fleet.fleet->tiers.size(), PictureTerms());
  IdVector<TierId, bool> heard(fleet.fleet->tiers.size(), false);
  ForEachSpoken(fleet, addresses, registry, [&](TierId tier, const v1::WorkerState& state) {
    if (heard[tier]) {
      pictures[tier].Join(TermsOf(state));
    } else {
      pictures[tier] = TermsOf(state);
    }
    heard[tier] = true;
  });
  return pictures;
}

void FleetShow::Tell(const KnownFleet& fleet, const AddressTable& addresses,
                     const dispatch::WorkerView& workers) {
  if (!show_) return;
  gateway::FleetSummary summary = SummaryOf(fleet, addresses, workers);
  if (shown_ && *shown_ == summary) return;
  show_(summary);
  shown_ = std::move(summary);
}

}  // namespace ringway::router
