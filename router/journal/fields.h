// How many fields the structs have that a router's journal holds (journal/fields.h): of its events, its
// actions and what it starts with.
//
// Included wherever one of them is written or read. A struct that gains a field does not compile until it is
// counted here; what is appended at its end is read by the next release. Pure; all at compile time.
#ifndef RINGWAY_ROUTER_JOURNAL_FIELDS_H_
#define RINGWAY_ROUTER_JOURNAL_FIELDS_H_

#include <optional>

#include "core/fleet.h"
#include "core/table.h"
#include "journal/fields.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/router_machine.h"

namespace ringway::journal {

// How many workers are wanted, and how settings are tried, is the controller's business: no router reads it,
// and the format stays.
template <>
inline constexpr bool kLeftOut<std::optional<ScalingSpec>> = true;
template <>
inline constexpr bool kLeftOut<std::optional<CanarySpec>> = true;

// clang-format off
// Values of the core.
template <> inline constexpr int kFields<Region> = 6;
template <> inline constexpr int kFields<World> = 3;
template <> inline constexpr int kFields<MetricSpec> = 7;
template <> inline constexpr int kFields<RingSpec> = 3;
template <> inline constexpr int kFields<TierRegion> = 4;
template <> inline constexpr int kFields<GuardSpec> = 12;
template <> inline constexpr int kFields<RouteSpec> = 6;
template <> inline constexpr int kFields<SchedulingDelaySpec> = 3;
template <> inline constexpr int kFields<BackoffSpec> = 4;
template <> inline constexpr int kFields<RetryBudgetSpec> = 2;
template <> inline constexpr int kFields<SpillSpec> = 6;
template <> inline constexpr int kFields<DispatchSpec> = 8;
template <> inline constexpr int kFields<Tier> = 11;
template <> inline constexpr int kFields<Fleet> = 3;
template <> inline constexpr int kFields<TableVersion> = 2;
template <> inline constexpr int kFields<RoutingTable> = 3;
template <> inline constexpr int kFields<CostHint> = 3;
// The ledger's letters.
template <> inline constexpr int kFields<ledger::RequestKey> = 3;
template <> inline constexpr int kFields<ledger::Appointed> = 2;
template <> inline constexpr int kFields<ledger::Deposed> = 1;
template <> inline constexpr int kFields<ledger::Acquire> = 10;
template <> inline constexpr int kFields<ledger::Withdraw> = 1;
template <> inline constexpr int kFields<ledger::Announce> = 5;
template <> inline constexpr int kFields<ledger::Renew> = 3;
template <> inline constexpr int kFields<ledger::Release> = 5;
template <> inline constexpr int kFields<ledger::RouterAway> = 1;
template <> inline constexpr int kFields<ledger::RouterGone> = 1;
template <> inline constexpr int kFields<ledger::WorkerListed> = 1;
template <> inline constexpr int kFields<ledger::WorkerGone> = 1;
template <> inline constexpr int kFields<ledger::Grant> = 4;
template <> inline constexpr int kFields<ledger::Refuse> = 2;
template <> inline constexpr int kFields<ledger::Withdrawn> = 1;
template <> inline constexpr int kFields<ledger::FenceWorker> = 2;
template <> inline constexpr int kFields<ledger::Revoke> = 2;
template <> inline constexpr int kFields<ledger::LeaseLost> = 3;
template <> inline constexpr int kFields<ledger::Redirect> = 2;
template <> inline constexpr int kFields<ledger::IdleHint> = 4;
template <> inline constexpr int kFields<ledger::AwayTarget> = 2;
template <> inline constexpr int kFields<ledger::AwayAimed> = 1;
template <> inline constexpr int kFields<ledger::HintHeard> = 2;
template <> inline constexpr int kFields<ledger::RegionSilent> = 1;
template <> inline constexpr int kFields<ledger::LineBounded> = 1;
template <> inline constexpr int kFields<ledger::CurrentLeader> = 2;
// About keys.
template <> inline constexpr int kFields<router::once::ClaimId> = 4;
template <> inline constexpr int kFields<router::once::Result> = 2;
template <> inline constexpr int kFields<router::once::Record> = 8;
template <> inline constexpr int kFields<router::once::ClaimRequest> = 5;
template <> inline constexpr int kFields<router::once::SettleRequest> = 2;
template <> inline constexpr int kFields<router::once::ReleaseRequest> = 3;
template <> inline constexpr int kFields<router::once::AttachRequest> = 3;
template <> inline constexpr int kFields<router::once::PullRequest> = 3;
template <> inline constexpr int kFields<router::once::Request> = 3;
template <> inline constexpr int kFields<router::once::Reply> = 7;
template <> inline constexpr int kFields<router::once::ViewId> = 3;
template <> inline constexpr int kFields<router::once::View> = 4;
template <> inline constexpr int kFields<router::once::KnownView> = 3;
template <> inline constexpr int kFields<router::once::TableBounds> = 3;
template <> inline constexpr int kFields<router::once::Settings> = 7;
// The router's events.
template <> inline constexpr int kFields<router::OnceOptions> = 2;
template <> inline constexpr int kFields<router::JobFacts> = 12;
template <> inline constexpr int kFields<router::JobArrived> = 2;
template <> inline constexpr int kFields<router::AttemptAccepted> = 2;
template <> inline constexpr int kFields<router::AttemptEnded> = 11;
template <> inline constexpr int kFields<router::ClientGone> = 1;
template <> inline constexpr int kFields<router::JobWithdrawn> = 1;
template <> inline constexpr int kFields<router::RepeatRuledOut> = 2;
template <> inline constexpr int kFields<router::WorkerListed> = 3;
template <> inline constexpr int kFields<router::WorkerUnlisted> = 1;
template <> inline constexpr int kFields<dispatch::WorkerNews> = 2;
template <> inline constexpr int kFields<router::WorkerHeard> = 2;
template <> inline constexpr int kFields<router::RouterListed> = 3;
template <> inline constexpr int kFields<router::RouterUnlisted> = 1;
template <> inline constexpr int kFields<router::RoutersComplete> = 1;
template <> inline constexpr int kFields<router::FleetChanged> = 1;
template <> inline constexpr int kFields<router::TableOffered> = 2;
template <> inline constexpr int kFields<router::ControllerWelcomed> = 2;
template <> inline constexpr int kFields<router::DrainChanged> = 1;
template <> inline constexpr int kFields<router::LeaderAppointed> = 2;
template <> inline constexpr int kFields<router::LeaderAnswered> = 2;
template <> inline constexpr int kFields<router::LeaderHeard> = 3;
template <> inline constexpr int kFields<router::OnceAsked> = 2;
template <> inline constexpr int kFields<router::OnceReplied> = 3;
// Its actions.
template <> inline constexpr int kFields<router::RouteChoice> = 5;
template <> inline constexpr int kFields<router::OfferToWorker> = 4;
template <> inline constexpr int kFields<router::ForwardToRouter> = 6;
template <> inline constexpr int kFields<router::WithdrawAttempt> = 5;
template <> inline constexpr int kFields<router::JobTrace> = 9;
template <> inline constexpr int kFields<router::EndJob> = 7;
template <> inline constexpr int kFields<dispatch::TrafficCounters> = 16;
template <> inline constexpr int kFields<router::TierCounts> = 3;
template <> inline constexpr int kFields<router::SendReport> = 6;
template <> inline constexpr int kFields<router::TableDecided> = 4;
template <> inline constexpr int kFields<router::TellLedger> = 3;
template <> inline constexpr int kFields<router::AimLedger> = 2;
template <> inline constexpr int kFields<router::AskReplica> = 2;
template <> inline constexpr int kFields<router::AnswerOnce> = 2;
// Between a tier's slot source and the jobs.
template <> inline constexpr int kFields<dispatch::SpillTarget> = 4;
template <> inline constexpr int kFields<dispatch::IsolationSpec> = 3;
template <> inline constexpr int kFields<dispatch::SlotGranted> = 3;
template <> inline constexpr int kFields<dispatch::SlotRefused> = 2;
template <> inline constexpr int kFields<dispatch::LineLeft> = 1;
template <> inline constexpr int kFields<dispatch::SlotElsewhere> = 3;
template <> inline constexpr int kFields<dispatch::RoundDue> = 1;
template <> inline constexpr int kFields<ledger::TellLeader> = 2;
template <> inline constexpr int kFields<ledger::NoLeader> = 1;
template <> inline constexpr int kFields<ledger::SlotLost> = 3;
// What it starts with.
template <> inline constexpr int kFields<router::RouterSettings> = 7;
// clang-format on

}  // namespace ringway::journal

#endif  // RINGWAY_ROUTER_JOURNAL_FIELDS_H_
