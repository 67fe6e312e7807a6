// The router's machine, jobs that leave the home line for another region because they wait too long. When
// that is worth it is decided in router/dispatch/spill.h.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "router/router_machine.h"

namespace ringway::router {
namespace {

bool Forbidden(const Tier& tier, RegionId from, RegionId to) {
  if (!tier.residency_forbidden.contains(from)) return false;
  const std::vector<RegionId>& forbidden = tier.residency_forbidden[from];
  return std::find(forbidden.begin(), forbidden.end(), to) != forbidden.end();
}

// The rings of the tier, where this router has been told of them; else every region is near enough, and the
// round trip decides.
bool InRings(const Tier& tier, double rtt_ms) {
  return tier.route.rings.empty() || rtt_ms <= tier.route.rings.back().rtt_ms_max;
}

}  // namespace

// A region's import cap is for all routers of other regions together; each keeps to an equal part of it.
std::vector<dispatch::SpillTarget> RouterMachine::SpillTargets(const Tier& tier) const {
  std::vector<dispatch::SpillTarget> targets;
  for (RegionId r(0); r != tier.regions.end_id(); r = RegionId(r.index() + 1)) {
    const double rtt_ms = fleet_->world.rtt.ms(home_, r);
    const std::size_t there = peers_.count(r);
    if (r == home_ || tier.regions[r].workers <= 0 || there == 0) continue;
    if (Forbidden(tier, home_, r) || !InRings(tier, rtt_ms)) continue;
    const double cap = tier.regions[r].import_cap_share * tier.regions[r].workers;
    if (cap <= 0) continue;
    const auto elsewhere = static_cast<double>(peers_.count() + 1 - there);
    targets.push_back({.region = r,
                       .rtt = absl::Milliseconds(rtt_ms),
                       .in_flight_max = std::max(1, static_cast<int>(std::floor(cap / elsewhere)))});
  }
  std::stable_sort(targets.begin(), targets.end(),
                   [](const auto& a, const auto& b) { return a.rtt < b.rtt; });
  return targets;
}

void RouterMachine::AimSpills() {
  if (std::exchange(spills_aimed_, true)) return;
  for (TierId t(0); t != desks_.end_id(); t = TierId(t.index() + 1)) {
    desks_[t].spill.Aim(SpillTargets(fleet_->tiers[t]));
  }
}

// The job stands in the home line, or sleeps between two rounds. True: it is on its way out.
bool RouterMachine::TrySpill(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  TierDesk& d = desk(job);
  if (job.facts.forwarded || job.spilled) return false;
  AimSpills();
  const RegionId target = d.spill.Choose(turn.now, turn.now - job.home_since, LatestStart(job) - turn.now);
  if (!target.valid()) return false;
  job.spilled = true;
  job.away = target;
  d.spill.Spend();
  d.spill.Left(target);
  ++d.counters.spilled;
  d.counters.MoveSent(home_, target);
  job.route = {.target = target, .reason = "spill", .ring = kHomeRing};
  d.budget.Return(std::exchange(job.reserved, 0));
  if (job.phase == JobPhase::kAsking) {
    // It stands in one line at a time: the holder says first that it has left this one.
    job.phase = JobPhase::kLeaving;
    wakes_.Set(id.index(), LatestStart(job) + absl::Nanoseconds(1));
    d.asks.Leave(turn.now, id, d.asked);
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

absl::Duration RouterMachine::SpillWorthAfter(absl::Time now, const JobRecord& job) {
  if (job.facts.forwarded || job.spilled) return absl::InfiniteDuration();
  AimSpills();
  return desk(job).spill.WorthAfter(now, now - job.home_since);
}

// What this router learns from a job that was away: how long it waited there, or that it was not taken.
void RouterMachine::CameBack(Turn& turn, JobRecord& job) {
  if (!job.away.valid()) return;
  const RegionId from = std::exchange(job.away, RegionId());
  const bool served = job.started != absl::InfiniteFuture();
  const absl::Duration rtt = absl::Milliseconds(fleet_->world.rtt.ms(home_, from));
  const absl::Duration wait = served ? job.started - job.forwarded_at - rtt : absl::ZeroDuration();
  desk(job).spill.Came(from, turn.now, std::max(wait, absl::ZeroDuration()), served);
}

}  // namespace ringway::router
