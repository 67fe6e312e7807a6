#include "sim/observers/agreement.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::sim {
namespace {

// A worker that is dead has left every list.
constexpr double kDeadWithinS = 30;
// Somebody reports it: its own router, or who has adopted it.
constexpr double kSpokenForWithinS = 30;
// Its streams have broken.
constexpr double kDeadGrantedS = 3;  // one that was dead for a second at the least
// Of plain servers: two health checks have gone unanswered.
constexpr double kPlainDeadGrantedS = 7;
constexpr double kRouterWellS = 30;
// A lease is off the ledger when its worker has announced itself idle twice and does not know it, even where
// the release was lost with a stream; routers have been well for a little longer.
constexpr int kUnclaimedS = 7;
constexpr double kLeaseRoutersWellS = 8;
// As a message and its answer take, many times over; looked at once a second.
constexpr int kLostS = 4;
// Where much is granted there is nearly always something under way, which waits at one end and not at the
// other: a second more for each so many grants a second. Of a millisecond there and back, 25 a second have
// something under way in one look of forty, and five looks running in one of a hundred million; 1000 a second
// in two looks of three, and forty-four running as seldom.
constexpr int kGrantsASecondMore = 25;
constexpr int kUnheardS = 3;
// A leader that is replaced because reports were lost hears of it late if the directory is lost too.
constexpr int kHoldersS = 5;
// A rest of the slot's settings, and some more.
constexpr double kRestMaxS = 15;

}  // namespace

Agreement::Agreement(const Scenario& scenario, const Recovery& recovery, const Routers& routers,
                     const Workers& workers, const Leaders& leaders, const Registries& registries)
    : scenario_(scenario),
      recovery_(recovery),
      routers_(routers),
      workers_(workers),
      leaders_(leaders),
      registries_(registries),
      seen_(workers.count()),
      lines_(scenario.fleet->world.regions.size(), IdVector<TierId, Line>(scenario.fleet->tiers.size())),
      routers_of_(scenario.fleet->world.regions.size()) {
  for (std::size_t i = 0; i < routers.places().size(); ++i) {
    routers_of_[routers.places()[RouterId(i)]].push_back(RouterId(i));
  }
}

void Agreement::OnGranted(Time, WorkerId worker, const Lease& lease) {
  Seen& seen = seen_[worker];
  if (lease <= seen.granted) return;  // said again, or by one that was replaced
  seen.granted = lease;
  const WorkerPlace& place = workers_.places()[worker];
  ++lines_[place.region][place.tier].granted;
  if (!workers_.alive(worker)) granted_dead_.emplace_back(worker, lease);
}

void Agreement::OnStarted(Time now, WorkerId worker, const OfferNote& note) {
  seen_[worker].running = note.lease;
  seen_[worker].rests_since_s = ToDoubleSeconds(now - UnixEpoch());
}

void Agreement::OnFreed(Time, WorkerId worker, const OfferNote&, bool) { seen_[worker].running = {}; }

void Agreement::OnWorkerDied(Time, WorkerId worker) { seen_[worker].running = {}; }

bool Agreement::Led(RegionId region, TierId tier) const {
  const Tier& spec = scenario_.fleet->tiers[tier];
  return spec.dispatch.mode == DispatchMode::kLedger && spec.regions[region].workers > 0;
}

bool Agreement::Whole(RegionId region, double for_s) const {
  return std::all_of(routers_of_[region].begin(), routers_of_[region].end(),
                     [&](RouterId router) { return recovery_.RouterWellS(router, now_s_) >= for_s; });
}

bool Agreement::AllAlive() const {
  for (std::size_t i = 0; i < routers_.places().size(); ++i) {
    if (!routers_.alive(RouterId(i))) return false;
  }
  return true;
}

void Agreement::OnSecond(Time now, Checkers& checkers) {
  now_s_ = ToDoubleSeconds(now - UnixEpoch());
  const bool steady = recovery_.Steady(now_s_);
  const bool agreed = recovery_.Calm(now_s_) && recovery_.Directed(now_s_);
  // While all routers live each speaks for its own workers.
  const bool orphans = agreed && !AllAlive();
  JudgeGranted(now, checkers);
  for (WorkerId worker(0); worker != seen_.end_id(); worker = WorkerId(worker.index() + 1)) {
    if (workers_.slot(worker).resting(now)) {
      JudgeRest(now, worker, checkers);
    } else {
      seen_[worker].rests_since_s = now_s_;
    }
    if (agreed && recovery_.DeadS(worker, now_s_) >= kDeadWithinS) JudgeDead(now, worker, checkers);
    if (orphans && recovery_.WellS(worker, now_s_) >= kSpokenForWithinS)
      JudgeSpokenFor(now, worker, checkers);
  }
  for (RegionId region(0); region != lines_.end_id(); region = RegionId(region.index() + 1)) {
    for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
      if (!Led(region, tier)) continue;
      const bool whole = Whole(region, kLeaseRoutersWellS);
      JudgeLeases(now, region, tier, whole, checkers);
      // The leader of a pool gives up without a controller: its workers obey nobody's fence.
      if (steady && whole && (agreed || !scenario_.service[tier].plain)) {
        JudgeLine(now, region, tier, checkers);
      } else {
        Line& line = lines_[region][tier];
        line.lost_s = line.unheard_s = line.granted = 0;
      }
      if (!agreed) lines_[region][tier].several_s = 0;
      if (agreed) JudgeHolders(now, region, tier, checkers);
    }
  }
}

// Seen at the end of the second in which it was granted, so it is less dead than it seems.
void Agreement::JudgeGranted(Time now, Checkers& checkers) {
  for (const auto& [worker, lease] : granted_dead_) {
    const double dead_s = recovery_.DeadS(worker, now_s_);
    if (dead_s < (workers_.plain(worker) ? kPlainDeadGrantedS : kDeadGrantedS) ||
        !Whole(workers_.places()[worker].region, dead_s + 1))
      continue;
    checkers.Violate(now, absl::StrCat("worker ", worker.value(), " is dead, and lease ", FormatLease(lease),
                                       " of it was granted"));
  }
  granted_dead_.clear();
}

void Agreement::JudgeRest(Time now, WorkerId worker, Checkers& checkers) {
  Seen& seen = seen_[worker];
  const bool rests = workers_.alive(worker) && workers_.stalled_until_ns(worker) < ToUnixNanos(now);
  if (!rests) {
    seen.rests_since_s = now_s_;
    return;
  }
  if (now_s_ - seen.rests_since_s < kRestMaxS) return;
  seen.rests_since_s = now_s_;
  checkers.Violate(now, absl::StrCat("worker ", worker.value(), " rests since ", kRestMaxS,
                                     " s, and nothing has failed there meanwhile"));
}

void Agreement::JudgeDead(Time now, WorkerId worker, Checkers& checkers) const {
  const WorkerId known = workers_.InRegion(worker);
  const RouterId own = workers_.places()[worker].local;
  // Of a router that is gone, or was, the directory may name it: so that another one looks for it, and as
  // one that drains, so that nobody uses it.
  const bool looked_for = own.valid() && recovery_.RouterWellS(own, now_s_) < kRouterWellS;
  for (const RouterId router : routers_of_[workers_.places()[worker].region]) {
    const dispatch::WorkerView& view = routers_.machine(router).workers();
    const bool lists = recovery_.RouterWellS(router, now_s_) >= kRouterWellS &&
                       !registries_.SpeaksFor(router, known) && view.listed(known);
    if (!lists || (looked_for && !view.Usable(known, now))) continue;
    checkers.Violate(now, absl::StrCat("worker ", worker.value(), " has been dead for ", kDeadWithinS,
                                       " s, and router ", router.value(), " lists it"));
  }
}

void Agreement::JudgeSpokenFor(Time now, WorkerId worker, Checkers& checkers) const {
  const WorkerPlace& place = workers_.places()[worker];
  if (!place.local.valid() || workers_.plain(worker)) return;
  bool anybody = false;
  for (const RouterId router : routers_of_[place.region]) {
    anybody = anybody || recovery_.RouterWellS(router, now_s_) >= kRouterWellS;
    if (registries_.SpeaksFor(router, workers_.InRegion(worker))) return;
  }
  if (!anybody) return;
  checkers.Violate(now, absl::StrCat("worker ", worker.value(), " has been well for ", kSpokenForWithinS,
                                     " s, and no router speaks for it"));
}

void Agreement::JudgeLeases(Time now, RegionId region, TierId tier, bool whole, Checkers& checkers) {
  // Plain servers do not say what they run.
  const bool judged = whole && !scenario_.service[tier].plain;
  const ledger::SlotLedger* const ledger = judged ? leaders_.ledger(region, tier) : nullptr;
  const auto [begin, end] = workers_.Range(region, tier);
  const std::size_t first = workers_.Range(region).first.index();
  for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
    const ledger::SlotRecord* const slot =
        ledger == nullptr ? nullptr : ledger->Slot(WorkerId(worker.index() - first));
    Seen& seen = seen_[worker];
    if (slot == nullptr || slot->state != ledger::SlotState::kLeased || slot->lease == seen.running ||
        workers_.stalled_until_ns(worker) >= ToUnixNanos(now)) {
      seen.unclaimed = {};
    } else {
      JudgeUnclaimed(now, worker, slot->lease, checkers);
    }
  }
}

void Agreement::JudgeUnclaimed(Time now, WorkerId worker, const Lease& unclaimed, Checkers& checkers) {
  Seen& seen = seen_[worker];
  seen.unclaimed_s = unclaimed == seen.unclaimed ? seen.unclaimed_s + 1 : 0;
  seen.unclaimed = unclaimed;
  if (seen.unclaimed_s < kUnclaimedS) return;
  seen.unclaimed_s = 0;
  checkers.Violate(now,
                   absl::StrCat("worker ", worker.value(), " does not run lease ", FormatLease(unclaimed),
                                ", which has stood in its ledger for ", kUnclaimedS, " s"));
}

void Agreement::JudgeLine(Time now, RegionId region, TierId tier, Checkers& checkers) {
  Line& line = lines_[region][tier];
  const int granted = std::exchange(line.granted, 0);
  const ledger::SlotLedger* const ledger = leaders_.ledger(region, tier);
  std::size_t waiting = 0;
  bool heard = true;
  bool unheard = false;
  for (const RouterId router : routers_of_[region]) {
    const ledger::LedgerClient& client = routers_.machine(router).tier(tier).slots.client();
    waiting += client.waiting();
    const bool hears = leaders_.Hears(router, tier);
    heard = heard && hears;
    // That the leader was replaced, and by whom, is heard with the next directory only.
    const router::LedgerSession* const session = routers_.session(router, tier);
    const bool follows = ledger != nullptr && session != nullptr &&
                         session->leader() == routers_.LocalOf(leaders_.leader(region, tier));
    unheard = unheard || (hears && follows && !client.Reachable(now));
  }
  line.unheard_s = ledger != nullptr && unheard ? line.unheard_s + 1 : 0;
  const bool lost = ledger != nullptr && heard && waiting > ledger->View().waiting;
  line.lost_s = lost ? line.lost_s + 1 : 0;
  if (line.unheard_s >= kUnheardS) {
    line.unheard_s = 0;
    checkers.Violate(now, absl::StrCat("a router of region ", region.value(), " has probed for ", kUnheardS,
                                       " s, though it is connected to the leader of tier ", tier.value()));
  }
  if (line.lost_s < kLostS + granted / kGrantsASecondMore) return;
  line.lost_s = 0;
  checkers.Violate(now, absl::StrCat(waiting, " jobs of region ", region.value(), " wait for slots of tier ",
                                     tier.value(), ", of which its ledger knows ", ledger->View().waiting));
}

void Agreement::JudgeHolders(Time now, RegionId region, TierId tier, Checkers& checkers) {
  int holders = 0;
  for (const RouterId router : routers_of_[region]) {
    holders += recovery_.RouterWellS(router, now_s_) >= kRouterWellS && leaders_.Holds(router, tier);
  }
  int& for_s = lines_[region][tier].several_s;
  for_s = holders > 1 ? for_s + 1 : 0;
  if (for_s < kHoldersS) return;
  for_s = 0;
  checkers.Violate(now, absl::StrCat(holders, " routers of region ", region.value(),
                                     " hold the ledger of tier ", tier.value()));
}

}  // namespace ringway::sim
