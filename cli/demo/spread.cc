#include "cli/demo/spread.h"

#include "core/table.h"

namespace ringway::demo {
namespace {

v1::PinRequest Request(const Fleet& fleet, const Tier& tier, RegionId source, bool spread) {
  v1::PinRequest request;
  request.mutable_by()->set_who(cli::OperatorName());
  request.mutable_by()->set_why("demo: what would routing everywhere cost?");
  request.set_tier(tier.name);
  request.set_region(fleet.world.regions[source].name);
  request.set_pin(spread);
  if (!spread) return request;
  double workers = 0;
  for (const TierRegion& region : tier.regions) workers += region.workers;
  v1::Row& row = *request.mutable_row();
  row.set_source(static_cast<std::uint32_t>(source.index()));
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    request.add_regions(fleet.world.regions[RegionId(i)].name);
    if (tier.regions[RegionId(i)].workers == 0) continue;
    v1::Route& route = *row.add_routes();
    route.set_target(static_cast<std::uint32_t>(i));
    route.set_fraction(tier.regions[RegionId(i)].workers / workers);
    route.set_ring(RegionId(i) == source ? ringway::kHomeRing : 0);
    route.set_reason(v1::ROUTE_REASON_PINNED);
  }
  return request;
}

}  // namespace

absl::Status SpreadEverywhere(cli::AdminClient& admin, const Fleet& fleet, TierId tier, bool spread) {
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    const absl::StatusOr<v1::ActionReply> reply =
        admin.Call(&v1::Admin::Stub::Pin, Request(fleet, fleet.tiers[tier], RegionId(i), spread));
    if (!reply.ok()) return reply.status();
    if (!reply->done()) return absl::FailedPreconditionError(reply->message());
  }
  return absl::OkStatus();
}

}  // namespace ringway::demo
