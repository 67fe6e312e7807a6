#include "sim/workers.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "sim/observer.h"

namespace ringway::sim {
namespace {

// A failing backend still needs a moment to fail.
constexpr std::int64_t kSinkholeNs = 1'000'000;
constexpr std::int64_t kBusy = std::numeric_limits<std::int64_t>::max();

}  // namespace

Workers::Workers(Stage& stage, const Scenario& scenario, IdVector<WorkerId, WorkerPlace> places)
    : stage_(stage),
      scenario_(scenario),
      places_(std::move(places)),
      first_(scenario.fleet->world.regions.size()),
      announced_ns_(places_.size(), 0),
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
}

SlotSettings Workers::SettingsFor(TierId tier) const {
  SlotSettings settings;
  settings.service_prior = Seconds(MeanServiceS(scenario_.service[tier].law));
  if (scenario_.service[tier].plain) settings.failures_before_rest = std::numeric_limits<int>::max();
  return settings;
}

void Workers::StepSlot(Site& site, const SlotEvent& event) {
  stage_.kinds.slot_events.Count(event);
  site.slot.Step(stage_.Now(), event, actions_);
}

void Workers::OnOffer(WorkerId worker, const OfferNote& note) {
  Site& site = sites_[worker];
  for (Observer* observer : stage_.observers) observer->OnOffered(stage_.Now(), worker, note);
  if (!site.alive) {
    // Connection refused: certain that nothing has started.
    Speech refused;
    refused.Ended(note.caller, Outcome::kFailed, /*said=*/false, /*begun=*/false);
    return Say(worker, refused);
  }
  const AttemptId attempt = ++site.last_attempt;
  actions_.clear();
  if (site.started && scenario_.service[places_[worker].tier].tells_steps) TellStep(worker);
  StepSlot(site, SlotOffer{.attempt = attempt, .lease = {}, .grant = note.lease, .deadline = note.deadline});
  Perform(worker, attempt, note);
}

void Workers::OnWithdraw(WorkerId worker, const OfferNote& note) {
  Site& site = sites_[worker];
  const bool held = site.alive && site.admitted != 0 && site.note.caller.router == note.caller.router &&
                    site.note.caller.life == note.caller.life &&
                    site.note.caller.attempt == note.caller.attempt;
  if (!held) return;  // it has ended, or was refused: its answer is on the way
  actions_.clear();
  StepSlot(site, SlotWithdraw{site.admitted});
  Perform(worker, 0, {});
}

void Workers::OnFence(WorkerId worker, const FenceNote& note) {
  Site& site = sites_[worker];
  if (!site.alive) return;
  actions_.clear();
  StepSlot(site, SlotFenced{.by = note.by, .upto = note.upto, .revoke = note.revoke});
  Perform(worker, 0, {});
  RouterMessage& reply = stage_.Say(HopNs(worker, note.leader), note.leader);
  reply.life = note.life;
  reply.tier = note.tier;
  reply.has_announcement = true;
  reply.announcement = Announcement(worker);
  reply.fence_connection = note.connection;
}

void Workers::Drain(WorkerId worker, bool drain) {
  Site& site = sites_[worker];
  if (!site.alive) return;
  actions_.clear();
  StepSlot(site, SlotDrain{drain});
  Perform(worker, 0, {});
}

void Workers::OnServiceEnds(WorkerId worker, std::uint32_t run) {
  Site& site = sites_[worker];
  if (!site.alive || site.run != run || site.admitted == 0) return;
  const bool cancelled = stage_.queue.now_ns() < site.ends_ns;
  Outcome outcome = cancelled ? Outcome::kCancelled : Outcome::kDone;
  if (site.sinkhole || site.fails) outcome = Outcome::kFailed;
  actions_.clear();
  StepSlot(site, SlotFinished{site.admitted, outcome});
  Perform(worker, 0, {});
}

void Workers::OnWake(WorkerId worker) {
  Site& site = sites_[worker];
  if (!site.wake.Due(stage_.Now()) || !site.alive) return;
  actions_.clear();
  StepSlot(site, SlotWake{});
  Perform(worker, 0, {});
}

// Carries out what the slot decided. `offered`: the attempt that `offer` is about, 0: none.
void Workers::Perform(WorkerId worker, AttemptId offered, const OfferNote& offer) {
  Speech speech;
  for (std::size_t i = 0; i < actions_.size(); ++i) {  // a payload that is complete appends
    const SlotAction action = actions_[i];
    stage_.kinds.slot_actions.Count(action);
    Perform(worker, action, offered, offer, speech);
  }
  Say(worker, speech);
  ArmWake(worker);
}

void Workers::Perform(WorkerId worker, const SlotAction& action, AttemptId offered, const OfferNote& offer,
                      Speech& speech) {
  Site& site = sites_[worker];
  if (const auto* refuse = std::get_if<RefuseAttempt>(&action)) {
    for (Observer* observer : stage_.observers) observer->OnRefused(stage_.Now(), worker, offer);
    speech.Ended(offer.caller, Outcome::kBusy, /*said=*/true, /*begun=*/false);
    speech.retry_after_ns = ToInt64Nanoseconds(refuse->retry_after);
  } else if (std::holds_alternative<AdmitAttempt>(action)) {
    site.admitted = offered;
    site.note = offer;
    announced_ns_[worker] = kBusy;
    StepSlot(site, SlotPayloadComplete{offered});
  } else if (std::holds_alternative<StartJob>(action)) {
    Start(worker);
    speech.on_attempt = RouterMessage::OnAttempt::kAccepted;
    speech.caller = site.note.caller;
  } else if (std::holds_alternative<StopJob>(action)) {
    StopAtNextStep(worker);
  } else if (const auto* ended = std::get_if<AttemptEnded>(&action)) {
    site.admitted = 0;
    announced_ns_[worker] = stage_.queue.now_ns();
    ++site.run;
    for (Observer* observer : stage_.observers) {
      observer->OnFreed(stage_.Now(), worker, site.note, ended->outcome == Outcome::kDone);
    }
    speech.Ended(site.note.caller, ended->outcome, /*said=*/true, std::exchange(site.started, false));
  } else if (std::holds_alternative<StateChanged>(action)) {
    speech.news = true;
    // The leader knows of a job that it granted.
    speech.announce = speech.announce || site.admitted == 0 || !site.note.lease.fence.stated();
  }
}

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

void Workers::TellStep(WorkerId worker) {
  Site& site = sites_[worker];
  const int steps = scenario_.service[places_[worker].tier].steps;
  const auto takes_ns = static_cast<double>(std::max<std::int64_t>(1, site.ends_ns - site.started_ns));
  const double done = static_cast<double>(stage_.queue.now_ns() - site.started_ns) / takes_ns;
  const double step = std::min(1.0, done) * steps;
  StepSlot(site,
           SlotProgress{site.admitted, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(steps)});
}

std::int64_t Workers::HopNs(WorkerId worker, RouterId router) {
  const WorkerPlace& place = places_[worker];
  return place.local == router ? stage_.network.LocalNs() : stage_.network.HereNs(place.region);
}

dispatch::WorkerNews Workers::News(WorkerId worker) const {
  const Slot& slot = sites_[worker].slot;
  dispatch::WorkerNews news;
  news.state = slot.resting(stage_.Now()) ? dispatch::WorkerState::kFailed
               : slot.busy()              ? dispatch::WorkerState::kBusy
                                          : dispatch::WorkerState::kIdle;
  if (!sites_[worker].alive) news.state = dispatch::WorkerState::kUnknown;
  news.draining = slot.draining();
  return news;
}

void Workers::Show(WorkerId worker) {
  const Slot& slot = sites_[worker].slot;
  const std::int64_t now_ns = stage_.queue.now_ns();
  Shown& shown = shown_[worker];
  shown.busy_before_ns = ToInt64Nanoseconds(slot.busy_total(stage_.Now()));
  shown.busy_since_ns = slot.busy() ? now_ns : Shown::kIdle;
  shown.healthy = sites_[worker].alive && !slot.resting(stage_.Now());
  shown.draining = slot.draining();
}

// One message to each router that it concerns.
void Workers::Say(WorkerId worker, const Speech& speech) {
  RouterMessage* to_caller = nullptr;
  if (speech.on_attempt != RouterMessage::OnAttempt::kNothing) {
    to_caller = &stage_.TellCaller(HopNs(worker, speech.caller.router), speech.caller, speech.on_attempt);
    to_caller->worker = InRegion(worker);
    to_caller->outcome = speech.outcome;
    to_caller->answered = speech.answered;
    to_caller->may_have_started = speech.may_have_started;
    to_caller->retry_after_ns = speech.retry_after_ns;
  }
  if (speech.news) Show(worker);
  if (!speech.news && !speech.announce) return;
  const Watchers& watchers = shown_[worker].watchers;
  ledger::Announce announcement;
  if (speech.announce && !watchers.empty()) announcement = Announcement(worker);
  for (const Watcher& watcher : watchers) {
    if (!speech.announce && watcher.router != places_[worker].local) continue;
    const bool same = to_caller != nullptr && speech.caller.router == watcher.router;
    RouterMessage& message = same ? *to_caller : stage_.Say(HopNs(worker, watcher.router), watcher.router);
    Tell(worker, watcher, message);
    message.has_announcement = speech.announce;
    if (speech.announce) message.announcement = announcement;
  }
}

void Workers::Tell(WorkerId worker, const Watcher& watcher, RouterMessage& message) const {
  message.worker = InRegion(worker);
  message.watch = watcher.watch;
  message.tier = TierSaid(worker);
  message.news = News(worker);
  message.busy_ns = shown_[worker].BusyNs(stage_.queue.now_ns());
}

void Workers::AddWatcher(WorkerId worker, const Watcher& watcher) {
  shown_[worker].watchers.push_back(watcher);
  Show(worker);
  RouterMessage& message = stage_.Say(HopNs(worker, watcher.router), watcher.router);
  Tell(worker, watcher, message);
  message.has_announcement = true;
  message.announcement = Announcement(worker);
}

void Workers::RemoveWatcher(WorkerId worker, WatchNumber watch) {
  Watchers& watchers = shown_[worker].watchers;
  watchers.erase(std::remove_if(watchers.begin(), watchers.end(),
                                [watch](const Watcher& w) { return w.watch == watch; }),
                 watchers.end());
}

ledger::Announce Workers::Announcement(WorkerId worker) {
  Site& site = sites_[worker];
  announced_ns_[worker] = stage_.queue.now_ns();
  ledger::Announce announce{.worker = InRegion(worker),
                            .sequence = site.slot.NextSequence(),
                            .status = ledger::WorkerStatus::kIdle,
                            .fence = site.slot.fence(),
                            .running = {}};
  if (site.slot.busy() || site.slot.resting(stage_.Now())) announce.status = ledger::WorkerStatus::kBusy;
  if (site.slot.draining()) announce.status = ledger::WorkerStatus::kLeaving;
  if (site.admitted != 0) announce.running = site.note.lease;
  return announce;
}

std::vector<ledger::Announce> Workers::Overdue(RegionId region, TierId tier, RouterId watcher,
                                               std::int64_t silent_ns) {
  std::vector<ledger::Announce> overdue;
  const std::int64_t before_ns = stage_.queue.now_ns() - silent_ns;
  const auto [begin, end] = Range(region, tier);
  for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
    const bool silent =
        announced_ns_[worker] <= before_ns && stalled_until_ns(worker) <= stage_.queue.now_ns();
    if (!silent) continue;
    const bool watched = std::any_of(watchers(worker).begin(), watchers(worker).end(),
                                     [watcher](const Watcher& w) { return w.router == watcher; });
    if (watched) overdue.push_back(Announcement(worker));
  }
  return overdue;
}

void Workers::ArmWake(WorkerId worker) {
  Site& site = sites_[worker];
  const Time wake = site.slot.NextWake();
  if (site.wake.Wants(wake)) stage_.At(wake, Happening::kWorkerWakes, worker.value());
}

void Workers::Kill(WorkerId worker) {
  Site& site = sites_[worker];
  if (!site.alive) return;
  site.alive = false;
  shown_[worker].stalled_until_ns = 0;  // a process that is gone refuses at once
  for (Observer* observer : stage_.observers) observer->OnWorkerDied(stage_.Now(), worker);
  Speech last;
  if (site.admitted != 0) last.Ended(site.note.caller, Outcome::kFailed, /*said=*/false, /*begun=*/true);
  site.admitted = 0;
  announced_ns_[worker] = kBusy;
  site.started = false;
  ++site.run;
  Say(worker, last);
  Show(worker);
  const Watchers watchers = shown_[worker].watchers;
  shown_[worker].watchers.clear();
  for (const Watcher& watcher : watchers) {
    if (on_watch_broke) on_watch_broke(worker, watcher);
  }
}

void Workers::Revive(WorkerId worker) {
  Site& site = sites_[worker];
  if (site.alive) return;
  site.alive = true;
  SlotSettings settings = SettingsFor(places_[worker].tier);
  settings.started = stage_.Now();
  site.slot = Slot(settings);
  announced_ns_[worker] = stage_.queue.now_ns();
  Show(worker);
}

void Workers::LoseRouter(RouterId router) {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const WorkerId worker(i);
    if (sites_[worker].admitted != 0 && sites_[worker].note.caller.router == router) {
      OnWithdraw(worker, sites_[worker].note);
    }
  }
}

}  // namespace ringway::sim
