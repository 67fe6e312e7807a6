#include "router/routes/peer_view.h"

#include <algorithm>

#include "core/check.h"

namespace ringway::router {

void PeerView::List(RouterId router, RegionId region) {
  RINGWAY_CHECK(router.index() < kRoutersMax);
  if (!peers_.contains(router)) peers_.resize(router.index() + 1);
  if (peers_[router].region == region) return;
  Unlist(router);
  peers_[router] = {.region = region};
  if (!regions_.contains(region)) regions_.resize(region.index() + 1);
  regions_[region].push_back(router);
  ++listed_;
}

void PeerView::Unlist(RouterId router) {
  if (!peers_.contains(router) || !peers_[router].region.valid()) return;
  std::erase(regions_[peers_[router].region], router);
  peers_[router] = Peer();
  --listed_;
}

void PeerView::Unreachable(RouterId router, Time now) {
  if (peers_.contains(router)) peers_[router].suspect_until = now + kSuspectFor;
}

void PeerView::Answered(RouterId router) {
  if (peers_.contains(router)) peers_[router].suspect_until = InfinitePast();
}

// Reservoir sampling over the trusted ones and, apart, the suspects: one pass, no allocation.
RouterId PeerView::Choose(RegionId region, std::span<const RouterId> tried, Time now, Rng& rng) const {
  if (!regions_.contains(region)) return RouterId();
  RouterId trusted;
  RouterId suspect;
  std::uint64_t trusted_seen = 0;
  std::uint64_t suspects_seen = 0;
  for (const RouterId router : regions_[region]) {
    if (std::find(tried.begin(), tried.end(), router) != tried.end()) continue;
    if (now < peers_[router].suspect_until) {
      if (rng.Below(++suspects_seen) == 0) suspect = router;
    } else {
      if (rng.Below(++trusted_seen) == 0) trusted = router;
    }
  }
  return trusted.valid() ? trusted : suspect;
}

}  // namespace ringway::router
