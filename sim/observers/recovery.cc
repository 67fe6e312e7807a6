#include "sim/observers/recovery.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace ringway::sim {
namespace {

constexpr int kRoundS = 5;
// A slot may be on its way from one state to the next when it is looked at, but not each time.
constexpr double kSlotWithinS = 15;
// Streams that broke are whole again after one or two tries.
constexpr double kStreamWithinS = 1;
// A router whose stream to the controller broke is gone for one directory, in which its dead workers are
// named to others, and back in the next; either may be sent again.
constexpr double kDirectoryWithinS = 4;
// A router whose stream to a worker breaks, with its job, may leave the worker alone for so long, and looks
// up once a second.
const double kRestS = ToDoubleSeconds(dispatch::IsolationSpec().hold_max) + 1;
// Users are served where so many workers are idle; of so many users who have ended at least, all but a few.
constexpr double kIdleShare = 0.3;
constexpr std::uint64_t kUsersMin = 20;
constexpr double kUnservedShare = 0.2;
// Ledgers and links have got over what happened: a leader is appointed, leases of the dead are called back.
constexpr double kSteadyWithinS = 10;
// Of a step that repeats.
constexpr int kRepeatsMax = 10'000;

bool HarmsWorkers(const Fault& fault) {
  return !std::holds_alternative<ScaleDemand>(fault) && !std::holds_alternative<SetThreshold>(fault) &&
         !std::holds_alternative<FreezeMetrics>(fault) && !std::holds_alternative<LoadTopology>(fault);
}

bool KeepsDirectories(const Fault& fault) {
  return std::holds_alternative<KillController>(fault) || std::holds_alternative<Partition>(fault) ||
         std::holds_alternative<KillRegion>(fault) || std::holds_alternative<PauseRouters>(fault) ||
         std::holds_alternative<LoseWrites>(fault);
}

bool JobsWait(const Fleet& fleet) {
  return std::all_of(fleet.tiers.begin(), fleet.tiers.end(),
                     [](const Tier& tier) { return tier.dispatch.waiting_max > 0; });
}

}  // namespace

Recovery::Recovery(const Scenario& scenario, const Routers& routers, const Workers& workers,
                   const Leaders& leaders, double begins_s)
    : scenario_(scenario),
      routers_(routers),
      workers_(workers),
      leaders_(leaders),
      worker_up_s_(workers.count(), begins_s),
      worker_well_s_(workers.count(), begins_s),
      router_well_s_(routers.places().size(), begins_s),
      slot_well_s_(workers.count(), begins_s),
      lease_seen_(workers.count()),
      fails_s_(scenario.fleet->world.regions.size(), begins_s),
      served_(scenario.fleet->world.regions.size()) {
  // Keys beyond what is kept are refused, whoever is idle.
  jobs_wait_ = !scenario.once_records_max && JobsWait(*scenario.fleet);
  for (const ScenarioStep& step : scenario.steps) {
    const auto* load = std::get_if<LoadTopology>(&step.fault);
    jobs_wait_ = jobs_wait_ && (load == nullptr || JobsWait(*load->fleet));
  }
  for (const Tier& tier : scenario.fleet->tiers) {
    const bool probes = tier.dispatch.mode == DispatchMode::kProbe;
    blind_once_ = blind_once_ || (probes && scenario.users.large_share > 0);
  }
  faulty_.push_back({begins_s, begins_s + kWithinS});
  // What is in force from the start befalls a fleet that has just started.
  if (begins_s > 0) shaken_.push_back({begins_s, begins_s + kSteadyWithinS});
  for (const ScenarioStep& step : scenario.steps) {
    const auto* scale = std::get_if<ScaleDemand>(&step.fault);
    if (scale != nullptr && scale->factor < 1) {
      // Workers fall idle while those who came before still wait elsewhere.
      quiet_to_s_ = std::min(quiet_to_s_, step.at_s);
    } else {
      const bool ends = step.every_s <= 0 && std::isfinite(step.lasts_s);
      quiet_from_s_ = ends ? std::max(quiet_from_s_, step.at_s + step.lasts_s) : scenario.duration_s;
    }
  }
  quiet_from_s_ = std::max(quiet_from_s_, begins_s);
  for (const ScenarioStep& step : scenario.steps) {
    if (HarmsWorkers(step.fault)) AddStep(step);
  }
}

void Recovery::AddStep(const ScenarioStep& step) {
  double begin_s = step.at_s;
  for (int n = 0; n < kRepeatsMax && begin_s < scenario_.duration_s; ++n, begin_s += step.every_s) {
    const double end_s = begin_s + step.lasts_s;
    if (KeepsDirectories(step.fault)) undirected_.push_back({begin_s, end_s + kWithinS});
    if (const auto* streams = std::get_if<BreakStreams>(&step.fault)) {
      undirected_.push_back({begin_s, begin_s + streams->late_s + kDirectoryWithinS});
      faulty_.push_back({begin_s, begin_s + streams->late_s + kStreamWithinS});
      shaken_.push_back({begin_s, begin_s + streams->late_s + kStreamWithinS});
      resting_.push_back({begin_s, begin_s + kRestS});
    } else {
      shaken_.push_back({begin_s, begin_s + kSteadyWithinS});
      shaken_.push_back({end_s, end_s + kSteadyWithinS});
      if (std::holds_alternative<BadJobs>(step.fault)) {
        faulty_.push_back({begin_s, end_s + kWithinS});
      } else {
        faulty_.push_back({begin_s, begin_s + kWithinS});
        faulty_.push_back({end_s, end_s + kWithinS});
      }
    }
    if (step.every_s <= 0) break;
  }
}

bool Recovery::Outside(const std::vector<Span>& spans, double now_s) {
  return std::none_of(spans.begin(), spans.end(),
                      [now_s](const Span& span) { return span.from_s <= now_s && now_s <= span.to_s; });
}

bool Recovery::Calm(double now_s) const { return Outside(faulty_, now_s); }
bool Recovery::Steady(double now_s) const { return Outside(shaken_, now_s); }
bool Recovery::Directed(double now_s) const { return scenario_.controller && Outside(undirected_, now_s); }

void Recovery::NoteWell(double now_s) {
  for (RegionId region(0); region != served_.end_id(); region = RegionId(region.index() + 1)) {
    const auto [begin, end] = workers_.Range(region);
    double idle = 0;
    for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
      const bool healthy = workers_.Healthy(worker);
      if (!healthy) worker_well_s_[worker] = now_s;
      if (workers_.alive(worker)) worker_up_s_[worker] = now_s;
      idle += healthy && !workers_.slot(worker).busy();
      if (workers_.alive(worker) && workers_.WillFail(worker)) fails_s_[region] = now_s;
    }
    const double share = begin == end ? 0 : idle / static_cast<double>(end.index() - begin.index());
    served_[region].idle_share = std::min(served_[region].idle_share, share);
  }
  const auto now_ns = static_cast<std::int64_t>(now_s * 1e9);
  for (std::size_t i = 0; i < router_well_s_.size(); ++i) {
    const RouterId router(i);
    if (!routers_.alive(router) || routers_.paused_until_ns(router) > now_ns) router_well_s_[router] = now_s;
  }
}

void Recovery::OnSecond(Time now, Checkers& checkers) {
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  NoteWell(now_s);
  if (std::lround(now_s) % kRoundS != 0) return;
  JudgeService(now, checkers);
  if (!Calm(now_s)) {
    std::fill(slot_well_s_.begin(), slot_well_s_.end(), now_s);
    return;
  }
  const bool directed = Directed(now_s);
  for (std::size_t i = 0; i < router_well_s_.size(); ++i) {
    if (now_s - router_well_s_[RouterId(i)] < kWithinS) continue;
    JudgeRouter(now, RouterId(i), directed, checkers);
    if (directed) JudgeDead(now, RouterId(i), checkers);
  }
  JudgeSlots(now, directed, checkers);
  for (RegionId region(0); directed && region != served_.end_id(); region = RegionId(region.index() + 1)) {
    JudgeLeader(now, region, checkers);
  }
}

void Recovery::OnEnded(Time, const Ending& ending) {
  if (blind_once_ && ending.outcome == Outcome::kFailed) return;
  if (ending.outcome == Outcome::kCancelled) return;  // it left, or an operator had it
  Served& served = served_[ending.region];
  ++served.ended;
  if (ending.outcome != Outcome::kDone) ++served.unserved;
}

void Recovery::JudgeService(Time now, Checkers& checkers) {
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  for (RegionId region(0); region != served_.end_id(); region = RegionId(region.index() + 1)) {
    const Served served = std::exchange(served_[region], {});
    const double since_s = std::max(quiet_from_s_, fails_s_[region]);
    const bool quiet = now_s >= since_s + kWithinS + kRoundS && now_s <= quiet_to_s_;
    if (!quiet || !jobs_wait_ || served.idle_share < kIdleShare) continue;
    const bool few = served.ended < kUsersMin || static_cast<double>(served.unserved) <=
                                                     kUnservedShare * static_cast<double>(served.ended);
    if (few) continue;
    checkers.Violate(now, absl::StrCat(served.unserved, " of ", served.ended, " users of region ",
                                       region.value(), " were not served, with idle workers there"));
  }
}

void Recovery::JudgeLeader(Time now, RegionId region, Checkers& checkers) {
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
    const Tier& spec = scenario_.fleet->tiers[tier];
    if (spec.dispatch.mode != DispatchMode::kLedger || spec.regions[region].workers == 0) continue;
    const bool led = leaders_.leader(region, tier).valid();
    for (std::size_t i = 0; i < router_well_s_.size(); ++i) {
      const RouterId router(i);
      const bool well = routers_.places()[router] == region && now_s - router_well_s_[router] >= kWithinS;
      if (!well || leaders_.Hears(router, tier)) continue;
      checkers.Violate(now, absl::StrCat("router ", i, " has been well for ", kWithinS, " s and hears ",
                                         led ? "not the leader" : "nobody, for nobody is the leader",
                                         " of tier ", tier.value(), " in its region"));
    }
  }
}

void Recovery::JudgeRouter(Time now, RouterId router, bool directed, Checkers& checkers) {
  const RegionId region = routers_.places()[router];
  const dispatch::WorkerView& view = routers_.machine(router).workers();
  const std::size_t first = workers_.Range(region).first.index();
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
    const auto [begin, end] = workers_.Range(region, tier);
    for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
      if (now_s - worker_well_s_[worker] < kWithinS) continue;
      const WorkerId known(worker.index() - first);
      // Somebody else's worker that was unwell when the last directory came: only another one names it.
      const bool told = directed || !scenario_.controller || workers_.places()[worker].local == router;
      if (!told && !view.listed(known)) continue;
      ++judged_;
      if (view.isolated(known) && !Outside(resting_, now_s)) continue;
      // A router that reports every second sees that a rest has passed; another may not have looked since.
      const bool left_alone = scenario_.controller && view.isolated(known);
      if (view.Usable(known, now) && !left_alone) continue;
      checkers.Violate(
          now, absl::StrCat("worker ", worker.value(), " has been well for ", kWithinS, " s, and router ",
                            router.value(), " does not use it", view.listed(known) ? "" : ": not listed",
                            left_alone ? ": isolated" : ""));
    }
  }
}

// Its router, or who has adopted it, reports it dead; the directory leaves it out; and who names it still
// (its own router) has seen its stream break.
void Recovery::JudgeDead(Time now, RouterId router, Checkers& checkers) {
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  const auto [begin, end] = workers_.Range(routers_.places()[router]);
  for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
    if (now_s - worker_up_s_[worker] < kWithinS) continue;
    if (!routers_.machine(router).workers().Usable(workers_.InRegion(worker), now)) continue;
    checkers.Violate(now, absl::StrCat("worker ", worker.value(), " has been dead for ", kWithinS,
                                       " s, and router ", router.value(), " would use it"));
  }
}

void Recovery::JudgeSlots(Time now, bool directed, Checkers& checkers) {
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  for (RegionId region(0); region != served_.end_id(); region = RegionId(region.index() + 1)) {
    for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
      const bool leased = scenario_.fleet->tiers[tier].dispatch.mode == DispatchMode::kLedger;
      const ledger::SlotLedger* const ledger = leased ? leaders_.ledger(region, tier) : nullptr;
      const auto [begin, end] = workers_.Range(region, tier);
      for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
        if (now_s - worker_well_s_[worker] >= kWithinS) {
          JudgeSlot(now, worker, ledger, directed, checkers);
        } else {
          slot_well_s_[worker] = now_s;  // nobody has looked at it yet
        }
      }
    }
  }
}

void Recovery::JudgeSlot(Time now, WorkerId worker, const ledger::SlotLedger* ledger, bool directed,
                         Checkers& checkers) {
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  const ledger::SlotRecord* const slot =
      ledger == nullptr ? nullptr : ledger->Slot(workers_.InRegion(worker));
  using ledger::SlotState;
  const bool unlisted = slot == nullptr && (ledger == nullptr || !directed);
  const bool granted = unlisted || slot->state == SlotState::kIdle || slot->state == SlotState::kLeased ||
                       slot->state == SlotState::kUnknown ||
                       (slot->state == SlotState::kTaken && workers_.slot(worker).busy());
  // One whose jobs are all withdrawn is granted, too, and called back whenever somebody looks.
  const bool anew = slot != nullptr && std::exchange(lease_seen_[worker], slot->lease) != slot->lease;
  if (granted || anew) slot_well_s_[worker] = now_s;
  if (now_s - slot_well_s_[worker] < kSlotWithinS) return;
  checkers.Violate(now, absl::StrCat("worker ", worker.value(), " has been well for ", kWithinS,
                                     " s, and its ledger has not granted it for ", kSlotWithinS, " s: state ",
                                     slot == nullptr ? "none" : absl::StrCat(static_cast<int>(slot->state))));
}

}  // namespace ringway::sim
