#include "sim/fleet/workers.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/check.h"
#include "sim/fleet/wire.h"
#include "sim/observers/observer.h"

namespace ringway::sim {
namespace {

// A failing backend still needs a moment to fail.
constexpr std::int64_t kSinkholeNs = 1'000'000;
// Rounds of heartbeats are rarer than those of daemons, because they cost more than jobs do here; before a
// ledger forgets a worker after five seconds.
constexpr Duration kHeartbeat = Milliseconds(2500);
// Of a large payload, and of the result of its job.
constexpr std::uint64_t kLargeBytes = 1 << 20;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// What a router makes of an answer (router/daemon/jobs/attempts.cc).
bool MayHaveStarted(Outcome outcome) { return outcome != Outcome::kBusy && outcome != Outcome::kRejected; }

// What the worker says becomes what its router reads. A state is read by all there are.
void Cross(const Stage& stage, WorkerId worker, RouterMessage& message) {
  RINGWAY_CHECK(stage.wire->Carry(WayBetween(stage, 0, worker, message.router), worker, message));
}

}  // namespace

Workers::Workers(Stage& stage, const Scenario& scenario, IdVector<WorkerId, WorkerPlace> places)
    : stage_(stage),
      scenario_(scenario),
      places_(std::move(places)),
      first_(scenario.fleet->world.regions.size()),
      beats_ns_(places_.size(), kNever),
      shown_(places_.size()) {
  const std::pair nobody(WorkerId(0), WorkerId(0));
  ranges_.assign(first_.size(),
                 IdVector<TierId, std::pair<WorkerId, WorkerId>>(scenario.fleet->tiers.size(), nobody));
  for (std::size_t i = places_.size(); i-- > 0;) {
    const WorkerPlace& place = places_[WorkerId(i)];
    first_[place.region] = WorkerId(i);
    auto& [begin, end] = ranges_[place.region][place.tier];
    if (begin == end) end = WorkerId(i + 1);
    begin = WorkerId(i);
  }
  // The range of a region without workers is empty.
  for (std::size_t region = first_.size(); region-- > 0;) {
    WorkerId& first = first_[RegionId(region)];
    if (!first.valid()) first = region + 1 < first_.size() ? first_[RegionId(region + 1)] : places_.end_id();
  }
  for (const WorkerPlace& place : places_) sites_.push_back(Site(SettingsFor(place.tier)));
  if (stage_.tap == nullptr) return;
  for (WorkerId id(0); id != sites_.end_id(); id = WorkerId(id.index() + 1)) {
    stage_.tap->Born(id, stage_.Now(), SettingsFor(places_[id].tier), sites_[id].node);
  }
}

std::string AddressOf(WorkerId worker) { return absl::StrFormat("worker-%06d:7420", worker.index()); }

WorkerSettings Workers::SettingsFor(TierId tier) const {
  WorkerSettings settings{.slot = {}, .heartbeat = kHeartbeat};
  settings.slot.service_prior = Seconds(MeanServiceS(scenario_.service[tier].law));
  if (scenario_.service[tier].plain) settings.slot.failures_before_rest = std::numeric_limits<int>::max();
  return settings;
}

// ---- what happens ----

void Workers::OnOffer(WorkerId worker, const OfferNote& note) {
  for (Observer* observer : stage_.observers) observer->OnOffered(stage_.Now(), worker, note);
  Turn turn = TurnOf(worker);
  if (!turn.site.alive) {
    // Connection refused: certain that nothing has started.
    turn.Ended(note.caller, Outcome::kFailed, /*said=*/false, /*begun=*/false);
    return Say(turn);
  }
  turn.offer = &note;
  const AttemptId attempt = ++turn.site.last_attempt;
  std::optional<OfferNote> read;
  bool malformed = shown_[worker].wrong_tier && !plain(worker);
  if (stage_.wire != nullptr && !plain(worker)) {
    read = note;
    turn.offer = &*read;
    const Way way = WayBetween(stage_, 0, note.caller.router, worker);
    malformed = malformed || !stage_.wire->Carry(way, worker, *read);
  }
  if (malformed) {
    Step(turn, MessageMalformed{attempt});
    return End(turn);
  }
  if (turn.site.started && scenario_.service[places_[worker].tier].tells_steps) Step(turn, StepOf(worker));
  Step(turn, AttemptOffered{.offer = {.attempt = attempt,
                                      .lease = {},
                                      .grant = turn.offer->lease,
                                      .deadline = turn.offer->deadline},
                            .payload_bytes = note.payload.large ? kLargeBytes : 0});
  End(turn);
}

template <class Event>
void Workers::OnAttempt(WorkerId worker, const Caller& caller) {
  Turn turn = TurnOf(worker);
  const AttemptId attempt = turn.site.node.attempt();
  if (!turn.site.alive || attempt == 0 || turn.site.note.caller != caller) return;
  if constexpr (std::is_same_v<Event, UploadEnded>) {
    if (turn.site.note.payload.large) Step(turn, PayloadArrived{attempt, kLargeBytes});
  }
  Step(turn, Event{attempt});
  End(turn);
}
template void Workers::OnAttempt<UploadEnded>(WorkerId worker, const Caller& caller);
template void Workers::OnAttempt<AttemptWithdrawn>(WorkerId worker, const Caller& caller);
template void Workers::OnAttempt<AttemptCancelled>(WorkerId worker, const Caller& caller);

void Workers::OnFence(WorkerId worker, const FenceNote& note) {
  if (!sites_[worker].alive) return;
  Turn turn = TurnOf(worker);
  Step(turn, SlotFenced{.by = note.by, .upto = note.upto, .revoke = note.revoke});
  End(turn);
  if (!note.answered) return;
  RouterMessage& reply = stage_.Say(HopNs(worker, note.leader), note.leader);
  reply.life = note.life;
  reply.tier = note.tier;
  reply.has_announcement = true;
  reply.announcement = Announcement(worker, turn.answer);
  reply.fence_connection = note.connection;
  if (stage_.wire != nullptr) Cross(stage_, worker, reply);
}

void Workers::Drain(WorkerId worker, bool drain) {
  if (sites_[worker].alive) StepAlone(worker, SlotDrain{drain});
}

void Workers::OnServiceEnds(WorkerId worker, std::uint32_t run) {
  Turn turn = TurnOf(worker);
  const Site& site = turn.site;
  if (!site.alive || site.run != run || !site.started) return;
  const bool cancelled = stage_.queue.now_ns() < site.ends_ns;
  Outcome outcome = cancelled ? Outcome::kCancelled : Outcome::kDone;
  if (site.sinkhole || site.fails) outcome = Outcome::kFailed;
  turn.finished = outcome == Outcome::kDone;
  if (turn.finished && site.note.payload.large) {
    Step(turn, ResultMade{kLargeBytes});
    Step(turn, ResultWaits{site.node.attempt(), kLargeBytes});
  }
  Step(turn, WorkEnded{outcome});
  End(turn);
}

void Workers::OnWake(WorkerId worker) {
  Site& site = sites_[worker];
  if (site.wake.Due(stage_.Now()) && site.alive) StepAlone(worker, WorkerWake{});
}

void Workers::End(Turn& turn) {
  if (turn.ended != 0) Step(turn, StreamClosed{turn.ended});
  Say(turn);
  if (turn.told != 0) NoteBeat(turn.worker);
  const Time wake = turn.site.node.NextWake();
  if (turn.site.wake.Wants(wake)) stage_.At(wake, Happening::kWorkerWakes, turn.worker.value());
  if (turn.quiet) {
    const WorkerId worker = turn.worker;
    const bool again = turn.site.restarts.has_value();
    Kill(worker);
    if (again) Revive(worker);
  }
}

// ---- what a node wants ----

void Workers::Turn::Ended(const Caller& of, Outcome how, bool said, bool begun) {
  on_attempt = RouterMessage::OnAttempt::kEnded;
  caller = of;
  outcome = how;
  answered = said;
  may_have_started = begun;
}

template <class Event>
void Workers::Turn::SlotStepped(const Event& event, const std::vector<SlotAction>& actions) {
  KindCounts& kinds = workers.stage_.kinds;
  kinds.slot_events.Count(event);
  for (const SlotAction& action : actions) kinds.slot_actions.Count(action);
}

void Workers::Turn::Do(const AcceptAttempt&) {
  site.note = *offer;
  on_attempt = RouterMessage::OnAttempt::kAccepted;
  caller = site.note.caller;
}

void Workers::Turn::Do(const EndAttempt& end) {
  Stage& stage = workers.stage_;
  retry_after = end.retry_after;
  if (offer != nullptr && !end.started) {
    for (Observer* observer : stage.observers) observer->OnRefused(stage.Now(), worker, *offer);
    return Ended(offer->caller, end.outcome, /*said=*/true, MayHaveStarted(end.outcome));
  }
  ended = end.attempt;
  ++site.run;
  for (Observer* observer : stage.observers) observer->OnFreed(stage.Now(), worker, site.note, finished);
  Ended(site.note.caller, end.outcome, /*said=*/true, std::exchange(site.started, false));
}

void Workers::Turn::Do(const TellWatcher& tell) {
  const Watcher& watcher = workers.shown_[worker].watchers.back();
  RouterMessage& message = workers.stage_.Say(workers.HopNs(worker, watcher.router), watcher.router);
  workers.Tell(worker, watcher, tell.sequence, message);
  message.has_announcement = true;
  message.announcement = workers.Announcement(worker, tell.sequence);
  if (workers.stage_.wire != nullptr) Cross(workers.stage_, worker, message);
}

// ---- the virtual GPU ----

void Workers::Start(WorkerId worker) {
  Site& site = sites_[worker];
  const std::int64_t now_ns = stage_.queue.now_ns();
  const double service_ns = static_cast<double>(site.note.payload.service_ns) * site.slowness;
  site.fails = site.note.payload.fails || site.fail_next > 0;
  if (site.fail_next > 0) --site.fail_next;
  const bool at_once = site.sinkhole || site.fails;
  const std::int64_t takes_ns = at_once ? kSinkholeNs : static_cast<std::int64_t>(service_ns);
  site.started = true;
  site.started_ns = now_ns;
  site.ends_ns = now_ns + takes_ns;
  stage_.After(takes_ns, Happening::kServiceEnds, worker.value(), ++site.run);
  for (Observer* observer : stage_.observers) observer->OnStarted(stage_.Now(), worker, site.note);
}

void Workers::StopAtNextStep(WorkerId worker) {
  Site& site = sites_[worker];
  const std::int64_t steps = scenario_.service[places_[worker].tier].steps;
  const std::int64_t step_ns = std::max<std::int64_t>(1, (site.ends_ns - site.started_ns) / steps);
  const std::int64_t ran_ns = stage_.queue.now_ns() - site.started_ns;
  const std::int64_t left_ns = step_ns - ran_ns % step_ns;
  stage_.After(left_ns, Happening::kServiceEnds, worker.value(), ++site.run);
}

WorkProgressed Workers::StepOf(WorkerId worker) const {
  const Site& site = sites_[worker];
  const int steps = scenario_.service[places_[worker].tier].steps;
  const auto takes_ns = static_cast<double>(std::max<std::int64_t>(1, site.ends_ns - site.started_ns));
  const double done = static_cast<double>(stage_.queue.now_ns() - site.started_ns) / takes_ns;
  const double step = std::min(1.0, done) * steps;
  return {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(steps)};
}

// ---- what is said ----

std::int64_t Workers::HopNs(WorkerId worker, RouterId router) const {
  const WorkerPlace& place = places_[worker];
  return place.local == router ? stage_.network.LocalNs() : stage_.network.HereNs(place.region);
}

void Workers::Show(WorkerId worker) {
  const Slot& slot = sites_[worker].node.slot();
  const std::int64_t now_ns = stage_.queue.now_ns();
  Shown& shown = shown_[worker];
  shown.busy_before_ns = ToInt64Nanoseconds(slot.busy_total(stage_.Now()));
  shown.busy_since_ns = slot.busy() ? now_ns : Shown::kIdle;
  shown.healthy = sites_[worker].alive && !slot.resting(stage_.Now());
  shown.draining = slot.draining();
}

// One message to each router that it concerns.
void Workers::Say(const Turn& turn) {
  const WorkerId worker = turn.worker;
  RouterMessage* to_caller = nullptr;
  if (turn.on_attempt != RouterMessage::OnAttempt::kNothing) {
    to_caller = &stage_.TellCaller(HopNs(worker, turn.caller.router), turn.caller, turn.on_attempt);
    to_caller->worker = InRegion(worker);
    to_caller->outcome = turn.outcome;
    to_caller->answered = turn.answered;
    to_caller->may_have_started = turn.may_have_started;
    to_caller->retry_after_ns = ToInt64Nanoseconds(turn.retry_after);
  }
  if (turn.told == 0) return;
  Show(worker);
  const Watchers& watchers = shown_[worker].watchers;
  const ledger::Announce* said = nullptr;
  for (const Watcher& watcher : watchers) {
    const bool same = to_caller != nullptr && turn.caller.router == watcher.router;
    RouterMessage& message = same ? *to_caller : stage_.Say(HopNs(worker, watcher.router), watcher.router);
    Tell(worker, watcher, turn.told, message);
    message.has_announcement = turn.announces;
    if (turn.announces) {
      message.announcement = said != nullptr ? *said : Announcement(worker, turn.told);
      said = &message.announcement;
    }
    if (stage_.wire != nullptr) Cross(stage_, worker, message);
  }
}

void Workers::Tell(WorkerId worker, const Watcher& watcher, std::uint64_t sequence,
                   RouterMessage& message) const {
  message.told = static_cast<std::uint32_t>(sequence);
  message.worker = InRegion(worker);
  message.watch = watcher.watch;
  message.tier = TierSaid(worker);
  message.news = shown_[worker].News();
  message.busy_ns = shown_[worker].BusyNs(stage_.queue.now_ns());
}

void Workers::AddWatcher(WorkerId worker, const Watcher& watcher) {
  shown_[worker].watchers.push_back(watcher);
  Show(worker);
  StepAlone(worker, WatchOpened{watcher.watch});
  NoteBeat(worker);
}

void Workers::RemoveWatcher(WorkerId worker, WatchNumber watch) {
  Watchers& watchers = shown_[worker].watchers;
  const auto found =
      std::find_if(watchers.begin(), watchers.end(), [watch](const Watcher& w) { return w.watch == watch; });
  if (found == watchers.end()) return;
  watchers.erase(found);
  StepAlone(worker, WatchClosed{});
  NoteBeat(worker);
}

// As routers read the state (router/daemon/ledgers/ledger_sessions_leaders.cc).
ledger::Announce Workers::Announcement(WorkerId worker, std::uint64_t sequence) const {
  const Site& site = sites_[worker];
  const Slot& slot = site.node.slot();
  ledger::Announce announce{.worker = InRegion(worker),
                            .sequence = sequence,
                            .status = ledger::WorkerStatus::kIdle,
                            .fence = slot.fence(),
                            .running = {}};
  if (slot.busy() || slot.resting(stage_.Now())) announce.status = ledger::WorkerStatus::kBusy;
  if (slot.draining()) announce.status = ledger::WorkerStatus::kLeaving;
  if (slot.busy()) announce.running = site.note.lease;
  return announce;
}

// One whose node wants to be woken now speaks by itself.
void Workers::Beat(std::vector<Heartbeat>& beats) {
  const std::int64_t now_ns = stage_.queue.now_ns();
  for (std::size_t i = 0; i < beats_ns_.size(); ++i) {
    const WorkerId worker(i);
    if (beats_ns_[worker] > now_ns || stalled_until_ns(worker) > now_ns) continue;
    if (sites_[worker].node.NextWake() <= stage_.Now()) continue;
    Turn turn = TurnOf(worker);
    Step(turn, WorkerWake{});
    NoteBeat(worker);
    if (turn.told != 0) beats.push_back({worker, Announcement(worker, turn.told)});
  }
}

// ---- lives ----

void Workers::Kill(WorkerId worker) {
  Site& site = sites_[worker];
  if (!site.alive) return;
  site.alive = false;
  if (stage_.tap != nullptr) stage_.tap->Died(worker);
  shown_[worker].stalled_until_ns = 0;  // a process that is gone refuses at once
  for (Observer* observer : stage_.observers) observer->OnWorkerDied(stage_.Now(), worker);
  Turn last = TurnOf(worker);
  if (site.node.attempt() != 0) {
    last.Ended(site.note.caller, Outcome::kFailed, /*said=*/false, /*begun=*/true);
  }
  if (site.restarts) shown_[worker].wrong_tier = *std::exchange(site.restarts, std::nullopt);
  beats_ns_[worker] = kNever;
  site.started = false;
  ++site.run;
  Say(last);
  Show(worker);
  const Watchers watchers = shown_[worker].watchers;
  shown_[worker].watchers.clear();
  for (const Watcher& watcher : watchers) {
    if (on_watch_broke) on_watch_broke(worker, watcher);
  }
}

void Workers::Revive(WorkerId worker, Duration clock_back) {
  Site& site = sites_[worker];
  if (site.alive) return;
  site.alive = true;
  WorkerSettings settings = SettingsFor(places_[worker].tier);
  settings.slot.started = std::max(UnixEpoch(), stage_.Now() - clock_back);  // no clock is before 1970
  site.node = WorkerNode(settings);
  if (stage_.tap != nullptr) stage_.tap->Born(worker, stage_.Now(), settings, site.node);
  Show(worker);
}

void Workers::Restart(WorkerId worker, bool wrong_tier) {
  if (alive(worker)) {
    sites_[worker].restarts = wrong_tier;
    Stop(worker);
  } else {
    shown_[worker].wrong_tier = wrong_tier;
  }
}

void Workers::LoseRouter(RouterId router) {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const WorkerId worker(i);
    const Caller& caller = sites_[worker].note.caller;
    if (caller.router == router) OnAttempt<AttemptCancelled>(worker, caller);
  }
}

}  // namespace ringway::sim
