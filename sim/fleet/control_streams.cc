// Streams between routers and the controller that end while both live: when each end notices, and what
// follows.
#include <algorithm>
#include <optional>
#include <utility>

#include "sim/fleet/control_plane.h"

namespace ringway::sim {
namespace {

// Until a stream that broke is dialled again, as ControlLink does it.
constexpr std::int64_t kRedialNs = 100'000'000;
// As controller/daemon/daemon.cc has it.
constexpr std::int64_t kCloseGraceNs = 500'000'000;
// Until an end that was lost on the way is told again.
constexpr std::int64_t kToldAgainNs = 1'000'000'000;

}  // namespace

void ControlPlane::SeeNetwork() {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const RouterId router(i);
    Link& link = links_[router];
    const bool cut = !stage_.network.Connected(routers_.places()[router], home_);
    if (cut == link.cut_ns.has_value()) continue;
    link.cut_ns = cut ? std::optional(stage_.queue.now_ns()) : std::nullopt;
    if (link.stream == 0) continue;
    const auto stream = static_cast<std::uint32_t>(link.stream);
    if (cut) {
      stage_.After(kSilenceNs, Happening::kStreamSilent, router.value(), stream);
    } else if (link.over) {
      stage_.After(kToldAgainNs, Happening::kStreamEnded, router.value(), stream);
    }
  }
}

void ControlPlane::EndStream(RouterId router) {
  Link& link = links_[router];
  link.stream = 0;
  link.greeted = false;
  link.over = false;
  link.unsent.reset();
  routers_.UseControlStream(router, 0);
  if (!std::exchange(link.welcomed, false)) return;
  RouterNote lost;
  lost.router = router;
  lost.life = routers_.life(router);
  lost.event = router::ControllerLost{};
  stage_.TellRouter(0, std::move(lost));
}

// Whoever cannot be reached is dialled again and again. A controller that died in the meantime is no
// exception: its successor hears from all that live.
void ControlPlane::OnStreamSilent(RouterId router, std::uint32_t stream) {
  const Link& link = links_[router];
  if (link.stream != stream) return;
  const bool cut = link.cut_ns && stage_.queue.now_ns() - *link.cut_ns >= kSilenceNs;
  if (listens() && !cut) return;
  EndStream(router);
  if (listens()) Connect(router);
}

// The controller's end is over at once. The router's hears of it where the network carries that; else when it
// does again, if keepalive has not found out by then.
void ControlPlane::End(const controller::EndStream& action) {
  ++stage_.kinds.stream_ends[static_cast<std::size_t>(action.end)];
  Reach(stage_.queue.now_ns(), controller::StreamClosed{action.stream});
  Refuse(action.stream);
}

void ControlPlane::Refuse(controller::StreamId stream) {
  const auto router = RouterOf(stream);
  if (!router) return;
  const RegionId there = routers_.places()[*router];
  const auto delay = stage_.network.DelayNs(home_, there);
  if (!delay && !stage_.network.Connected(home_, there)) {
    Link& link = links_[*router];
    link.over = link.over || link.stream == stream;
    return;
  }
  stage_.After(delay.value_or(kToldAgainNs), Happening::kStreamEnded, router->value(),
               static_cast<std::uint32_t>(stream));
}

void ControlPlane::OnStreamEnded(RouterId router, std::uint32_t stream) {
  if (links_[router].stream != stream) return;
  EndStream(router);
  stage_.After(kRedialNs, Happening::kStreamRetried, router.value(), 0);
}

void ControlPlane::BreakStreams(RegionId region, double share, std::int64_t late_ns) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const RouterId router(i);
    if (routers_.places()[router] != region || !listens() || !links_[router].welcomed) continue;
    if (!breaks_.Chance(share)) continue;
    const controller::StreamClosed closed{links_[router].stream};
    if (late_ns > 0) {
      Reach(stage_.queue.now_ns() + late_ns, closed);
    } else {
      Step(closed);
    }
    EndStream(router);
    stage_.After(kRedialNs, Happening::kStreamRetried, router.value(), 0);
  }
}

// What its streams' ends bring about is still heard, and epochs pass; nobody is let in any more.
void ControlPlane::GoDown() {
  if (!listens()) return;
  going_down_ = true;
  Step(controller::GoDown{});
  stage_.After(kCloseGraceNs, Happening::kControllerEnds, life_);
}

}  // namespace ringway::sim
