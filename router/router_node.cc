#include "router/router_node.h"

namespace ringway::router {

RouterNode::RouterNode(const NodeSettings& settings, std::shared_ptr<const Fleet> fleet)
    : settings_(settings), registry_(settings.watch_max) {
  AddSessions(*fleet);
  machine_.emplace(settings.router, std::move(fleet), settings.epoch_seen_max);
}

// What is on disk names everybody; a controller that is still getting to know them does not.
DirectoryDecided RouterNode::Decide(const DirectoryHeard& heard) const {
  const std::uint64_t seen = machine_->epoch_seen_max();
  const bool active = heard.from_disk || heard.epoch >= seen;
  return {.epoch = heard.epoch,
          .epoch_seen_max = seen,
          .active = active,
          .store = active && !heard.from_disk && !(heard.given.partial && stored_)};
}

std::vector<TierId> RouterNode::AddSessions(const Fleet& fleet) {
  std::vector<TierId> added;
  while (tiers_.size() < fleet.tiers.size()) tiers_.push_back({});
  for (TierId tier(0); tier != fleet.tiers.end_id(); tier = TierId(tier.index() + 1)) {
    TierPart& part = tiers_[tier];
    const DispatchSpec& dispatch = fleet.tiers[tier].dispatch;
    if (part.session != nullptr || dispatch.mode != DispatchMode::kLedger) continue;
    const TierLedger* const apart = SetApart(tier);
    LeaderSettings leader = apart != nullptr ? apart->leader : settings_.leader;
    part.fixed = apart != nullptr && apart->fixed;
    part.line_max = leader.ledger.waiting_max = LineMaxOf(tier, dispatch);
    part.session = std::make_unique<LedgerSession>(SessionSettings{.tier = tier,
                                                                   .self = settings_.self,
                                                                   .incarnation = settings_.incarnation,
                                                                   .leader = std::move(leader)});
    part.wake = part.session->NextWake();
    sessions_wake_ = std::min(sessions_wake_, part.wake);
    added.push_back(tier);
  }
  return added;
}

const TierLedger* RouterNode::SetApart(TierId tier) const {
  const auto& tiers = settings_.tiers;
  const auto found = std::find_if(tiers.begin(), tiers.end(), [&](const auto& t) { return t.tier == tier; });
  return found == tiers.end() ? nullptr : &*found;
}

std::size_t RouterNode::LineMaxOf(TierId tier, const DispatchSpec& dispatch) const {
  if (dispatch.waiting_max == 0) return 0;  // its jobs wait nowhere
  const TierLedger* const apart = SetApart(tier);
  return (apart != nullptr ? apart->leader : settings_.leader).ledger.waiting_max;
}

// The earliest of all stays as it was, or the session comes to the front: else all are looked at.
void RouterNode::SetWake(TierPart& part, Time wake) {
  const bool was_first = part.wake == sessions_wake_;
  part.wake = wake;
  if (wake <= sessions_wake_) {
    sessions_wake_ = wake;
  } else if (was_first) {
    sessions_wake_ = InfiniteFuture();
    for (const TierPart& each : tiers_) sessions_wake_ = std::min(sessions_wake_, each.wake);
  }
}

void RouterNode::ReportRoundTrips(Time now, std::vector<RoundTrip>& report) {
  for (TierPart& part : tiers_) {
    if (part.session != nullptr) part.session->TakeRoundTrips(now, report);
  }
}

void ReportAppointments(const RouterNode& node, SendReport& report) {
  for (TierId tier(0); tier != report.tiers.end_id(); tier = TierId(tier.index() + 1)) {
    const LedgerSession* const session = node.session(tier);
    if (session != nullptr) report.tiers[tier].appointment = session->latest();
  }
}

bool RouterNode::CountsOn(RouterId client) const {
  return std::any_of(tiers_.begin(), tiers_.end(), [client](const TierPart& part) {
    return part.session != nullptr && part.session->leadership().CountsOn(client);
  });
}

}  // namespace ringway::router
