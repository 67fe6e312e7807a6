// The fields of every struct that is journaled, for code that treats them one after the other.
//
// ForFields(value, f) calls f with each field in order. The number of fields stands in a table because C++20
// cannot ask for it; a struct that gains a field does not compile until it is counted here, so a journal
// cannot forget one.
//
// Pure; everything is resolved at compile time.
#ifndef RINGWAY_ROUTER_JOURNAL_FIELDS_H_
#define RINGWAY_ROUTER_JOURNAL_FIELDS_H_

#include <optional>
#include <type_traits>

#include "core/fleet.h"
#include "core/table.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/router_machine.h"

namespace ringway::router::journal {

template <class T>
inline constexpr int kFields = std::is_empty_v<T> ? 0 : -1;

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
template <> inline constexpr int kFields<Route> = 5;
template <> inline constexpr int kFields<Row> = 2;
template <> inline constexpr int kFields<TableVersion> = 2;
template <> inline constexpr int kFields<RoutingTable> = 3;
template <> inline constexpr int kFields<CostHint> = 3;
template <> inline constexpr int kFields<Fence> = 2;
template <> inline constexpr int kFields<Lease> = 2;
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
template <> inline constexpr int kFields<once::ClaimId> = 4;
template <> inline constexpr int kFields<once::Result> = 2;
template <> inline constexpr int kFields<once::Record> = 7;
template <> inline constexpr int kFields<once::ClaimRequest> = 5;
template <> inline constexpr int kFields<once::SettleRequest> = 2;
template <> inline constexpr int kFields<once::ReleaseRequest> = 3;
template <> inline constexpr int kFields<once::AttachRequest> = 3;
template <> inline constexpr int kFields<once::PullRequest> = 3;
template <> inline constexpr int kFields<once::Request> = 3;
template <> inline constexpr int kFields<once::Reply> = 7;
template <> inline constexpr int kFields<once::ViewId> = 3;
template <> inline constexpr int kFields<once::View> = 4;
template <> inline constexpr int kFields<once::KnownView> = 3;
template <> inline constexpr int kFields<once::TableBounds> = 3;
template <> inline constexpr int kFields<once::Settings> = 7;
// The router's events.
template <> inline constexpr int kFields<OnceOptions> = 2;
template <> inline constexpr int kFields<JobFacts> = 12;
template <> inline constexpr int kFields<JobArrived> = 2;
template <> inline constexpr int kFields<AttemptAccepted> = 2;
template <> inline constexpr int kFields<AttemptEnded> = 11;
template <> inline constexpr int kFields<ClientGone> = 1;
template <> inline constexpr int kFields<RepeatRuledOut> = 2;
template <> inline constexpr int kFields<WorkerListed> = 3;
template <> inline constexpr int kFields<WorkerUnlisted> = 1;
template <> inline constexpr int kFields<dispatch::WorkerNews> = 2;
template <> inline constexpr int kFields<WorkerHeard> = 2;
template <> inline constexpr int kFields<RouterListed> = 3;
template <> inline constexpr int kFields<RouterUnlisted> = 1;
template <> inline constexpr int kFields<RoutersComplete> = 1;
template <> inline constexpr int kFields<FleetChanged> = 1;
template <> inline constexpr int kFields<TableOffered> = 2;
template <> inline constexpr int kFields<ControllerWelcomed> = 2;
template <> inline constexpr int kFields<DrainChanged> = 1;
template <> inline constexpr int kFields<LeaderAppointed> = 2;
template <> inline constexpr int kFields<LeaderAnswered> = 2;
template <> inline constexpr int kFields<LeaderHeard> = 3;
template <> inline constexpr int kFields<OnceAsked> = 2;
template <> inline constexpr int kFields<OnceReplied> = 3;
// Its actions.
template <> inline constexpr int kFields<RouteChoice> = 5;
template <> inline constexpr int kFields<OfferToWorker> = 4;
template <> inline constexpr int kFields<ForwardToRouter> = 6;
template <> inline constexpr int kFields<WithdrawAttempt> = 5;
template <> inline constexpr int kFields<JobTrace> = 9;
template <> inline constexpr int kFields<EndJob> = 7;
template <> inline constexpr int kFields<dispatch::TrafficCounters> = 16;
template <> inline constexpr int kFields<TierCounts> = 3;
template <> inline constexpr int kFields<SendReport> = 6;
template <> inline constexpr int kFields<TableDecided> = 4;
template <> inline constexpr int kFields<TellLedger> = 3;
template <> inline constexpr int kFields<AimLedger> = 2;
template <> inline constexpr int kFields<AskReplica> = 2;
template <> inline constexpr int kFields<AnswerOnce> = 2;
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
template <> inline constexpr int kFields<RouterSettings> = 7;
// clang-format on

template <class T, class F>
void ForFields(T& value, F&& f) {
  constexpr int n = kFields<std::remove_const_t<T>>;
  static_assert(n >= 0, "count the struct's fields in the table above");
  const auto one = [&f](auto& field) {
    // How many workers are wanted, and how settings are tried, is the controller's business: no router reads
    // it, and the format stays.
    using Field = std::remove_cvref_t<decltype(field)>;
    constexpr bool kControllers =
        std::is_same_v<Field, std::optional<ScalingSpec>> || std::is_same_v<Field, std::optional<CanarySpec>>;
    if constexpr (!kControllers) f(field);
  };
  const auto each = [&one](auto&... fields) { (one(fields), ...); };
  if constexpr (n == 0) {
    each();
  } else if constexpr (n == 1) {
    auto& [a] = value;
    each(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = value;
    each(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = value;
    each(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = value;
    each(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = value;
    each(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, g] = value;
    each(a, b, c, d, e, g);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, g, h] = value;
    each(a, b, c, d, e, g, h);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, g, h, i] = value;
    each(a, b, c, d, e, g, h, i);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, g, h, i, j] = value;
    each(a, b, c, d, e, g, h, i, j);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, g, h, i, j, k] = value;
    each(a, b, c, d, e, g, h, i, j, k);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, g, h, i, j, k, l] = value;
    each(a, b, c, d, e, g, h, i, j, k, l);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m] = value;
    each(a, b, c, d, e, g, h, i, j, k, l, m);
  } else {
    static_assert(n == 16);
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r] = value;
    each(a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r);
  }
}

}  // namespace ringway::router::journal

#endif  // RINGWAY_ROUTER_JOURNAL_FIELDS_H_
