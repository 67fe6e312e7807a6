// The guard, dispatch and scaling parts of a Tier: plain numbers with their ranges.
#include <limits>

#include "absl/strings/str_cat.h"
#include "topology/read_tier.h"

namespace ringway {
namespace {

constexpr Range kShare{0, 1};
constexpr Range kShareAboveZero{0, 1, true};

}  // namespace

void ReadGuard(Mapping guard, GuardSpec& spec) {
  const auto share = [&](std::string_view key, double& value, Range range) {
    value = guard.Number(key, value, range);
  };
  share("planMargin", spec.plan_margin, {0, 0.5});
  share("shedAbove", spec.shed_above, {1, 100});
  share("costClampLow", spec.cost_clamp_low, kShareAboveZero);
  share("costClampHigh", spec.cost_clamp_high, {1, 100});
  share("refutedAt", spec.refuted_at, {1, 1000});
  // Of releases that smoothed what is now counted and held; read so that their files still load.
  for (const std::string_view key :
       {"costEwma", "demandEwma", "demandStep", "saturatedLoad", "costHysteresis", "shiftMin"}) {
    guard.Number(key, 0.5, {0, 10});
  }
  share("hysteresis", spec.hysteresis, {0, 0.5});
  share("stepMax", spec.step_max, kShareAboveZero);
  share("jumpMax", spec.jump_max, {1, std::numeric_limits<double>::infinity(), true});
  spec.jump_confirmations =
      static_cast<int>(guard.Integer("jumpConfirmations", spec.jump_confirmations, 1, 1000));
  const auto time = [&](std::string_view key, Duration& value) {
    value = guard.Span(key, value, Milliseconds(100), Hours(24));
  };
  time("staleAfter", spec.stale_after);
  time("missingAfter", spec.missing_after);
  time("drainPace", spec.drain_pace);
  if (spec.missing_after < spec.stale_after) {
    guard.Report("missingAfter", "at least staleAfter, " + absl::FormatDuration(spec.stale_after));
  }
  guard.Finish();
}

void ReadSpill(Mapping spill, SpillSpec& spec) {
  spec.idle_hints = spill.Flag("idleHints", spec.idle_hints);
  spec.share = spill.Number("share", spec.share, kShare);
  spec.keep = spill.Span("keep", spec.keep, Milliseconds(100), Hours(1));
  spec.wait_min = spill.Span("waitMin", spec.wait_min, ZeroDuration(), Minutes(10));
  spec.fade = spill.Span("fade", spec.fade, Milliseconds(100), Hours(1));
  spec.refused_cost = spill.Span("refusedCost", spec.refused_cost, ZeroDuration(), Minutes(10));
  spill.Finish();
}

void ReadDispatch(Mapping dispatch, DispatchSpec& spec) {
  spec.mode = dispatch.Choice("mode", static_cast<std::size_t>(spec.mode), {"probe", "ledger"}) == 1
                  ? DispatchMode::kLedger
                  : DispatchMode::kProbe;
  spec.probes_per_round = static_cast<int>(dispatch.Integer("probesPerRound", spec.probes_per_round, 1, 64));
  spec.attempts_max = static_cast<int>(dispatch.Integer("offersMax", spec.attempts_max, 1, 10'000));
  // Its name in earlier releases, which called an offer an attempt.
  dispatch.Renamed("attemptsMax", "offersMax");
  spec.waiting_max = static_cast<std::size_t>(
      dispatch.Integer("waitingMax", static_cast<std::int64_t>(spec.waiting_max), 0, 1'000'000));

  Mapping delay = dispatch.Child("delay");
  spec.delay.busy_min = delay.Number("busyMin", spec.delay.busy_min, kShare);
  spec.delay.share_max = delay.Number("shareMax", spec.delay.share_max, kShare);
  spec.delay.span = delay.Span("span", spec.delay.span, ZeroDuration(), Minutes(5));
  delay.Finish();

  Mapping backoff = dispatch.Child("backoff");
  spec.backoff.base = backoff.Span("base", spec.backoff.base, ZeroDuration(), Minutes(1));
  spec.backoff.multiplier = backoff.Number("multiplier", spec.backoff.multiplier, {1, 10});
  spec.backoff.cap_of_service = backoff.Number("capOfService", spec.backoff.cap_of_service, {0, 10});
  spec.backoff.full_jitter = backoff.Flag("fullJitter", spec.backoff.full_jitter);
  backoff.Finish();

  Mapping budget = dispatch.Child("retryBudget");
  spec.budget.share = budget.Number("share", spec.budget.share, {0, 1000});
  spec.budget.floor_per_second = budget.Number("floorPerSecond", spec.budget.floor_per_second, {0, 1e6});
  budget.Finish();
  ReadSpill(dispatch.Child("spill"), spec.spill);
  dispatch.Finish();
}

void ReadScaling(Mapping& spec, const World& world, Tier& tier) {
  Mapping scaling = spec.Child("scaling");
  if (!spec.Has("scaling")) return;
  ScalingSpec read;
  read.risk = scaling.Number("risk", read.risk, {0, 0.5, true});
  read.wait_target = scaling.Number("waitTarget", read.wait_target, {0, 10, true});
  read.start_up = scaling.Span("startUp", read.start_up, Seconds(1), Hours(1));
  read.stable_for = scaling.Span("stableFor", read.stable_for, ZeroDuration(), Hours(24));
  read.workers_min = static_cast<int>(scaling.Integer("minWorkers", read.workers_min, 0, kWorkersMax));
  for (RegionId id(0); id != tier.regions.end_id(); id = RegionId(id.index() + 1)) {
    const int workers = tier.regions[id].workers;
    if (workers == 0 || workers >= read.workers_min) continue;
    scaling.Report("minWorkers",
                   absl::StrCat("at most ", workers, ", the workers of region ", world.regions[id].name),
                   "`workers` of a region is the most that may run there");
    break;
  }
  scaling.Finish();
  tier.scaling = read;
}

}  // namespace ringway
