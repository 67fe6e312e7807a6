// The router's machine, jobs that leave the home line for another region because they wait too long, and what
// this region takes in of other regions' such jobs. When leaving is worth it is decided in
// router/dispatch/spill.h.
//
// A region's import cap bounds the jobs of other regions that are in it at a time. Its routers enforce it,
// each for its part (the parts add up to the cap, whole jobs to the routers first by name); what the table
// sends counts and is never refused, because the planner has kept to the cap already. A sender keeps its own
// jobs under way to the region within the cap too, shared by the routers of its own region: usually one
// region is hot at a time, and where two are, the receiver's word holds.
//
// A job that sleeps between two rounds of probes looks when it wakes. Those in the leader's line have one
// alarm together: the first of each priority has waited longest, so nobody else need be looked at before it.
// Each is considered once when it is the first, has waited long enough and somebody may leave; then it goes,
// or stays because too little time is left. What lets somebody leave is an event: an arrival that brings a
// token, or a job that comes back from a region.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "router/router_machine.h"

namespace ringway::router {
namespace {

bool Forbidden(const Tier& tier, RegionId from, RegionId to) {
  if (!tier.residency_forbidden.contains(from)) return false;
  const std::vector<RegionId>& forbidden = tier.residency_forbidden[from];
  return std::find(forbidden.begin(), forbidden.end(), to) != forbidden.end();
}

// The ring of the tier that holds a region at this distance, from 0; nothing: it is beyond the last. A router
// that has not been told of any rings takes every region for near enough, and lets the round trip decide.
std::optional<std::int8_t> RingOf(const Tier& tier, double rtt_ms) {
  const std::vector<RingSpec>& rings = tier.route.rings;
  for (std::size_t ring = 0; ring < rings.size(); ++ring) {
    if (rtt_ms <= rings[ring].rtt_ms_max) return static_cast<std::int8_t>(ring);
  }
  return rings.empty() ? std::optional<std::int8_t>(0) : std::nullopt;
}

// Jobs of other regions that may be in this one at a time.
int ImportCap(const TierRegion& region) {
  const double usable = region.workers * (1 - region.reserve_share);
  return static_cast<int>(std::floor(region.import_cap_share * usable + 1e-9));
}

}  // namespace

std::vector<dispatch::SpillTarget> RouterMachine::SpillTargets(const Tier& tier) const {
  std::vector<dispatch::SpillTarget> targets;
  for (RegionId r(0); r != tier.regions.end_id(); r = RegionId(r.index() + 1)) {
    const double rtt_ms = fleet_->world.rtt.ms(home_, r);
    const std::size_t there = peers_.count(r);
    if (r == home_ || tier.regions[r].workers <= 0 || there == 0) continue;
    const std::optional<std::int8_t> ring = RingOf(tier, rtt_ms);
    if (Forbidden(tier, home_, r) || !ring) continue;
    const int cap = ImportCap(tier.regions[r]);
    if (cap <= 0) continue;
    const int senders = static_cast<int>(neighbours_.size()) + 1;
    targets.push_back({.region = r,
                       .rtt = absl::Milliseconds(rtt_ms),
                       .ring = *ring,
                       .in_flight_max = std::max(1, cap / senders)});
  }
  std::stable_sort(targets.begin(), targets.end(),
                   [](const auto& a, const auto& b) { return a.rtt < b.rtt; });
  return targets;
}

void RouterMachine::AimSpills() {
  if (std::exchange(spills_aimed_, true)) return;
  for (TierId t(0); t != tiers_.end_id(); t = TierId(t.index() + 1)) {
    tiers_[t].spill.Aim(SpillTargets(fleet_->tiers[t]));
    tiers_[t].import_part = ImportPart(fleet_->tiers[t]);
  }
}

// There are other routers, or another fleet: whoever waits may go where nobody could before.
void RouterMachine::AimAnew(absl::Time now) {
  spills_aimed_ = false;
  for (TierState& d : tiers_) d.spill_at = now;
}

int RouterMachine::ImportPart(const Tier& tier) const {
  const int cap = ImportCap(tier.regions[home_]);
  const int routers = static_cast<int>(neighbours_.size()) + 1;
  const auto before = std::count_if(neighbours_.begin(), neighbours_.end(),
                                    [this](const auto& n) { return n.second < name_; });
  return cap / routers + (before < cap % routers ? 1 : 0);
}

bool RouterMachine::TakeIn(JobRecord& job) {
  AimSpills();
  TierState& d = tier_state(job);
  if (job.facts.spilled && d.imports >= d.import_part) {
    ++d.imports_refused;
    return false;
  }
  job.imported = true;
  ++d.imports;
  return true;
}

void RouterMachine::RefuseImport(Turn& turn, JobId id) {
  const JobRecord& job = jobs_[id];
  jobs_[id].import_full = true;
  End(turn, id, Outcome::kBusy,
      absl::StrCat(region_name(home_), " has taken in its cap of other regions' jobs of tier ",
                   tier_name(job), ": ", tier_state(job).imports, " of ", tier_state(job).import_part,
                   " at this router"),
      tier_state(job).service.mean());
}

// The job stands in the leader's line, or has slept between two rounds. True: it is on its way out.
bool RouterMachine::TrySpill(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  TierState& d = tier_state(job);
  if (job.facts.forwarded || job.spilled || job.route.shed) return false;
  // Its slot was granted and lost in one turn.
  if (job.phase == JobPhase::kAsking && !d.client.Asks(id)) return false;
  AimSpills();
  const absl::Duration left = LatestStart(job) - turn.now;
  const dispatch::SpillTarget* chosen = d.spill.Choose(turn.now, turn.now - job.home_since, left);
  if (chosen == nullptr) return false;
  const RegionId target = chosen->region;
  job.spilled = true;
  job.away = target;
  d.spill.Spend(turn.now);
  d.spill.Left(target);
  ++d.counters.spilled;
  d.counters.MoveSent(home_, target);
  job.route = {.target = target, .reason = kSpillReason, .ring = chosen->ring};
  d.budget.Return(std::exchange(job.reserved, 0));
  if (job.phase == JobPhase::kAsking) {
    // It stands in one line at a time: the leader says first that it has left this one.
    job.phase = JobPhase::kLeaving;
    wakes_.Set(id.index(), LatestStart(job) + absl::Nanoseconds(1));
    d.client.Leave(turn.now, id, d.client_actions);
  } else {
    Forward(turn, id);
  }
  return true;
}

void RouterMachine::OnLeftLine(Turn& turn, JobId id) {
  if (jobs_[id].phase != JobPhase::kLeaving) return;
  jobs_[id].phase = JobPhase::kDelayed;
  if (StillPossible(turn, id)) Forward(turn, id);
}

void RouterMachine::JoinSpillLine(absl::Time now, JobId id) {
  JobRecord& job = jobs_[id];
  if (job.facts.forwarded || job.spilled || job.route.shed) return;
  TierState& d = tier_state(job);
  job.may_spill = true;
  d.may_spill.Join(jobs_, id);
  if (d.may_spill.front(job.facts.priority) != id) return;
  AimSpills();
  d.spill_at = std::min(d.spill_at, d.spill.WorthFrom(now, job.home_since));
}

void RouterMachine::LeaveSpillLine(JobId id) {
  JobRecord& job = jobs_[id];
  if (!std::exchange(job.may_spill, false)) return;
  TierState& d = tier_state(job);
  d.may_spill.Leave(jobs_, id);
  if (d.may_spill.size() == 0) d.spill_at = absl::InfiniteFuture();
}

// After what the leader answered in this turn, which decides where both would.
void RouterMachine::LetSpill(Turn& turn, TierId tier) {
  TierState& d = tiers_[tier];
  d.spill_at = absl::InfiniteFuture();
  if (d.may_spill.size() == 0) return;
  AimSpills();
  absl::Time next = absl::InfiniteFuture();
  for (Priority p = 0; p < kMaxPriorities; ++p) {
    for (JobId id = d.may_spill.front(p); id.valid(); id = d.may_spill.front(p)) {
      const absl::Time worth = d.spill.WorthFrom(turn.now, jobs_[id].home_since);
      if (worth > turn.now) {
        next = std::min(next, worth);
        break;
      }
      LeaveSpillLine(id);
      TrySpill(turn, id);
    }
  }
  d.spill_at = next;
  RunAsks(turn, tier);
}

// What this router learns from a job that was away: how long it waited there, or that it was not taken.
void RouterMachine::CameBack(Turn& turn, JobRecord& job) {
  if (!job.away.valid()) return;
  const RegionId from = std::exchange(job.away, RegionId());
  const bool served = job.started != absl::InfiniteFuture();
  const absl::Duration rtt = absl::Milliseconds(fleet_->world.rtt.ms(home_, from));
  const absl::Duration wait = served ? job.started - job.forwarded_at - rtt : absl::ZeroDuration();
  tier_state(job).spill.Came(from, turn.now, std::max(wait, absl::ZeroDuration()), served);
  tier_state(job).spill_at = turn.now;
}

}  // namespace ringway::router
