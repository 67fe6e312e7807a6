// The machine of jobs, own region: from a job that needs a slot to a worker to offer it to, or to another
// region when it waits too long.
#include <utility>

#include "router/jobs/job_machine.h"

namespace ringway::router {
namespace {

// The tier's leaders tell each other of idle workers, and its jobs may leave for them.
bool Hints(const DispatchSpec& spec) {
  return spec.mode == DispatchMode::kLedger && spec.spill.idle_hints && spec.spill.share > 0;
}

}  // namespace

dispatch::SlotRequest JobMachine::Line(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  TierState& d = StateOf(job);
  job.phase = JobPhase::kAcquiring;
  job.leaving = false;
  if (job.home_since == InfinitePast()) job.home_since = turn.now;
  // The source refuses it in time; this is for a leader that does not answer, and estimates that grow.
  wakes_.Set(id.index(), NextLook(turn.now, job, d.service));
  return {.priority = job.facts.priority,
          .arrived = job.facts.arrived,
          .deadline = job.facts.deadline,
          .expected = d.service.Within(job.facts.cost),
          .idle_only = job.route.shed || job.facts.landing,
          .offers_made = job.attempts,
          .may_leave = MayLeave(job, d),
          .foreign = job.facts.forwarded,
          .prefers = job.route.target == turn.view.home ? RegionId() : job.route.target,
          .refused_by = std::exchange(job.refused_by, RegionId())};
}

void JobMachine::Acquire(Turn& turn, JobId id) {
  const dispatch::SlotRequest request = Line(turn, id);
  TierState& d = StateOf(jobs_[id]);
  d.slots.Acquire(At(turn, d), id, request);
  JoinSpillLine(turn, id);
}

// In the leader's line; a job that probes looks by itself when its next round is due.
void JobMachine::JoinSpillLine(Turn& turn, JobId id) {
  const JobRecord& job = jobs_[id];
  TierState& d = StateOf(job);
  if (!job.may_spill() || !d.slots.InLine(id)) return;
  d.spill.Join(turn.now, id, job.facts.priority, job.home_since);
}

void JobMachine::ReadAnswers(Turn& turn) {
  for (TierId t(0); t != tiers_.end_id(); t = TierId(t.index() + 1)) {
    TierState& d = tiers_[t];
    if (!d.slots.Ready(turn.now)) continue;  // mostly
    while (SlotSource::Answer* const answer = d.slots.Next(At(turn, d))) OnAnswer(turn, t, *answer);
  }
}

void JobMachine::OnAnswer(Turn& turn, TierId tier, SlotSource::Answer& answer) {
  if (auto* tell = std::get_if<ledger::TellLeader>(&answer)) {
    auto& out = std::get<TellLedger>(turn.actions.emplace_back(std::in_place_type<TellLedger>));
    out.tier = tier;
    out.leader = tell->leader;
    out.event = std::move(tell->event);
  } else if (const auto* granted = std::get_if<dispatch::SlotGranted>(&answer)) {
    OnGranted(turn, *granted);
  } else if (const auto* refused = std::get_if<dispatch::SlotRefused>(&answer)) {
    OnRefused(turn, *refused);
  } else if (const auto* elsewhere = std::get_if<dispatch::SlotElsewhere>(&answer)) {
    OnElsewhere(turn, *elsewhere);
  } else if (const auto* left = std::get_if<dispatch::LineLeft>(&answer)) {
    JobRecord& job = jobs_[left->job];
    if (job.phase != JobPhase::kAcquiring || !std::exchange(job.leaving, false)) return;
    if (StillPossible(turn, left->job)) Forward(turn, left->job);
  } else if (const auto* due = std::get_if<dispatch::RoundDue>(&answer)) {
    const JobRecord& job = jobs_[due->job];
    if (job.phase != JobPhase::kAcquiring || job.leaving || TrySpill(turn, due->job)) return;
    StateOf(job).slots.Look(At(turn, StateOf(job)), due->job);
    JoinSpillLine(turn, due->job);
  } else if (const auto* lost = std::get_if<ledger::SlotLost>(&answer)) {
    const JobRecord& job = jobs_[lost->job];
    if (job.phase != JobPhase::kOffered && job.phase != JobPhase::kRunning) return;
    // The worker may have started. Its end decides what becomes of the job; until then nobody else is asked.
    turn.actions.emplace_back(Withdrawal(lost->job, job));
  }
}

void JobMachine::OnElsewhere(Turn& turn, const dispatch::SlotElsewhere& elsewhere) {
  const JobId id = elsewhere.job;
  JobRecord& job = jobs_[id];
  if (job.phase != JobPhase::kAcquiring || job.leaving) return;
  TierState& d = StateOf(job);
  d.spill.Leave(id);
  if (!StillPossible(turn, id)) return;
  if (job.route.target != elsewhere.region) {
    const dispatch::SpillTarget* const target = d.spill.Target(elsewhere.region);
    d.counters.MoveSent(job.route.target, elsewhere.region);
    if (!std::exchange(job.spilled, true)) ++d.counters.spilled;
    job.route = {.target = elsewhere.region,
                 .reason = kSpillReason,
                 .ring = target == nullptr ? kHomeRing : target->ring};
  }
  job.landing = elsewhere.landing;
  job.forwards_made = 0;
  Forward(turn, id);
}

void JobMachine::OnGranted(Turn& turn, const dispatch::SlotGranted& granted) {
  JobRecord& job = jobs_[granted.job];
  if (job.phase != JobPhase::kAcquiring || job.leaving) return;
  StateOf(job).spill.Leave(granted.job);
  if (job.route.target != turn.view.home) {
    StateOf(job).counters.MoveSent(job.route.target, turn.view.home);
    job.route = {.target = turn.view.home, .reason = kIdleAtHomeReason};
  }
  // The estimate may have grown, or the moment have passed, while the grant was on its way.
  if (StillPossible(turn, granted.job)) OfferTo(turn, granted.job, granted.worker, granted.lease);
}

void JobMachine::OnRefused(Turn& turn, const dispatch::SlotRefused& refused) {
  const JobId id = refused.job;
  const JobRecord& job = jobs_[id];
  if (job.phase != JobPhase::kAcquiring || job.leaving) return;
  const TierState& d = StateOf(job);
  switch (refused.why) {
    case dispatch::NoSlot::kTooLate:
      return EndTooLate(turn, id);
    case dispatch::NoSlot::kNoneIdle:
      return End(turn, id, job.facts.landing ? NoneIdleHere(turn.view, job) : ShedByTable(turn.view, d, job));
    default:
      return End(turn, id, WithoutSlot(turn.view, d, job, refused.why));
  }
}

// At the routers, the fleet and the drains as they are now.
void JobMachine::AimSpills(Turn& turn) {
  spills_aimed_ = true;
  const RouterView& view = turn.view;
  for (TierId t(0); t != tiers_.end_id(); t = TierId(t.index() + 1)) {
    const Tier& tier = view.fleet->tiers[t];
    std::vector<dispatch::SpillTarget> targets =
        SpillTargets(*view.fleet, t, view.home, view.peers, view.routes, view.region_routers.count());
    std::vector<ledger::AwayTarget> aimed;
    if (Hints(tier.dispatch)) {
      for (const dispatch::SpillTarget& target : targets) aimed.push_back({target.region, target.rtt});
    }
    if (aimed != tiers_[t].aimed) {
      tiers_[t].aimed = aimed;
      turn.actions.emplace_back(AimLedger{.tier = t, .targets = std::move(aimed)});
    }
    tiers_[t].spill.Aim(std::move(targets));
    tiers_[t].imports.part = view.region_routers.PartOf(ImportCap(tier.regions[view.home]));
  }
}

// After what the sources answered in this turn, which decides where both would. A job that comes back can set
// the alarm again; there are no more of these than jobs.
void JobMachine::LetSpill(Turn& turn) {
  for (TierState& d : tiers_) {
    while (d.spill.NextWake() <= turn.now) {
      for (JobId id = d.spill.NextDue(turn.now); id.valid(); id = d.spill.NextDue(turn.now)) {
        // Else its slot was granted and lost in one turn.
        if (tiers_[jobs_[id].facts.tier].slots.Waits(id)) TrySpill(turn, id);
      }
      ReadAnswers(turn);
    }
  }
}

bool JobMachine::TrySpill(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  TierState& d = StateOf(job);
  if (!job.may_spill()) return false;
  const dispatch::SpillTarget* const chosen =
      d.spill.Send(turn.now, turn.now - job.home_since, latest_start(id) - turn.now);
  if (chosen == nullptr) return false;
  job.spilled = true;
  job.away = chosen->region;
  job.route = {.target = chosen->region, .reason = kSpillReason, .ring = chosen->ring};
  ++d.counters.spilled;
  d.counters.MoveSent(turn.view.home, chosen->region);
  // It stands in one line at a time: the source says first that it has left this one.
  job.leaving = true;
  wakes_.Set(id.index(), latest_start(id) + Nanoseconds(1));
  d.slots.Leave(At(turn, d), id);
  return true;
}

void CameBack(const Turn& turn, JobRecord& job, TierState& tier) {
  if (!job.away.valid()) return;
  const RegionId from = std::exchange(job.away, RegionId());
  const Duration rtt = Milliseconds(turn.view.fleet->world.rtt.ms(turn.view.home, from));
  const Duration wait = job.ran() ? job.started - job.forwarded_at - rtt : ZeroDuration();
  tier.spill.Came(turn.now, from, wait, job.ran());
}

}  // namespace ringway::router
